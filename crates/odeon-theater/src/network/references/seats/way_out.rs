//! The way out of one seat, as far as its line has to do with it.

use odeon_core::wire::{Address, Outbound};

/// Made for a seat by whoever knows how messages leave, and kept by its line.
pub(in crate::network) trait WayOut: Outbound + 'static {
    /// Of which seat it is, and whom that is for. `false`: it has ended already.
    fn is_of(&self, number: u64, who: Address) -> bool;

    /// Lets messages go, as no other seat's go before them; `false`: they went already. Under the
    /// lock of the seats.
    fn goes_first(&self) -> bool;
}
