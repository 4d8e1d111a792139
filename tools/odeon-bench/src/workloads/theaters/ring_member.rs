//! A member of a ring, on one theater or on several.

use crate::theater::Post;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_theater::{Mobile, Network};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const KIND: &str = "ring member";
pub(super) const MOBILE_KIND: &str = "mobile ring member";

#[derive(Message, Serialize, Deserialize)]
pub(super) enum RingStep {
    /// Who comes next.
    Link(ActorRef<RingStep>),
    /// The token, with the hops that are left.
    Token(u64),
    /// How often has it been here?
    Seen(Reply<u64>),
}

/// What a member is made of.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Membership {
    /// The ring's number.
    pub(super) ring: u64,
    /// Whom to tell that the token has come to its end.
    pub(super) umpire: ActorRef<Ended>,
}

/// The token of this ring has no hops left.
#[derive(Message, Serialize, Deserialize)]
pub(super) struct Ended(pub(super) u64);

#[derive(Serialize, Deserialize)]
pub(super) struct RingMember {
    membership: Membership,
    next: Option<ActorRef<RingStep>>,
    seen: u64,
}

impl RingMember {
    pub(super) fn new(membership: Membership) -> Self {
        Self { membership, next: None, seen: 0 }
    }
}

impl Actor for RingMember {
    type Msg = RingStep;

    fn handle(&mut self, step: RingStep, _: &mut Context<'_, Self>) {
        match (step, &self.next) {
            (RingStep::Link(next), _) => self.next = Some(next),
            (RingStep::Token(0), _) => {
                self.seen += 1;
                self.membership.umpire.post(Ended(self.membership.ring));
            }
            (RingStep::Token(left), Some(next)) => {
                self.seen += 1;
                next.post(RingStep::Token(left - 1));
            }
            // It shows: the ring never ends.
            (RingStep::Token(_), None) => {}
            (RingStep::Seen(reply), _) => reply.send(self.seen),
        }
    }
}

impl Mobile for RingMember {
    const KIND: &'static str = KIND;
}

/// Arrives once for each of its rings.
pub(super) struct Umpire {
    ended: Vec<bool>,
    finish: Finish,
}

impl Umpire {
    pub(super) fn new(rings: usize, finish: Finish) -> Self {
        Self { ended: vec![false; rings], finish }
    }
}

impl Actor for Umpire {
    type Msg = Ended;

    fn handle(&mut self, Ended(ring): Ended, _: &mut Context<'_, Self>) {
        let known = usize::try_from(ring).ok().and_then(|ring| self.ended.get_mut(ring));
        let is_first = known.is_some_and(|ended| !std::mem::replace(ended, true));
        self.finish.arrive_if(is_first, || format!("ring {ring} ended twice, or is none"));
    }
}

pub(super) fn register(network: &Network, theater: &Arc<Theater>) {
    let theater = theater.clone();
    network.register(KIND, move |membership| theater.spawn(RingMember::new(membership)));
    network.register_mobile_by(MOBILE_KIND, RingMember::new);
}
