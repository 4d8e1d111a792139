//! Today's date, without a calendar library.

use std::time::{SystemTime, UNIX_EPOCH};

/// The date of now in UTC, as `2026-11-20`.
pub(crate) fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    date_of(seconds / 86_400)
}

/// The date of a day since 1970-01-01, in the proleptic Gregorian calendar.
fn date_of(mut day: u64) -> String {
    let mut year = 1970;
    while day >= days_of_year(year) {
        day -= days_of_year(year);
        year += 1;
    }
    let february = days_of_year(year) - 337;
    let mut month = 1;
    for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < days {
            break;
        }
        day -= days;
        month += 1;
    }
    format!("{year}-{month:02}-{:02}", day + 1)
}

fn days_of_year(year: u64) -> u64 {
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    if leap { 366 } else { 365 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        let days = [0, 58, 59, 10_957, 11_016, 19_782, 20_777].map(date_of);
        let known = [
            "1970-01-01",
            "1970-02-28",
            "1970-03-01",
            "2000-01-01",
            "2000-02-29",
            "2024-02-29",
            "2026-11-20",
        ];
        assert_eq!(days, known);
    }
}
