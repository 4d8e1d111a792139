//! A seat has ended: its actor has, or nobody here refers to it any more.

use std::sync::Arc;

use super::Sits;
use crate::network::inner::Inner;

impl Inner {
    /// The seat with this number has ended.
    pub(in crate::network) fn seat_ended(self: &Arc<Self>, seat: u64) {
        let (who, line) = match self.seats.ended(seat) {
            None => return,
            // Others are left. An actor may wait until only one is.
            Some((who, None)) => {
                if let Some(Some(coming)) = self.seats.with(who, |line| line.waits.take()) {
                    self.takes_in(coming);
                }
                return;
            }
            Some((who, Some(line))) => (who, line),
        };
        // Behind the messages that it has handed over, which may refer to actors that only its
        // references keep.
        let to = line.way.course().to.take();
        if let Some(to) = to {
            self.give_back(&to, line.references);
        }
        line.next.iter().for_each(|to| self.give_back(to, 1));
        match line.sits {
            Sits::Leaving(departing) => self.has_withdrawn(&departing),
            Sits::Coming(coming, _) => self.cannot_come(&coming),
            Sits::Here | Sits::Elsewhere(_) => {}
        }
        if let Some(coming) = line.waits {
            debug_assert_eq!(coming.who, who, "a line is of one actor");
            self.takes_in(coming);
        }
    }
}
