//! S32: a connection that is cut for less than `longest_cut` ends no link, whatever of Zenoh and
//! TCP has to notice that it is back.

#![cfg(unix)]

use crate::s32_parted::by_cable;
use crate::support::member::{self, Member};
use crate::support::place::{Place, cluster};
use crate::support::relay::Relay;
use crate::support::traffic::Conversation;
use odeon_core::Theater;
use odeon_zenoh::{ZenohSettings, join};
use std::thread;
use std::time::Duration;

/// TCP sends again after 1.4 s, and then after 3 s.
const CUTS_MS: [u64; 3] = [1_200, 1_500, 1_900];

/// Two theaters talk while they are cut off from each other now and then: nobody is missed, and
/// nothing is lost.
fn go_on_behind_cuts(here: &Place, cut: impl Fn(bool)) {
    let there = here.meets(1);
    let conversation = Conversation::begin(here, there);
    for time in CUTS_MS {
        conversation.goes_on();
        cut(true);
        thread::sleep(Duration::from_millis(time));
        cut(false);
        conversation.goes_on();
        assert!(!here.has_missed(there), "cut for {time} ms");
    }
    conversation.ends_well();
    assert!(!here.has_missed(there));
}

#[test]
fn s32_connections_that_are_silent_for_less_than_the_longest_cut_end_no_link() {
    const NAME: &str = "s32_connections_that_are_silent_for_less_than_the_longest_cut_end_no_link";
    if member::is_one() {
        return member::run();
    }
    let config = ZenohSettings::default().link_config(&cluster("short-silence"));
    let (at_a, a) = Place::listening(&config, &[]);
    let relay = Relay::to(&at_a);
    let _member = Member::start(NAME, &config, &[&relay.endpoint]);
    go_on_behind_cuts(&a, |is_cut| relay.silence(is_cut));
}

#[test]
fn s32_cables_that_are_cut_for_less_than_the_longest_cut_end_no_link() {
    const NAME: &str = "s32_cables_that_are_cut_for_less_than_the_longest_cut_end_no_link";
    let config = ZenohSettings::default().link_config(&cluster("short-cut"));
    let Some((a, _member, cable)) = by_cable(NAME, &config) else { return };
    go_on_behind_cuts(&a, |is_cut| cable.cut(is_cut));
}

#[test]
fn s32_settings_by_which_zenoh_gives_up_before_links_do_are_refused() {
    let theater = Theater::new().unwrap();
    let lease = Some(Duration::from_millis(4_900));
    let refused = join(&theater, "hasty", &ZenohSettings { lease, ..Default::default() });
    let Err(why) = refused.map(drop).map_err(|why| why.to_string()) else { panic!("it joins") };
    assert!(why.starts_with("the setting lease, 4.9s: it is at least 5s"), "{why}");
}
