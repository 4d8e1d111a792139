//! Connections that come to nothing: a line for each; and for who only asks something, why nobody
//! was found.

use odeon_zenoh::{Complaint, hear_complaints};
use std::sync::mpsc::{Receiver, channel};

use super::running::say;

/// What was heard and has not been looked at.
pub(super) struct Complaints(Receiver<Complaint>);

impl Complaints {
    /// Hears them from here on.
    pub(super) fn hear() -> Self {
        let (tell, told) = channel();
        // Nobody else in this program hears what Zenoh tells. An error means that it ends.
        hear_complaints(move |complaint| _ = tell.send(complaint));
        Self(told)
    }

    /// Says each in a line, from a thread of its own: whoever tells of it must not wait for who
    /// reads the output.
    pub(super) fn say(self) {
        std::thread::spawn(move || {
            for complaint in self.0 {
                match complaint {
                    // It may be started later; who is gone is tried again and again.
                    Complaint::NobodyAt { .. } => {}
                    Complaint::NotLetInBy { .. } => say(&format!("not let in by {complaint}")),
                    complaint => say(&format!("refused {complaint}")),
                }
            }
        });
    }

    /// Why nobody was found, if something tells: rather that somebody is there who does not let
    /// this program in.
    pub(super) fn why(&self) -> Option<String> {
        let all: Vec<Complaint> = self.0.try_iter().collect();
        let rank = |complaint: &&Complaint| match complaint {
            Complaint::NotLetInBy { .. } => 2,
            Complaint::NobodyAt { .. } => 1,
            _ => 0,
        };
        all.iter().max_by_key(rank).map(ToString::to_string)
    }
}
