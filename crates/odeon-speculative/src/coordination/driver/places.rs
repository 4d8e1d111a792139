//! Where a transaction has a place, and where it is a guest.

use crate::executor::participant::Participant;
use crate::executor::participant::ParticipantEntry;
use crate::executor::visiting::Visiting;

/// The participants of one round.
#[derive(Default)]
pub(super) struct Places(Vec<EnteredParticipant>);

struct EnteredParticipant {
    address: usize,
    /// A visit at this participant.
    visit: usize,
    generation: u64,
    is_inside: bool,
    /// What kind of place it was given last.
    is_reading: bool,
    is_guest: bool,
}

impl Places {
    /// Sees to a place at the participant of this visit. `None`: what was read there in this round
    /// is of a state that is gone.
    pub(super) fn enter(
        &mut self,
        who: u64,
        is_reading: bool,
        participant: &dyn Participant,
        visit: usize,
    ) -> Option<ParticipantEntry> {
        let address = participant.address();
        let known = self.0.iter_mut().find(|place| place.address == address);
        if known.as_ref().is_some_and(|place| place.is_inside) {
            return Some(ParticipantEntry::Entered);
        }
        let entry = participant.enter(who, is_reading);
        if entry != ParticipantEntry::Entered {
            return Some(entry);
        }
        let generation = participant.generation();
        match known {
            Some(place) => {
                (place.is_inside, place.is_reading) = (true, is_reading);
                if place.generation != generation {
                    return None;
                }
            }
            None => self.0.push(EnteredParticipant {
                address,
                visit,
                generation,
                is_inside: true,
                is_reading,
                is_guest: false,
            }),
        }
        Some(ParticipantEntry::Entered)
    }

    /// Whether the transaction has a place there: then the actor does not end.
    pub(super) fn is_inside(&self, participant: &dyn Participant) -> bool {
        let address = participant.address();
        self.0.iter().any(|place| place.is_inside && place.address == address)
    }

    /// Gives all places back. `done` visits have been handled, and leave a guest behind if they may
    /// have changed something.
    pub(super) fn leave(&mut self, who: u64, visits: &[Box<dyn Visiting>], done: usize) {
        for place in self.0.iter_mut().filter(|place| place.is_inside) {
            place.is_inside = false;
            place.is_guest |= !place.is_reading && place.visit < done;
            visits[place.visit].participant().leave(who, place.is_reading, place.is_guest);
        }
    }

    /// The round is over.
    pub(super) fn give_up(&mut self, who: u64, visits: &[Box<dyn Visiting>]) {
        for place in self.0.drain(..) {
            let participant = visits[place.visit].participant();
            if place.is_inside {
                participant.leave(who, place.is_reading, false);
            }
            if place.is_guest {
                participant.leave_as_guest(who);
            }
        }
    }
}
