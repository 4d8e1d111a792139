//! Complaints within bounds.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::Complaint;

/// TUNE: s, guessed 2026-11: who looks at a log wants to see that something goes on being wrong,
/// and the rest of the log.
const WITHIN: Duration = Duration::from_secs(60);

/// TUNE: guessed 2026-11: more than a cluster has that is set up wrongly; a flood fills no log.
pub(super) const MOST: usize = 10;

/// What has been told lately.
pub(super) struct Sparing {
    begun: Instant,
    told: HashSet<Complaint>,
    left_out: u64,
}

impl Sparing {
    pub(super) fn new(now: Instant) -> Self {
        Self { begun: now, told: HashSet::new(), left_out: 0 }
    }

    /// What is to be told of that.
    pub(super) fn of(&mut self, complaint: Complaint, now: Instant) -> Vec<Complaint> {
        let mut tell = Vec::new();
        if now.duration_since(self.begun) >= WITHIN {
            if self.left_out > 0 {
                tell.push(Complaint::LeftOut(self.left_out));
            }
            *self = Self::new(now);
        }
        if self.told.contains(&complaint) {
            return tell;
        }
        if self.told.len() == MOST {
            self.left_out += 1;
            return tell;
        }
        self.told.insert(complaint.clone());
        tell.push(complaint);
        tell
    }

    /// That could not be told.
    pub(super) fn leave_out(&mut self, complaint: &Complaint) {
        self.left_out = self.left_out.saturating_add(match complaint {
            Complaint::LeftOut(count) => *count,
            _ => 1,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_ten_lines_in_a_minute() {
        let begun = Instant::now();
        let mut sparing = Sparing::new(begun);
        let who = |number: u32| Complaint::NotLetIn(number.to_string());
        let flood = (0..100_000).flat_map(|number| sparing.of(who(number), begun));
        assert_eq!(flood.count(), MOST);
        let later = begun + WITHIN;
        assert_eq!(sparing.of(who(7), later), [Complaint::LeftOut(99_990), who(7)]);
    }

    #[test]
    fn what_could_not_be_told_is_counted() {
        let begun = Instant::now();
        let mut sparing = Sparing::new(begun);
        let who = |number: u32| Complaint::NotLetIn(number.to_string());
        sparing.leave_out(&who(1));
        sparing.leave_out(&Complaint::LeftOut(6));
        assert_eq!(sparing.of(who(7), begun + WITHIN), [Complaint::LeftOut(7), who(7)]);
    }

    #[test]
    fn the_same_is_told_once_in_a_minute() {
        let begun = Instant::now();
        let mut sparing = Sparing::new(begun);
        let told = (0..3_000_u32).filter(|tenths| {
            let now = begun + Duration::from_millis(100) * *tenths;
            !sparing.of(Complaint::NotLetIn("no certificate".into()), now).is_empty()
        });
        assert_eq!(told.count(), 5);
    }
}
