//! What becomes of references and replies in messages to and from one other theater.

use std::any::Any;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

use odeon_core::extend::Submit;
use odeon_core::wire::{
    Address, AnswerRoute, Answerable, Arriving, Encode, Leaving, Passage, Reference, WireError,
};

use crate::TheaterId;
use crate::network::inner::Inner;
use crate::network::outbound::FromSeat;
use crate::network::references::left::Left;
use crate::network::references::seats::Leads;
use crate::routing::channel::{Channel, NUMBERS};
use crate::routing::control::Control;
use crate::routing::peer::Peer;
use crate::routing::way::To;

/// Between this theater and another one, while one value is written or read.
pub(in crate::network) struct Between<'a> {
    network: &'a Arc<Inner>,
    peer: &'a Arc<Peer>,
    left: RefCell<Vec<Left>>,
}

impl<'a> Between<'a> {
    pub(in crate::network) fn new(network: &'a Arc<Inner>, peer: &'a Arc<Peer>) -> Self {
        Self { network, peer, left: RefCell::default() }
    }

    pub(in crate::network) fn network(&self) -> &'a Arc<Inner> {
        self.network
    }

    pub(in crate::network) fn peer(&self) -> &'a Arc<Peer> {
        self.peer
    }

    /// The value has been written, and has been pushed.
    pub(in crate::network) fn done(self) {
        for left in self.left.into_inner() {
            match left {
                Left::Grant(at, grant) => self.network.has_granted(at, self.peer, grant),
                // Those who hold references were told before this one left.
                Left::Reference(actor) => self.network.tell_if_ended(actor, self.peer),
                Left::Question(_) => {}
            }
        }
    }

    /// The value could not be written: nothing leaves.
    pub(in crate::network) fn undo(self) {
        self.network.undo(self.peer, &self.left.into_inner());
    }

    /// What leaves with the value.
    pub(in crate::network) fn left(&self) -> Vec<Left> {
        self.left.borrow().clone()
    }
}

impl Inner {
    /// What was to leave for a theater has not, or has not been read there.
    pub(in crate::network) fn undo(self: &Arc<Self>, to: &Arc<Peer>, left: &[Left]) {
        for left in left {
            match *left {
                Left::Reference(actor) => drop(self.exports.released(actor, to.id, 1)),
                Left::Question(number) => drop(self.questions.take(number, to.id)),
                Left::Grant(at, grant) => self.revokes(at, grant),
            }
        }
    }
}

impl Passage for Between<'_> {
    fn actor_leaves(&self, actor: &Leaving<'_>) -> Result<Reference, WireError> {
        let (network, to) = (self.network, self.peer.id);
        if !network.is_of_this_theater(actor.stage) {
            return Err(WireError::Refused("an actor of another theater of this process"));
        }
        if let Some(native) = actor.native.as_ref().filter(|_| network.has_natives()) {
            network.introduces(native);
        }
        let grant = |at: Address| {
            if at.theater == to.bits() {
                return 0;
            }
            let grant = network.grants(at, self.peer);
            self.left.borrow_mut().push(Left::Grant(at, grant));
            grant
        };
        if let Some(Leads::To(reference)) = network.seats.leads_by(actor.actor, grant) {
            return Ok(reference);
        }
        if let Some(inbound) = network.exports.leaves(actor, to) {
            network.tell_of_the_end_of(&*inbound);
        }
        self.left.borrow_mut().push(Left::Reference(actor.actor));
        let at = Address { theater: network.id.bits(), actor: actor.actor };
        let born = network.seats.who(actor.actor).filter(|who| *who != at);
        Ok(Reference { at, born, has_lanes: actor.has_lanes, grant: 0 })
    }

    fn actor_arrives(
        &self,
        reference: Reference,
        arriving: &dyn Arriving,
    ) -> Result<Box<dyn Any + Send + Sync>, WireError> {
        let network = self.network;
        let at = reference.at;
        if at.actor >= NUMBERS {
            return Err(WireError::Refused("there is no such actor"));
        }
        if at.theater == network.id.bits() {
            // Nobody elsewhere refers to a seat that its sender has just left for where the actor
            // has moved.
            let by_name = || network.seats.reference(reference.born.unwrap_or(at), arriving);
            let here = network.exports.reference(at.actor, arriving);
            return here.or_else(|gone| by_name().ok_or(gone));
        }
        let stage = network.stage()?;
        let peer = network.peers.get_or_meet(TheaterId::from_bits(at.theater));
        let peer = peer.ok_or(WireError::Refused("the theater leaves"))?;
        // If they have just met, they greet.
        peer.transmit(network);
        network.takes(&peer, at.actor, self.peer.id, reference.grant);
        let to = To { peer, seat: at.actor };
        let (arrived, counts) =
            network.seats.arrives(reference, arriving, &stage, to.clone(), |way, is_first| {
                FromSeat::new(network, way, is_first)
            });
        if !counts {
            // Messages go elsewhere: the actor has moved, and one of the two theaters has not heard
            // of it yet.
            network.give_back(&to, 1);
        }
        arrived
    }

    fn reply_leaves(
        &self,
        answer: Box<dyn Answerable>,
        from: Option<u128>,
    ) -> Result<u64, WireError> {
        let from = from.map(TheaterId::from_bits);
        let number = self.network.questions.leaves(answer, self.peer.id, from);
        self.left.borrow_mut().push(Left::Question(number));
        Ok(number)
    }

    fn reply_arrives(&self, number: u64) -> Result<Box<dyn AnswerRoute>, WireError> {
        if number >= NUMBERS {
            return Err(WireError::Refused("there is no such question"));
        }
        let network = Arc::downgrade(self.network);
        Ok(Box::new(Back { network, peer: self.peer.clone(), number }))
    }

    fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        self.network.stage()
    }
}

impl Inner {
    /// Where what comes from elsewhere is to live.
    pub(in crate::network) fn stage(&self) -> Result<Arc<dyn Submit>, WireError> {
        self.pool.upgrade().ok_or(WireError::Refused("the theater has ended"))
    }
}

/// The way back to the asker in another theater.
struct Back {
    network: Weak<Inner>,
    peer: Arc<Peer>,
    number: u64,
}

impl AnswerRoute for Back {
    fn answered(self: Box<Self>, encode: Option<Encode<'_>>) {
        let Self { network, peer, number } = *self;
        let Some(network) = network.upgrade() else { return };
        let mut bytes = Vec::new();
        let between = Between::new(&network, &peer);
        let is_written = encode.is_some_and(|encode| encode(&between, &mut bytes).is_ok());
        if is_written && peer.push(Channel::Answer(number), &bytes).is_ok() {
            between.done();
        } else {
            between.undo();
            let _ =
                peer.push(Channel::Control, &Control::Unanswered { question: number }.to_bytes());
        }
        peer.transmit(&network);
    }

    fn failed(self: Box<Self>, text: &str) {
        let Self { network, peer, number } = *self;
        let Some(network) = network.upgrade() else { return };
        for told in [Control::failed(number, text), Control::Unanswered { question: number }] {
            let _ = peer.push(Channel::Control, &told.to_bytes());
        }
        peer.transmit(&network);
    }

    fn theater(&self) -> Option<u128> {
        Some(self.peer.id.bits())
    }
}
