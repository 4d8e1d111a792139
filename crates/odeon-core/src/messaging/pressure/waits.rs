//! Who waits for whom, so that nobody is held back by one that waits for it.
//!
//! A [`WaitNode`] is what goes on or waits as a whole: an actor of the pool, or a pinned or
//! dedicated stage. It waits for another
//! * while it is held back by it, or waits for its relief, or a place in a bounded mailbox, in
//!   `send_async`;
//! * while it awaits an answer from it: an asynchronous handler, or a dedicated actor that blocks.
//!
//! The [`Congestion`] of a theater is a node too: it waits for whatever an actor with lanes is held
//! back by.
//!
//! An actor of a pinned stage is a node besides its stage: while its handler waits for an answer or
//! a place, the stage goes on, also with messages that relieve it; but who waits for an answer or a
//! place of that very actor waits on. While the stage waits, all its actors do.
//!
//! Of a circle nobody would ever go on: actors that all have too much waiting and send to each
//! other, or a receiver that awaits an answer from a sender it holds back. Therefore whoever is
//! about to wait enters that first and then looks for a circle; if there is one, all in it that are
//! held back go on, and have more waiting than the limit. (Pony has actors that are under pressure
//! themselves go on. Then a flooded pipeline grows without bound at its slowest stage.)
//!
//! PROTOCOL: enter, then look, each under the locks of single nodes. Of those that close a circle
//! the last to enter sees all the others. A sender that is held back looks only when the receiver
//! can let it go, so it is let go by whoever sees the circle, itself or another.
//!
//! Not seen: who holds a [`Reply`](crate::Reply) that was passed on, and what a handler awaits
//! besides answers and relief.

use std::collections::HashSet;
use std::ptr;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::congestion::Congestion;
use crate::messaging::bounded::Gate;
use crate::process::cell::Header;
use crate::process::current;
use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::waiters::Waiters;
use crate::scheduler::pinned::PinnedShared;

/// TUNE: a search that comes to more nodes than this counts as a circle: to be let go too early
/// costs memory, to be let go never costs everything.
const SEARCH_LIMIT: usize = 1_000;

/// What goes on or waits as a whole.
#[derive(Clone)]
pub(crate) enum WaitNode {
    Actor(ErasedWeakRef),
    Stage(Arc<PinnedShared>),
    Congestion(Arc<Congestion>),
}

impl WaitNode {
    /// The node that an actor belongs to.
    pub(crate) fn of(actor: &Header) -> Self {
        match actor.pinned() {
            Some(stage) => Self::Stage(stage.to_arc()),
            None => Self::Actor(ErasedWeakRef::new(actor)),
        }
    }

    /// The node that is to handle a message of the actor, be it to answer or to make room in a
    /// bounded mailbox.
    pub(super) fn of_handler(actor: &Header) -> Self {
        match actor.pinned() {
            Some(stage) if stage.is_dedicated() => Self::Stage(stage.to_arc()),
            _ => Self::Actor(ErasedWeakRef::new(actor)),
        }
    }

    /// Whose standing still is this one's as well: an actor's stage, and whom it works for, who
    /// counts as waiting in its place.
    fn stands_with(&self) -> Option<Self> {
        let Self::Actor(actor) = self else { return None };
        if let Some(stage) = actor.header().pinned() {
            return Some(Self::Stage(stage.to_arc()));
        }
        actor.header().relations.get()?.works_for().map(Self::Actor)
    }

    /// Whether it waits for nobody, or has ended.
    fn goes_on(&self) -> bool {
        self.waits().is_none_or(|waits| waits.lock().is_empty())
    }

    /// The node whose code this thread is running, if it stands still while that code waits: of a
    /// pinned stage only the actor whose handler it is, since the stage turns to its other
    /// messages.
    pub(super) fn here() -> Option<Self> {
        let here = current::here();
        if let Some(actor) = ptr::NonNull::new(here.actor.get()) {
            // SAFETY: set by this thread for the length of the turn, which keeps the cell.
            return Some(Self::Actor(ErasedWeakRef::new(unsafe { actor.as_ref() })));
        }
        // SAFETY: set by this very thread for as long as its stage lives; null on threads of no
        // stage.
        let stage = unsafe { here.home.get().as_pinned()?.as_ref() }?;
        if stage.is_dedicated() {
            return Some(Self::Stage(stage.to_arc()));
        }
        // SAFETY: set by this thread while it runs the actor, which keeps the cell.
        unsafe { here.pinned_handler.get().as_ref() }
            .map(|actor| Self::Actor(ErasedWeakRef::new(actor)))
    }

    fn is(&self, other: &Self) -> bool {
        self.waiters().zip(other.waiters()).is_some_and(|(one, other)| ptr::eq(one, other))
    }

    pub(super) fn is_pressed(&self) -> bool {
        match self {
            Self::Actor(actor) => super::is_pressed(actor.header()),
            Self::Stage(stage) => stage.is_pressed(),
            Self::Congestion(congestion) => congestion.is_pressed(),
        }
    }

    /// Those that wait for it; `None` if it has ended.
    pub(crate) fn waiters(&self) -> Option<&Waiters> {
        match self {
            Self::Actor(actor) => actor.relations().ok().map(|relations| &relations.waiters),
            Self::Stage(stage) => Some(stage.waiters()),
            Self::Congestion(congestion) => Some(congestion.waiters()),
        }
    }

    /// What it waits for itself; `None` if it has ended.
    fn waits(&self) -> Option<&Waits> {
        let attachments = match self {
            Self::Actor(actor) => &actor.relations().ok()?.attachments,
            Self::Stage(stage) => stage.attachments(),
            Self::Congestion(congestion) => return Some(congestion.waits()),
        };
        Some(attachments.get_or_attach(Waits::default))
    }
}

/// What one node waits for.
#[derive(Default)]
pub(crate) struct Waits(Mutex<Vec<WaitEdge>>);

struct WaitEdge {
    entry: u64,
    whom: WaitNode,
    what: WaitReason,
}

impl WaitEdge {
    fn whom_and_what(&self) -> (WaitNode, WaitReason) {
        (self.whom.clone(), self.what.clone())
    }
}

/// What somebody waits for.
#[derive(Clone)]
pub(crate) enum WaitReason {
    /// That the other has less waiting.
    Relief,
    /// A place in one of the other's bounded mailboxes.
    Place(Gate),
    Answer,
}

/// Somebody who is waited for, by whom, and what the one can let the other go by.
struct Holder {
    held: *const Waiters,
    node: WaitNode,
    what: WaitReason,
}

impl Holder {
    fn of(held: &Waiters, node: WaitNode, what: WaitReason) -> Self {
        Self { held, node, what }
    }

    fn leads_to(&self, nodes: &HashSet<*const Waiters>) -> bool {
        self.node.waiters().is_some_and(|waiters| nodes.contains(&ptr::from_ref(waiters)))
    }

    fn let_go(&self) {
        match &self.what {
            WaitReason::Relief => {
                if let Some(waiters) = self.node.waiters() {
                    waiters.release();
                }
            }
            WaitReason::Place(gate) => gate.let_go(),
            WaitReason::Answer => {}
        }
    }
}

impl Waits {
    fn lock(&self) -> MutexGuard<'_, Vec<WaitEdge>> {
        self.0.lock().expect("no panic happens under the lock of waits")
    }
}

/// An entry that somebody waits for somebody; dropped, it is taken out.
pub(crate) struct WaitEntry {
    who: WaitNode,
    entry: u64,
}

impl WaitEntry {
    /// Enters that `who` waits for `whom`; `None` if `who` has ended.
    pub(crate) fn enter(who: WaitNode, whom: WaitNode, what: WaitReason) -> Option<Self> {
        let mut waits = who.waits()?.lock();
        let entry = waits.last().map_or(0, |last| last.entry + 1);
        waits.push(WaitEdge { entry, whom, what });
        drop(waits);
        Some(Self { who, entry })
    }
}

impl Drop for WaitEntry {
    fn drop(&mut self) {
        let Some(waits) = self.who.waits() else { return };
        let mut waits = waits.lock();
        let place = waits.iter().position(|wait| wait.entry == self.entry);
        let wait = place.map(|place| waits.remove(place));
        // In this order: what is dropped may be the last reference to a cell.
        drop(waits);
        drop(wait);
    }
}

/// Looks whether `whom` waits for `who`, who has just entered that it waits for `whom`, directly or
/// through others. All that are held back in such circles are let go then, `who` among them: one
/// that waits for several may be in several, and goes on only when it gets what it waits for in
/// each.
pub(crate) fn open_circles(who: &WaitNode, whom: &WaitNode, what: WaitReason) {
    let (Some(myself), Some(other)) = (who.waiters(), whom.waiters()) else { return };
    let goes_on = |with: WaitNode| with.goes_on() && !with.is(who);
    if !ptr::eq(myself, other) && whom.goes_on() && whom.stands_with().is_none_or(goes_on) {
        // By far the most: a receiver that waits for nobody.
        return;
    }
    let mut seen = HashSet::from([ptr::from_ref(myself)]);
    let mut next = vec![whom.clone()];
    let mut holders = vec![Holder::of(myself, whom.clone(), what)];
    while let Some(node) = next.pop() {
        let (Some(waiters), Some(waits)) = (node.waiters(), node.waits()) else { continue };
        if !seen.insert(ptr::from_ref(waiters)) {
            continue;
        }
        if seen.len() > SEARCH_LIMIT {
            return holders.iter().for_each(Holder::let_go);
        }
        // Who stands still with others is not let go by them.
        let with = node.stands_with().map(|with| (with, WaitReason::Answer));
        let waits = waits.lock().iter().map(WaitEdge::whom_and_what).collect::<Vec<_>>();
        for (whom, what) in with.into_iter().chain(waits) {
            next.push(whom.clone());
            holders.push(Holder::of(waiters, whom, what));
        }
    }
    let mut in_circles = HashSet::from([ptr::from_ref(myself)]);
    let mut before = 0;
    while in_circles.len() > before {
        before = in_circles.len();
        let leading = holders.iter().filter(|holder| holder.leads_to(&in_circles));
        let more: Vec<_> = leading.map(|holder| holder.held).collect();
        in_circles.extend(more);
    }
    holders.iter().filter(|holder| holder.leads_to(&in_circles)).for_each(Holder::let_go);
}

/// A question, until it is answered or given up.
pub(crate) struct Question {
    asked: WaitNode,
    waiting: Option<WaitEntry>,
}

impl Question {
    /// Remembers whom a question goes to, if whoever asks it may be waited for in turn.
    pub(crate) fn asked_of(actor: &Header) -> Option<Self> {
        let here = current::here();
        let asks_as_actor = !here.actor.get().is_null()
            || here.home.get().as_pinned().is_some_and(|stage| !stage.is_null());
        asks_as_actor.then(|| Self { asked: WaitNode::of_handler(actor), waiting: None })
    }

    /// The answer is not there, and whoever asks does nothing more until it is. Answers whether
    /// that is for ever, because it asks itself.
    #[cold]
    pub(crate) fn waits(&mut self) -> bool {
        if self.waiting.is_some() {
            return false;
        }
        let Some(asker) = WaitNode::here() else { return false };
        self.waiting = WaitEntry::enter(asker.clone(), self.asked.clone(), WaitReason::Answer);
        open_circles(&asker, &self.asked, WaitReason::Answer);
        asker.is(&self.asked)
    }
}
