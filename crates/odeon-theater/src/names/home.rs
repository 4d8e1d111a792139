//! What the theater of an actor does for its names: it keeps the actor, has it registered, and knows whether it still is.

use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::wire::{Address, Erased};
use odeon_core::{Context, Reply, Watch};

use super::deciding::RETRY;
use super::doubting::InForce;
use super::entry::{Entry, Id, key};
use super::error::NameError;
use super::server::Server;
use super::tell::{Tell, Verdict, Wants};
use crate::{Network, TheaterId};

/// A registration of an actor of this theater, or a claim.
pub(super) struct Own {
    pub(super) entry: Entry,
    /// `None`: it is still to be spawned.
    pub(super) actor: Option<(Erased, Watch)>,
    /// The theater that has registered it.
    by: TheaterId,
    /// The servers know.
    pub(super) is_held: bool,
    /// It is being found out whether another registration goes before.
    is_contested: bool,
}

impl Own {
    pub(super) fn let_go(self, number: u64, network: Option<&Network>) {
        if let Some((actor, watch)) = self.actor {
            watch.cancel();
            if let Some(network) = network {
                network.unpublish(&key(number));
            }
            drop(actor);
        }
    }
}

/// What comes of wanting a name.
pub(super) type Registered = Result<Id, NameError>;

impl Server {
    /// A new registration or claim, of which nobody else knows yet.
    pub(super) fn enter(
        &mut self,
        name: &str,
        messages: &str,
        by: TheaterId,
        is_claim: bool,
    ) -> u64 {
        let number = self.next();
        let id = Id { home: self.me, number };
        let (name, messages) = (name.into(), messages.into());
        let entry = Entry { name, id, stamp: 0, messages, is_claim };
        let own = Own { entry, actor: None, by, is_held: false, is_contested: false };
        self.own.insert(number, own);
        number
    }

    /// Keeps the actor of a registration, for others to look up, until it ends.
    pub(super) fn keep(&mut self, number: u64, actor: Erased, ctx: &mut Context<'_, Self>) {
        let (Some(own), Some(network)) = (self.own.get_mut(&number), self.network.upgrade()) else {
            return;
        };
        network.publish_erased(&key(number), actor.clone());
        let server = ctx.actor_ref();
        let watch = actor.0.on_end(Box::new(move |_| {
            let step = Tell::then(move |it, ctx| it.release(number, |_, _| {}, ctx));
            // A server that has ended has let it go.
            let _ = send_unhindered(&server, step);
        }));
        own.entry.is_claim = false;
        own.is_held = false;
        own.actor = Some((actor, watch));
    }

    /// Registers an actor of this theater.
    pub(super) fn register(
        &mut self,
        name: &str,
        actor: Erased,
        by: TheaterId,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, Registered) + Send + 'static,
    ) {
        if actor.0.is_stopped() {
            return go_on(self, Err(NameError::Ended));
        }
        let number = self.enter(name, actor.0.message_name(), by, false);
        self.keep(number, actor, ctx);
        self.put(number, ctx, move |it, put, _| {
            let registered = put.map_err(|failed| match failed {
                NotPut::Taken(entry) => NameError::AlreadyRegistered(entry.id.home),
                NotPut::Released => NameError::Ended,
                NotPut::Unavailable => NameError::Unavailable,
            });
            go_on(it, registered);
        });
    }

    /// Has the theater of an actor register it.
    pub(super) fn register_elsewhere(
        &mut self,
        address: Address,
        name: String,
        actor: Erased,
        deadline: Duration,
        done: Box<dyn FnOnce(Registered) + Send>,
        ctx: &mut Context<'_, Self>,
    ) {
        let home = TheaterId::from_bits(address.theater);
        let left = deadline.saturating_sub(self.now());
        if self.peers.contains_key(&home) {
            let reply = ctx.reply_within(left, move |made| {
                // Until then the actor is kept from here.
                drop(actor);
                Tell::then(move |_, _| done(made.unwrap_or(Err(NameError::Unavailable))))
            });
            let by = self.me;
            self.tell(home, Tell::Register { actor: address.actor, name, by, reply });
        } else if !self.must_seek(home, ctx) {
            done(Err(NameError::TakesNoPart));
        } else if left.is_zero() {
            done(Err(NameError::Unavailable));
        } else {
            let again = Tell::then(move |it, ctx| {
                it.register_elsewhere(address, name, actor, deadline, done, ctx);
            });
            ctx.send_after(RETRY, again);
        }
    }

    /// Registers an actor of this theater, for another one that refers to it.
    pub(super) fn register_exported(
        &mut self,
        actor: u64,
        name: String,
        by: TheaterId,
        reply: Reply<Registered>,
        ctx: &mut Context<'_, Self>,
    ) {
        match self.network.upgrade().and_then(|network| network.exported(actor)) {
            Some(actor) => self.register(&name, actor, by, ctx, |_, made| reply.send(made)),
            None => reply.send(Err(NameError::Ended)),
        }
    }

    /// Has the servers of a name give it to a registration or claim of this theater, which is forgotten if they do not.
    pub(super) fn put(
        &mut self,
        number: u64,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, Result<Id, NotPut>, &mut Context<'_, Self>) + Send + 'static,
    ) {
        let Some(own) = self.own.get(&number) else {
            return go_on(self, Err(NotPut::Released), ctx);
        };
        let (entry, changes) = (own.entry.clone(), self.view.changes());
        let (name, id, deadline) = (entry.name.clone(), entry.id, self.deadline());
        self.ask(&entry.name.clone(), Wants::Put(entry), deadline, ctx, move |it, verdict, ctx| {
            let put = match (verdict, it.own.get_mut(&number)) {
                (Some(Verdict::Done(stamp)), Some(own)) => {
                    own.is_held = true;
                    own.entry.stamp = stamp;
                    Ok(id)
                }
                (Some(Verdict::Taken(entry)), _) => Err(NotPut::Taken(entry)),
                (Some(Verdict::Done(_)), None) => Err(NotPut::Released),
                _ => Err(NotPut::Unavailable),
            };
            if put.is_err() {
                it.let_go(number);
            }
            if matches!(put, Err(NotPut::Released | NotPut::Unavailable)) {
                it.withdraw(&name, id, ctx);
            }
            if put.is_ok() && it.view.changes() != changes {
                // It was not handed to those who have come meanwhile: it might not have been given.
                it.assert(number, ctx);
            }
            go_on(it, put, ctx);
        });
    }

    fn let_go(&mut self, number: u64) -> Option<Entry> {
        let own = self.own.remove(&number)?;
        let entry = own.entry.clone();
        own.let_go(number, self.network.upgrade().as_ref());
        Some(entry)
    }

    /// A registration of this theater is over. Goes on when the servers of the name know, saying whether there was one.
    pub(super) fn release(
        &mut self,
        number: u64,
        go_on: impl FnOnce(&mut Self, bool) + Send + 'static,
        ctx: &mut Context<'_, Self>,
    ) {
        match self.let_go(number) {
            Some(Entry { name, id, .. }) => {
                self.withdraw_and(&name, id, ctx, move |it, _| go_on(it, true));
            }
            None => go_on(self, false),
        }
    }

    /// Takes their names from those actors of this theater to which nobody refers. Answers the names.
    pub(super) fn release_unreferenced(
        &mut self,
        may: impl Fn(&str) -> bool,
        ctx: &mut Context<'_, Self>,
    ) -> Vec<String> {
        let Some(network) = self.network.upgrade() else { return Vec::new() };
        let is_unreferenced = |number: u64, own: &Own| match &own.actor {
            Some((actor, _)) if own.is_held => network.is_unreferenced(&key(number), actor),
            _ => false,
        };
        let own = self.own.iter().filter(|(_, own)| may(&own.entry.name));
        let own = own.filter(|(number, own)| is_unreferenced(**number, own));
        let mut gone: Vec<(String, u64)> =
            own.map(|(&number, own)| (own.entry.name.clone(), number)).collect();
        gone.sort_unstable();
        gone.iter().for_each(|&(_, number)| self.release(number, |_, _| {}, ctx));
        gone.into_iter().map(|(name, _)| name).collect()
    }

    /// Another registration goes before one of this theater, if it is in force: that its home says.
    pub(super) fn challenged(&mut self, loser: Id, winner: Entry, ctx: &mut Context<'_, Self>) {
        let Some(own) = self.own.get_mut(&loser.number) else {
            return self.withdraw(&winner.name, loser, ctx);
        };
        if !own.is_held || own.entry.is_claim {
            // The first server finds out too: it refuses this one, or challenges it when it has given it the name.
            return;
        }
        if std::mem::replace(&mut own.is_contested, true) {
            return;
        }
        self.inquire(winner.id, ctx, move |it, in_force, ctx| {
            it.judged(loser.number, winner, in_force, ctx);
        });
    }

    fn judged(
        &mut self,
        number: u64,
        winner: Entry,
        is_in_force: InForce,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(own) = self.own.get_mut(&number) else { return };
        own.is_contested = false;
        match is_in_force {
            Ok(true) => {
                let by = own.by;
                self.release(number, |_, _| {}, ctx);
                let (name, to) = (winner.name, winner.id.home);
                self.announce_loss(&name, to);
                self.tell(by, Tell::Lost { name, to });
            }
            // The servers have preferred one that is over: they are to know this one again.
            Ok(false) => self.withdraw_and(&winner.name, winner.id, ctx, move |it, ctx| {
                it.assert(number, ctx);
            }),
            Err(_) => {
                ctx.send_after(RETRY, Tell::then(move |it, ctx| it.assert(number, ctx)));
            }
        }
    }

    /// Has the servers of its name know of a registration once more.
    fn assert(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        if let Some(entry) = self.own.get(&number).map(|own| own.entry.clone()) {
            self.spread(&entry, ctx);
        }
    }

    /// Takes a name from whoever has it.
    pub(super) fn unregister(
        &mut self,
        name: &str,
        reply: Reply<Result<bool, NameError>>,
        ctx: &mut Context<'_, Self>,
    ) {
        let (wants, deadline) = (Wants::Find { doubted: None }, self.deadline());
        self.ask(name, wants, deadline, ctx, |it, verdict, ctx| match verdict {
            Some(Verdict::Found(entry)) => it.unregister_by(entry.id, reply, ctx),
            Some(Verdict::NotFound) => reply.send(Ok(false)),
            _ => reply.send(Err(NameError::Unavailable)),
        });
    }

    /// Takes the name from this registration.
    pub(super) fn unregister_by(
        &mut self,
        id: Id,
        reply: Reply<Result<bool, NameError>>,
        ctx: &mut Context<'_, Self>,
    ) {
        let number = id.number;
        if id.home == self.me {
            return self.release(number, move |_, had| reply.send(Ok(had)), ctx);
        }
        if !self.peers.contains_key(&id.home) {
            // With its theater the registration is gone.
            return reply.send(Ok(false));
        }
        let limit = self.settings.give_up_after;
        let reply = ctx.reply_within(limit, move |had| {
            Tell::then(move |_, _| reply.send(had.map_err(|_| NameError::Unavailable)))
        });
        self.tell(id.home, Tell::Release { number, reply });
    }
}

/// Why a name was not given.
pub(super) enum NotPut {
    /// This registration has it.
    Taken(Entry),
    /// The actor has ended, or the claim was given up.
    Released,
    Unavailable,
}
