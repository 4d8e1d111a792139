//! The feature `sight` of the facade.
#![cfg(feature = "sight")]

use std::sync::Arc;

use odeon::prelude::*;
use odeon::sight::{Export, Spans};

struct Quiet;
impl Actor for Quiet {
    type Msg = u32;
    fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
}

#[test]
fn stats_are_written_and_messages_followed() {
    let builder = Theater::builder().stats(true).tracer(Arc::new(Spans::new()));
    let theater = builder.build().unwrap();
    let quiet = theater.spawn(Quiet);
    odeon::sight::followed(|| quiet.send(7).unwrap());
    let messages = |stats: &odeon::telemetry::Stats| stats.stages[0].messages;
    while theater.stats().is_none_or(|stats| messages(&stats) == 0) {
        std::thread::yield_now();
    }
    // Without a recorder the numbers go nowhere.
    Export::all().write(theater.name(), &theater.stats().unwrap());
    // Without a subscriber there are no spans to follow from.
    assert_eq!(theater.followed().unwrap().under_way, 0);
}
