//! A name server: what it knows, and what it is told.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::{Actor, ActorRef, Clock, Context};
use odeon_sync::Mutex;

use super::asking::Request;
use super::deciding::Giving;
use super::doubting::Inquiry;
use super::entry::{Entry, Id};
use super::following::Moved;
use super::home::Own;
use super::orphans::Orphan;
use super::peers::{Ears, Peer, Search};
use super::registration::NameEvent;
use super::settings::NameSettings;
use super::tell::Tell;
use super::view::View;
use super::waiting::Waiting;
use crate::TheaterId;
use crate::network::WeakNetwork;

/// The name server of one theater. Its parts are in the files beside it: `peers.rs`, `deciding.rs`,
/// `doubting.rs`, `home.rs`, `following.rs`, `asking.rs`.
pub(super) struct Server {
    pub(super) me: TheaterId,
    pub(super) network: WeakNetwork,
    pub(super) settings: NameSettings,
    pub(super) clock: Arc<dyn Clock>,
    /// The servers in sight, for others to look at.
    pub(super) servers: Arc<Mutex<Vec<TheaterId>>>,

    pub(super) view: View,
    pub(super) peers: BTreeMap<TheaterId, Peer>,
    pub(super) search: Search,

    /// The names that this is a server of.
    pub(super) held: HashMap<String, Entry>,
    /// The greatest stamp that has been seen.
    pub(super) stamp: u64,
    /// The names that are being given away by this server.
    pub(super) giving: BTreeMap<String, Giving>,
    /// Questions that cannot be answered yet.
    pub(super) waiting: BTreeMap<String, Vec<Waiting>>,
    /// Whether it will be looked at which of them have waited for too long.
    pub(super) looks_at_waiting: bool,
    /// The registrations of which it is asked, for such questions, whether they are in force.
    pub(super) in_doubt: HashSet<Id>,
    pub(super) inquiries: HashMap<u64, Inquiry>,

    /// The registrations and claims that are at home here.
    pub(super) own: HashMap<Id, Own>,
    /// The registrations that were at home here: where they went; or were to be.
    pub(super) moved: HashMap<Id, Moved>,
    /// Whether it will be looked at which of these are to be forgotten.
    pub(super) looks_at_moved: bool,
    /// The registrations of actors that are looked for.
    pub(super) orphans: HashMap<Id, Orphan>,
    /// Whether it will be looked at which registrations are to be confirmed.
    pub(super) confirms: bool,
    /// The questions of this theater.
    pub(super) requests: HashMap<u64, Request>,
    /// The last number of a registration, request, inquiry, or round.
    pub(super) last: u64,
    pub(super) subscribers: Vec<ActorRef<NameEvent>>,
}

impl Server {
    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(super) fn next(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Tells subscribers that a name is lost to an actor of another theater.
    pub(super) fn announce_loss(&mut self, name: &str, to: TheaterId) {
        let event = || NameEvent::Lost { name: name.into(), to };
        self.subscribers.retain(|subscriber| send_unhindered(subscriber, event()).is_ok());
    }
}

impl Actor for Server {
    type Msg = Tell;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        let ears = ctx.spawn(Ears(ctx.actor_ref()));
        if let Some(network) = self.network.upgrade() {
            network.subscribe(&ears);
        }
    }

    fn handle(&mut self, tell: Tell, ctx: &mut Context<'_, Self>) {
        if !tell.is_credible() {
            // Whoever waits for an answer has none.
            return;
        }
        match tell {
            Tell::Meet { from, server, replicas } => self.met(from, server, replicas, ctx),
            Tell::Have(entries) => {
                entries.into_iter().for_each(|entry| self.take_over(entry, ctx));
            }
            Tell::HandedOver { from } => self.has_handed_over(from, ctx),
            Tell::Ask(question) => self.asked(Waiting::new(question), ctx),
            Tell::Store { entry, ranked, is_new, reply } => {
                self.store(entry, &ranked, is_new, reply, ctx);
            }
            Tell::Forget { name, id, moves } => self.forget(&name, id, moves, ctx),
            Tell::Holds { id, home, reply } => self.says_whether_it_holds(id, home, reply),
            Tell::Challenge { loser, winner } => self.challenged(loser, winner, ctx),
            Tell::Register { actor, name, by, reply } => {
                self.register_exported(actor, name, by, reply, ctx);
            }
            Tell::Release { id, reply } => self.released(id, reply, ctx),
            Tell::Lost { name, to } => self.announce_loss(&name, to),
            Tell::Adopt { entry, actor, by, from, reply } => {
                self.adopt(entry, actor, by, from, reply, ctx);
            }
            Tell::Bring(brought) => self.brought(brought, ctx),
            Tell::Then(step) => (step.0)(self, ctx),
        }
    }

    fn stopped(&mut self) {
        let network = self.network.upgrade();
        for own in self.own.drain().map(|(_, own)| own) {
            own.let_go(network.as_ref());
        }
    }
}
