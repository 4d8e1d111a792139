//! What another theater is to be told behind all that has been pushed before, on whatever channel.
//!
//! A channel may be held up, by a large message or a slow receiver, while others go on. But once all that was pushed before is in bodies that have been
//! sent, what is pushed later is delivered later.
//!
//! An end is also told without waiting for channels that are held up: those who wait for it may be those by whom they are. It is told behind them once
//! more, as what is held up may bring the first reference.

use std::collections::{HashSet, VecDeque};

use super::channel::Channel;
use super::control::Control;
use crate::{Link, Place};

/// See the module.
#[derive(Default)]
pub(super) struct Later {
    waiting: VecDeque<(Control, Place)>,
    /// Ends that have not been told at all.
    urgent: VecDeque<(Control, Place)>,
    /// Actors of which the end is among those that wait.
    ended: HashSet<u64>,
}

impl Later {
    /// Has something told behind all that has been pushed on this link.
    pub(super) fn add(&mut self, control: Control, link: &Link) {
        let place = link.place();
        if let Control::Ended { actor, .. } = control {
            if !self.ended.insert(actor) {
                // What has been pushed since goes before it too.
                self.waiting.retain(|(waiting, _)| *waiting != control);
                self.urgent.retain(|(waiting, _)| *waiting != control);
            }
            self.urgent.push_back((control.clone(), place));
        }
        self.waiting.push_back((control, place));
    }

    /// Pushes what can be told. `false`: nothing.
    pub(super) fn tell(&mut self, link: &mut Link) -> bool {
        let mut is_any = false;
        while let Some((_, place)) = self.waiting.front_mut() {
            if link.is_anything_before(place) {
                break;
            }
            let Some((control, _)) = self.waiting.pop_front() else { break };
            if let Control::Ended { actor, .. } = control {
                self.ended.remove(&actor);
                self.urgent.retain(|(waiting, _)| *waiting != control);
            }
            push(link, &control);
            is_any = true;
        }
        while let Some((_, place)) = self.urgent.front() {
            if link.is_anything_flowing_before(place) {
                break;
            }
            let Some((control, _)) = self.urgent.pop_front() else { break };
            push(link, &control);
            is_any = true;
        }
        is_any
    }
}

fn push(link: &mut Link, control: &Control) {
    // A link that has ended tells nobody anything.
    let _ = link.push(Channel::Control.number(), &control.to_bytes());
}
