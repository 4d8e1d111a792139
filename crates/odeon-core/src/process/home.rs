//! Where an actor is at home, as one comparable word.

use crate::process::submit::Submit;

/// The stage of an actor or of a thread: compared once per send.
///
/// | lowest bits | the rest is the address of |
/// |---|---|
/// | 000 | the shared part of a pinned or dedicated stage |
/// | 001 | any other stage's `Submit` implementation; or the timers of a theater, at whose thread no actor is at home |
/// | 010 | as 000, for an actor with bounded mailboxes |
/// | 110 | as 001, for an actor with bounded mailboxes |
/// | 100 | as 001, for an actor whose messages come with lanes |
///
/// So a send finds out by the one bit that it looks at anyway whether it may put the message
/// straight into the inbox of a pool actor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Home(*const ());

const SUBMITTED: usize = 0b001;
const BOUNDED: usize = 0b010;
const ASIDE_SUBMITTED: usize = 0b100;
const MARKS: usize = 0b111;

impl Home {
    /// A thread that belongs to no stage.
    pub(crate) const NOWHERE: Self = Self(std::ptr::null());

    /// At a stage that owns its actors, which lies there.
    pub(crate) fn at_owner(stage: *const ()) -> Self {
        Self(stage)
    }

    /// `stage` lies behind an `Arc`, whose counters see to it that its address is divisible by 8.
    pub(crate) fn submitting(stage: &dyn Submit) -> Self {
        let stage = std::ptr::from_ref(stage).cast::<()>();
        debug_assert_eq!(stage.addr() & MARKS, 0);
        Self(stage.map_addr(|address| address | SUBMITTED))
    }

    /// A thread of a theater at which no actor is at home; what it works on lies there.
    pub(crate) fn at_no_stage(place: *const ()) -> Self {
        Self(place.map_addr(|address| address | SUBMITTED))
    }

    /// The same home, of an actor with bounded mailboxes.
    pub(crate) fn of_bounded(self) -> Self {
        Self(self.0.map_addr(|address| match address & SUBMITTED {
            0 => address | BOUNDED,
            _ => address & !SUBMITTED | BOUNDED | ASIDE_SUBMITTED,
        }))
    }

    /// The same home, of a pool actor whose messages come with lanes.
    pub(crate) fn of_laned(self) -> Self {
        Self(self.0.map_addr(|address| address & !SUBMITTED | ASIDE_SUBMITTED))
    }

    /// The same home, whether the actor has bounds or lanes or not.
    pub(crate) fn of_stage(self) -> Self {
        Self(self.0.map_addr(|address| match address & MARKS {
            BOUNDED => address & !MARKS,
            0 | SUBMITTED => address,
            _ => address & !MARKS | SUBMITTED,
        }))
    }

    /// Whether a message takes another way than straight into the actor's inbox.
    #[inline(always)]
    pub(crate) fn is_aside(self) -> bool {
        self.0.addr() & SUBMITTED == 0
    }

    /// Whether the actor has bounded mailboxes.
    #[inline(always)]
    pub(crate) fn is_bounded(self) -> bool {
        self.0.addr() & BOUNDED != 0
    }

    /// Whether the messages of the actor come with lanes.
    #[inline(always)]
    pub(crate) fn is_laned(self) -> bool {
        self.0.addr() & MARKS == ASIDE_SUBMITTED
    }

    /// Where the stage that owns its actors lies, if it is one. Null for `NOWHERE`.
    #[inline(always)]
    pub(crate) fn as_owner(self) -> Option<*const ()> {
        (self.0.addr() & (SUBMITTED | ASIDE_SUBMITTED) == 0)
            .then(|| self.0.map_addr(|address| address & !MARKS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_change_the_way_and_not_the_stage() {
        let home = Home(std::ptr::without_provenance(0x1001));
        let laned = home.of_laned();
        assert!(laned.is_aside() && laned.is_laned() && !laned.is_bounded());
        assert!(!home.is_laned() && !home.of_bounded().is_laned());
        assert_eq!((laned.of_stage(), laned.as_owner()), (home, None));
    }

    #[test]
    fn bounds_change_the_way_and_not_the_stage() {
        let at = |address: usize| Home(std::ptr::without_provenance(address));
        for (home, aside, pinned) in [(at(0x1001), false, None), (at(0x1000), true, Some(0x1000))] {
            let bounded = home.of_bounded();
            assert_eq!((home.is_aside(), home.is_bounded()), (aside, false));
            assert_eq!((bounded.is_aside(), bounded.is_bounded()), (true, true));
            assert_ne!(home, bounded);
            for same in [home, bounded] {
                assert_eq!(same.of_stage(), home);
                assert_eq!(same.as_owner().map(<*const ()>::addr), pinned);
            }
        }
    }
}
