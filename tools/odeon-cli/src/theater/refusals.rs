//! Who is not let in, or does not let this theater in: a line for each.

use odeon_core::{Actor, Context, Theater};
use odeon_theater::{MembershipEvent, Network};
use std::time::{Duration, Instant};

use super::running::say;

/// TUNE: guessed 2026-11: more than a cluster has theaters; whoever makes up identities fills no
/// log.
const MOST: usize = 100;

/// TUNE: s, guessed 2026-11: so many in this time.
const WITHIN: Duration = Duration::from_secs(60);

struct Refusals {
    begun: Instant,
    said: usize,
    left_out: usize,
}

impl Refusals {
    /// What is to be said of one more.
    fn lines(&mut self, line: String, now: Instant) -> Vec<String> {
        let mut lines = Vec::new();
        if now.duration_since(self.begun) >= WITHIN {
            if self.left_out > 0 {
                lines.push(format!("refused {} more", self.left_out));
            }
            *self = Self { begun: now, said: 0, left_out: 0 };
        }
        if self.said == MOST {
            self.left_out += 1;
        } else {
            self.said += 1;
            lines.push(line);
        }
        lines
    }
}

impl Actor for Refusals {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        if let MembershipEvent::Refused(theater, why) = event {
            let lines = self.lines(format!("refused {theater}: {why}"), Instant::now());
            lines.iter().for_each(|line| say(line));
        }
    }
}

/// Tells of those that are refused from here on, and of those that are already.
pub(super) fn tell(network: &Network, theater: &Theater) {
    let refusals = Refusals { begun: Instant::now(), said: 0, left_out: 0 };
    network.subscribe(&theater.spawn(refusals));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_that_are_made_up_fill_no_log() {
        let begun = Instant::now();
        let mut refusals = Refusals { begun, said: 0, left_out: 0 };
        let flood = (0..5_000).flat_map(|number| refusals.lines(number.to_string(), begun));
        assert_eq!(flood.count(), MOST);
        let lines = refusals.lines("one".into(), begun + WITHIN);
        assert_eq!(lines, ["refused 4900 more", "one"]);
    }
}
