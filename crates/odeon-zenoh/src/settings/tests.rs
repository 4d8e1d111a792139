//! How long links and Zenoh wait, by arithmetic.

use std::time::Duration;

use crate::ZenohSettings;

const LEASE: &str = "transport/link/tx/lease";

fn cut(seconds: u64) -> ZenohSettings {
    ZenohSettings { longest_cut: Duration::from_secs(seconds), ..ZenohSettings::default() }
}

/// What Zenoh is told, in milliseconds.
#[track_caller]
fn told(settings: &ZenohSettings) -> u128 {
    let config = settings.to_config().expect("they go together");
    config.get_json(LEASE).unwrap().parse().unwrap()
}

#[test]
fn the_lease_follows_the_longest_cut() {
    let by_default = ZenohSettings::default();
    assert_eq!(told(&by_default), 10_000, "which is Zenoh's own");
    for seconds in [0, 1, 2, 4, 5, 60, 3_600] {
        let settings = cut(seconds);
        let lease = told(&settings);
        assert_eq!(lease, settings.lease_or_followed().as_millis());
        assert!(lease >= by_default.lease_or_followed().as_millis());
        assert!(lease > settings.longest_cut.as_millis(), "{seconds} s");
        let links = settings.link_config("shop").dead_after;
        assert!(lease >= 2 * links.as_millis(), "{seconds} s: links give up first");
    }
    assert_eq!(told(&cut(5)), 22_000);
}

#[test]
fn a_lease_that_is_set_stays_and_is_refused_if_it_is_too_short() {
    let set = |lease: Duration| ZenohSettings { lease: Some(lease), ..cut(5) };
    let least = cut(5).dead_after();
    assert_eq!(told(&set(least)), least.as_millis());
    assert_eq!(told(&set(least * 10)), 10 * least.as_millis());
    let said = |milliseconds: u128| {
        let more = vec![(LEASE.to_owned(), milliseconds.to_string())];
        ZenohSettings { more, ..cut(5) }
    };
    assert_eq!(told(&said(least.as_millis())), least.as_millis(), "in Zenoh's words");
    let short = least - Duration::from_millis(1);
    for settings in [set(short), said(short.as_millis())] {
        let refused = settings.to_config().expect_err("it is too short").to_string();
        assert!(
            refused
                .starts_with("the setting lease, 10.999s: it is at least 11s, twice longest_cut"),
            "{refused}"
        );
    }
}
