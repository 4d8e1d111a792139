//! Who is not let in, or does not let this theater in: a line for each.

use odeon_core::{Actor, Context, Theater};
use odeon_theater::{MembershipEvent, Network};

use super::running::say;

struct Refusals;

impl Actor for Refusals {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        if let MembershipEvent::Refused(theater, why) = event {
            say(&format!("refused {theater}: {why}"));
        }
    }
}

/// Tells of those that are refused from here on, and of those that are already.
pub(super) fn tell(network: &Network, theater: &Theater) {
    network.subscribe(&theater.spawn(Refusals));
}
