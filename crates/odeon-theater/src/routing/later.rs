//! What another theater is to be told behind all that has been pushed before, on whatever channel.
//!
//! A channel may be held up, by a large message or a slow receiver, while others go on. But once
//! all that was pushed before is in bodies that have been sent, what is pushed later is delivered
//! later.
//!
//! An end is also told without waiting for channels that are held up: those who wait for it may be
//! those by whom they are. It is told behind them once more, as what is held up may bring the first
//! reference.

use std::collections::{HashSet, VecDeque};

use crate::routing::channel::Channel;
use crate::routing::control::Control;
use crate::{Link, Place};

/// See the module.
#[derive(Default)]
pub(crate) struct Later {
    waiting: VecDeque<(Control, Place)>,
    /// Ends that have not been told at all.
    urgent: VecDeque<(Control, Place)>,
    /// Actors of which the end is among those that wait.
    ended: HashSet<u64>,
}

impl Later {
    /// Has something told behind all that has been pushed on this link.
    pub(crate) fn add(&mut self, control: Control, link: &Link) {
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
    pub(crate) fn tell(&mut self, link: &mut Link) -> bool {
        // All are looked at before any is pushed: then none of them is before another one, and they
        // go together.
        let mut free = 0;
        while let Some((_, place)) = self.waiting.get_mut(free) {
            if link.is_anything_before(place) {
                break;
            }
            free += 1;
        }
        let mut is_any = free > 0;
        for (control, _) in self.waiting.drain(..free) {
            if let Control::Ended { actor, .. } = control {
                self.ended.remove(&actor);
                self.urgent.retain(|(waiting, _)| *waiting != control);
            }
            push(link, &control);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::{Epoch, Event, LinkConfig, Sink, TheaterId};

    struct Ignored;

    impl Sink for Ignored {
        fn message(&mut self, _: u64, _: &[u8]) {}
        fn event(&mut self, _: Event) {}
    }

    /// Two ends that know each other.
    fn linked() -> [Link; 2] {
        let id = |number| TheaterId::from_bits(number);
        let config = || LinkConfig::new("test", 65_000);
        let link = |me, peer| Link::new(config(), id(me), id(peer), Epoch::FIRST, Duration::ZERO);
        let mut ends = [link(1, 2), link(2, 1)];
        let mut packet = Vec::new();
        while !ends.iter().all(Link::is_linked) {
            for from in [0, 1] {
                while ends[from].poll(Duration::ZERO, &mut packet, &mut Ignored) {
                    ends[1 - from].receive(&packet, Duration::ZERO, &mut Ignored).unwrap();
                }
            }
        }
        ends
    }

    fn bodies(link: &mut Link) -> usize {
        let mut packet = Vec::new();
        let mut sent = 0;
        while link.poll(Duration::ZERO, &mut packet, &mut Ignored) {
            sent += 1;
        }
        sent
    }

    #[test]
    fn what_may_be_told_goes_in_one_packet() {
        let [mut link, _other] = linked();
        let mut later = Later::default();
        for actor in 0..100 {
            later.add(Control::Released { actor, references: 1 }, &link);
        }
        assert!(later.tell(&mut link));
        assert_eq!((bodies(&mut link), later.tell(&mut link)), (1, false));
    }

    #[test]
    fn what_was_pushed_before_goes_before() {
        let [mut link, _other] = linked();
        let mut later = Later::default();
        link.push(Channel::Actor(1).number(), b"before").unwrap();
        later.add(Control::Released { actor: 1, references: 1 }, &link);
        assert!(!later.tell(&mut link));
        assert_eq!(bodies(&mut link), 1);
        assert!(later.tell(&mut link));
        assert_eq!(bodies(&mut link), 1);
    }
}
