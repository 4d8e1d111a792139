//! Which theater or actor somebody means.

use odeon_theater::{Membership, MobileId, Overview, TheaterId};

use super::error::TheaterError;
use super::looking::FoundTheater;

/// How many digits of an identity are shown at least.
const DIGITS: usize = 8;

/// How many digits tell all these theaters apart.
pub(super) fn digits(theaters: impl IntoIterator<Item = TheaterId>) -> usize {
    let mut all: Vec<String> = theaters.into_iter().map(|id| id.to_string()).collect();
    all.sort_unstable();
    all.dedup();
    let same = |two: &[String]| {
        let pairs = two[0].bytes().zip(two[1].bytes());
        pairs.take_while(|(one, other)| one == other).count() + 1
    };
    all.windows(2).map(same).max().unwrap_or(0).max(DIGITS)
}

/// The digits that suffice for all that `found` tells of.
pub(super) fn digits_of(found: &[FoundTheater]) -> usize {
    let mobile =
        found.iter().filter_map(FoundTheater::overview).flat_map(|overview| &overview.mobile);
    let born = mobile.map(|actor| actor.id.born);
    digits(found.iter().map(|theater| theater.id).chain(born))
}

pub(super) fn short(id: TheaterId, digits: usize) -> String {
    id.to_string()[..digits].to_owned()
}

pub(super) fn short_actor(id: MobileId, digits: usize) -> String {
    format!("{}/{}", short(id.born, digits), id.number)
}

/// The theater with this name; if there is none, the one whose identity begins so. While a theater
/// says nothing, nobody knows its name: then fewer digits than are shown may be that, and tell
/// nobody.
pub(super) fn theater<'a>(
    found: &'a [FoundTheater],
    argument: &str,
    text: &str,
) -> Result<&'a FoundTheater, TheaterError> {
    let mut meant: Vec<&FoundTheater> = found.iter().filter(|it| it.name() == text).collect();
    let may_be_a_name = text.len() < DIGITS && silent(found).is_some();
    if meant.is_empty() && !text.is_empty() && !may_be_a_name {
        meant.extend(found.iter().filter(|it| it.id.to_string().starts_with(text)));
    }
    match meant[..] {
        [one] => Ok(one),
        [] => {
            let digits = digits_of(found);
            let all: Vec<String> = found
                .iter()
                .map(|theater| format!("{} ({})", theater.name(), short(theater.id, digits)))
                .collect();
            let problem = format!("no theater is called '{text}'; there are {}", all.join(", "));
            match silent(found) {
                None => Err(TheaterError::argument(argument, problem)),
                // It may be called so.
                Some(silent) => Err(TheaterError::failed(format!("{problem}; {silent}"))),
            }
        }
        _ => {
            let all: Vec<String> = meant.iter().map(|theater| theater.id.to_string()).collect();
            let problem = format!("'{text}' may be any of {}", all.join(", "));
            Err(TheaterError::argument(argument, problem))
        }
    }
}

/// The actor whose identity is written so, its theater's shortened or not, and where it sits.
pub(super) fn actor<'a>(
    found: &'a [FoundTheater],
    text: &str,
) -> Result<(MobileId, &'a FoundTheater), TheaterError> {
    let refused = |problem: String| Err(TheaterError::argument("<ACTOR>", problem));
    let parts = text.split_once('/').map(|(born, number)| (born, number.parse::<u64>()));
    let Some((born, Ok(number))) = parts.filter(|(born, _)| !born.is_empty()) else {
        return refused(format!(
            "'{text}' is no actor: one is written as `ps` lists it, 5f3a9c01/42"
        ));
    };
    let mut meant: Vec<(MobileId, &FoundTheater)> = Vec::new();
    for theater in found {
        for actor in theater.overview().iter().flat_map(|overview| &overview.mobile) {
            let id = actor.id;
            if id.number == number && id.born.to_string().starts_with(born) {
                meant.push((id, theater));
            }
        }
    }
    match meant[..] {
        [one] => Ok(one),
        [] => {
            let unknown = format!("no theater knows a mobile actor '{text}'");
            match silent(found) {
                None => refused(unknown),
                // It may sit there: the command line is not to blame.
                Some(silent) => Err(TheaterError::failed(format!("{unknown}; {silent}"))),
            }
        }
        _ => refused(format!("'{text}' may be several actors: more digits tell them apart")),
    }
}

/// Those that do not say what they are called and which actors they have, if there are any: found
/// without a control actor, or suspected by others.
fn silent(found: &[FoundTheater]) -> Option<String> {
    let suspected = |overview: &Overview| {
        let all = overview.members.clone().into_iter();
        all.filter(|(_, is)| *is == Membership::Suspected).map(|(id, _)| id)
    };
    let is_served = |id: &TheaterId| found.iter().any(|it| it.id == *id && it.served.is_some());
    let mut silent: Vec<TheaterId> = found.iter().map(|theater| theater.id).collect();
    silent.extend(found.iter().filter_map(FoundTheater::overview).flat_map(suspected));
    silent.retain(|id| !is_served(id));
    silent.sort_unstable();
    silent.dedup();
    let digits = digits_of(found);
    let silent: Vec<String> = silent.into_iter().map(|id| short(id, digits)).collect();
    (!silent.is_empty()).then(|| {
        format!(
            "{} says nothing of itself: it stands still, or has no control actor",
            silent.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use odeon_core::{Actor, Context, Theater};
    use odeon_theater::ControlRequest;

    /// Called so, without a control actor or more.
    fn found(name: &str, first: u128) -> FoundTheater {
        let id = TheaterId::from_bits(first << 120);
        let overview = Overview {
            theater: id,
            name: name.into(),
            is_drained: false,
            members: Vec::new(),
            mobile: Vec::new(),
            referred_to: 0,
            refers_to: 0,
        };
        let actors = Theater::builder().workers(1).build().expect("it can be built");
        let control = actors.spawn(Nobody);
        FoundTheater { id, is: Membership::Present, served: Some((control, overview)) }
    }

    struct Nobody;

    impl Actor for Nobody {
        type Msg = ControlRequest;

        fn handle(&mut self, _: ControlRequest, _: &mut Context<'_, Self>) {}
    }

    #[test]
    fn a_name_goes_before_the_beginning_of_an_identity() {
        let all = [found("a", 0xb1), found("b", 0xa1), found("b", 0xa2)];
        let meant = |text| theater(&all, "--to", text).map(|found| found.id);
        let problem = |text| meant(text).unwrap_err().to_string();
        assert_eq!(meant("a").ok(), Some(all[0].id), "and not those that begin so");
        assert_eq!(meant("a2").ok(), Some(all[2].id));
        assert!(problem("b").starts_with("--to: 'b' may be any of "));
        assert!(
            problem("c").starts_with("--to: no theater is called 'c'; there are a (b1000000), b")
        );
        assert!(problem("").contains("no theater is called"));
    }

    #[test]
    fn while_a_theater_is_silent_a_short_text_may_be_its_name() {
        let mut all = [found("a", 0xb1), found("b", 0xa1)];
        all[1].served = None;
        let meant = |text| theater(&all, "--to", text).map(|found| found.id);
        assert_eq!(meant("a").ok(), Some(all[0].id));
        let error = meant("b").unwrap_err();
        assert!(!error.is_bad_argument(), "and not the one whose identity begins so: {error}");
        assert_eq!(meant("b1000000").ok(), Some(all[0].id));
    }

    #[test]
    fn as_many_digits_are_shown_as_tell_theaters_apart() {
        let id = |first: u128, rest: u128| TheaterId::from_bits(first << 64 | rest);
        assert_eq!(digits([id(1, 5)]), DIGITS);
        assert_eq!(digits([id(1, 5), id(1, 5)]), DIGITS, "it is the same one");
        assert_eq!(digits([id(1, 5), id(1, 4)]), 32);
        assert_eq!(digits([id(1, 0), id(2, 0), id(0x100, 0)]), 16);
    }

    #[test]
    fn an_actor_that_nobody_knows_may_sit_where_nobody_answers() {
        let mut all = vec![found("a", 0xa1), found("b", 0xb1)];
        let said = |all: &[FoundTheater]| {
            let error = actor(all, "a1/7").err().expect("nobody knows it");
            (error.is_bad_argument(), error.to_string())
        };
        let unknown = "no theater knows a mobile actor 'a1/7'";
        assert_eq!(said(&all), (true, format!("<ACTOR>: {unknown}")));
        all[1].served = None;
        let (is_bad_argument, text) = said(&all);
        assert!(!is_bad_argument && text.starts_with(unknown), "{text}");
        assert!(text.contains("b1000000 says nothing of itself"), "{text}");
        // Suspected by one that is there, and not met by who asks.
        all.pop();
        let (_, overview) = all[0].served.as_mut().expect("it has a control actor");
        let other = TheaterId::from_bits(0xc1 << 120);
        overview.members.push((other, Membership::Suspected));
        assert!(said(&all).1.contains("c1000000 says nothing of itself"));
    }
}
