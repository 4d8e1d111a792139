//! A speculative actor in its seat, and what a theater needs to take one in.

use std::any::TypeId;
use std::marker::PhantomData;
use std::sync::Arc;

use odeon_core::extend::{Companion, Interior};
use odeon_core::wire::{
    Arriving, Guest, Kind, Layouts, OfKind, Passage, ReadState, Seat, Settler, Slot, WireError,
    decode_whole, encode, references_to,
};
use odeon_core::{ActorRef, Context, Message};
use odeon_speculative::extend::{Occupant, Surroundings, WrittenProcessing};
use odeon_speculative::{Ordering, Processing, TxResult};
use odeon_stm::{Tx, try_atomically};
use odeon_sync::contained::{drop_quietly, quietly};

use super::MobileSpeculative;

/// See the module.
pub(super) struct Inside<A: MobileSpeculative> {
    occupant: Occupant<A>,
    surroundings: Surroundings,
}

impl<A: MobileSpeculative> Inside<A> {
    #[track_caller]
    pub(super) fn new(actor: A, processing: Processing, surroundings: Surroundings) -> Self {
        Self { occupant: Occupant::new(actor, processing, surroundings.clone()), surroundings }
    }
}

impl<A: MobileSpeculative> OfKind for Inside<A> {
    const KIND: Option<&'static str> = Some(A::KIND);
}

type In<'a, A> = Context<'a, Seat<<A as odeon_speculative::SpeculativeActor>::Msg>>;

impl<A: MobileSpeculative> Guest<A::Msg> for Inside<A> {
    fn handle(&mut self, message: A::Msg, ctx: &mut In<'_, A>) {
        self.take(Slot { mailbox: ctx.mailbox(), sender: None }, message, ctx);
    }

    fn take(&mut self, slot: Slot, message: A::Msg, ctx: &mut In<'_, A>) {
        self.occupant.take(message, slot.lane::<A::Msg>(), ctx);
    }

    fn take_with(
        &mut self,
        slot: Slot,
        message: A::Msg,
        companion: Companion,
        ctx: &mut In<'_, A>,
    ) {
        self.occupant.take_with(message, slot.lane::<A::Msg>(), companion, ctx);
    }

    fn started(&mut self, ctx: &mut In<'_, A>) {
        self.occupant.started(ctx);
    }

    fn arrived(&mut self, _: &mut Interior<'_, A::Msg>) -> bool {
        false
    }

    fn stopped(&mut self) {
        self.occupant.stopped();
    }

    fn go_on(&mut self, ctx: &mut In<'_, A>) -> bool {
        self.occupant.go_on(ctx)
    }

    fn deferred(&self) -> usize {
        self.occupant.deferred()
    }

    fn pressing(&self) -> usize {
        self.occupant.pressing()
    }

    fn may_end(&mut self) -> bool {
        self.occupant.may_end()
    }

    fn give_back(&mut self, take: &mut dyn FnMut(A::Msg)) {
        self.occupant.give_back(take);
    }

    fn may_leave(&mut self, me: &dyn Fn() -> ActorRef<A::Msg>) -> bool {
        self.occupant.may_leave(me)
    }

    fn stays(&mut self) {
        self.occupant.stays();
    }

    fn hand_over(&mut self, take: &mut dyn FnMut(Slot, A::Msg)) {
        self.occupant.hand_over(&mut |message, mailbox, lane| {
            let sender = lane.map(|lane| lane.of_its_sender());
            take(Slot { mailbox, sender }, message);
        });
    }

    fn kind(&self) -> &'static str {
        A::KIND
    }

    fn version(&self) -> u32 {
        A::VERSION
    }

    fn layouts(&self) -> Layouts {
        Layouts::of::<A::State, A::Msg>()
    }

    fn read_again(&self) -> ReadState {
        let surroundings = self.surroundings.clone();
        Arc::new(move |passage, bytes| read::<A>(passage, bytes, &surroundings))
    }

    fn write(&self, passage: &dyn Passage, bytes: &mut Vec<u8>) -> Result<(), WireError> {
        let actor = self.occupant.state();
        // Nothing else is at the variables of an actor that may leave, but readers.
        let state = match users_code(|| try_atomically(|tx| state_now(&*actor, tx)))? {
            Ok(Some(state)) => state,
            Ok(None) => return Err(WireError::Format("its state waits for a change".into())),
            Err(why) => {
                let text = users_code(|| why.to_string());
                drop_quietly(why);
                return Err(WireError::Format(text?));
            }
        };
        let processing = numbers(self.occupant.processing().written());
        let written = encode(passage, &(processing, &state), bytes);
        // It has been written, or it has not: what its destructor has to say changes nothing.
        drop_quietly(state);
        written
    }
}

/// `None`: it asks for another moment, and the thread of a seat waits for none.
fn state_now<'t, A: MobileSpeculative>(
    actor: &'t A,
    tx: &mut Tx<'t>,
) -> TxResult<Option<A::State>> {
    tx.or_else(|tx| actor.state(tx).map(Some), |_| Ok(None))
}

fn users_code<R>(work: impl FnOnce() -> R) -> Result<R, WireError> {
    quietly(work).ok_or(WireError::Panicked)
}

/// A [`WrittenProcessing`] as it travels.
type Numbers = (u8, u64, u8, bool);

fn numbers(written: WrittenProcessing) -> Numbers {
    (written.mode, written.width, written.ordering, written.blocks)
}

fn read<A: MobileSpeculative>(
    passage: &dyn Passage,
    bytes: &[u8],
    surroundings: &Surroundings,
) -> Result<Settler, WireError> {
    let (numbers, state): (Numbers, A::State) = decode_whole(passage, bytes)?;
    let (mode, width, ordering, blocks) = numbers;
    let written = WrittenProcessing { mode, width, ordering, blocks };
    let mut processing = Processing::read(written, A::policy);
    if A::Msg::MAILBOXES > 1 && written.ordering == 2 {
        // Nobody who means well has written that.
        processing = processing.ordering(Ordering::PerSender);
    }
    let actor = users_code(|| A::of(state))?;
    // A policy of its own is made here.
    let inside = users_code(|| Inside::new(actor, processing, surroundings.clone()))?;
    Ok(Settler::of::<A::Msg>(Box::new(inside)))
}

/// The kind of speculative actors of a type, in a theater.
pub(super) struct KindOf<A> {
    surroundings: Surroundings,
    actors: PhantomData<fn(A)>,
    messages: Box<dyn Arriving + Send + Sync>,
}

impl<A: MobileSpeculative> KindOf<A> {
    pub(super) fn new(surroundings: Surroundings) -> Self {
        let messages = Box::new(references_to::<A::Msg>());
        Self { surroundings, actors: PhantomData, messages }
    }
}

impl<A: MobileSpeculative> Kind for KindOf<A> {
    fn name(&self) -> &'static str {
        A::KIND
    }

    fn version(&self) -> u32 {
        A::VERSION
    }

    fn layouts(&self) -> Layouts {
        Layouts::of::<A::State, A::Msg>()
    }

    fn has_lanes(&self) -> bool {
        true
    }

    fn arriving(&self) -> &dyn Arriving {
        &*self.messages
    }

    fn message_type(&self) -> TypeId {
        TypeId::of::<A::Msg>()
    }

    fn read(&self, passage: &dyn Passage, bytes: &[u8]) -> Result<Settler, WireError> {
        read::<A>(passage, bytes, &self.surroundings)
    }
}
