//! What the theater of an actor does for its names: it keeps the actor, has it registered, and
//! knows whether it still is.

use std::collections::BTreeSet;
use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::wire::{Address, Erased};
use odeon_core::{Context, Reply, Watch};

use super::confirming::Confirming;
use super::deciding::RETRY;
use super::doubting::InForce;
use super::entry::{Entry, Id, key};
use super::error::NameError;
use super::following::{Follows, hear_of_moves};
use super::server::Server;
use super::tell::{Tell, Verdict, Wants};
use crate::network::Messages;
use crate::{Network, TheaterId};

/// A registration of an actor of this theater, or a claim.
pub(super) struct Own {
    pub(super) entry: Entry,
    /// `None`: it is still to be spawned.
    pub(super) actor: Option<(Erased, Watch)>,
    /// The theater that has registered it.
    pub(super) by: TheaterId,
    /// The servers know that it is at home here.
    pub(super) is_held: bool,
    /// It is being found out whether another registration goes before.
    pub(super) is_contested: bool,
    /// Where it is at home until the servers know that it is here.
    pub(super) from: Option<TheaterId>,
    pub(super) follows: Follows,
    /// Whose registration it is, if that one moves: where it was created.
    pub(super) who: Option<Address>,
    /// Whether the actor sits elsewhere, as this server has been told by so many news.
    pub(super) is_elsewhere: bool,
    pub(super) news: u64,
    /// When it is to be confirmed again.
    pub(super) confirming: Option<Confirming>,
}

impl Own {
    pub(super) fn new(entry: Entry, by: TheaterId, from: Option<TheaterId>) -> Self {
        let (is_held, is_contested, follows) = (false, false, Follows::No);
        let (actor, who, is_elsewhere, news, confirming) = (None, None, false, 0, None);
        Self {
            entry,
            actor,
            by,
            is_held,
            is_contested,
            from,
            follows,
            who,
            is_elsewhere,
            news,
            confirming,
        }
    }

    /// Whether it is at home here, and nowhere else soon.
    pub(super) fn is_at_home(&self) -> bool {
        self.is_held && !matches!(self.follows, Follows::HandsOver(_))
    }

    /// Whether the servers know another home of this registration, and this one can come after it.
    pub(super) fn may_come_after(&self, other: &Entry) -> bool {
        other.id == self.entry.id && other.may_move()
    }

    pub(super) fn comes_after(&mut self, other: &Entry) {
        self.entry.moves = self.entry.moves.max(other.moves + 1);
        self.is_held = false;
    }

    pub(super) fn let_go(self, network: Option<&Network>) {
        if let Some((actor, watch)) = self.actor {
            watch.cancel();
            if let Some(network) = network {
                network.unpublish_any(&key(self.entry.id));
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
    ) -> Id {
        let (home, number) = (self.me, self.next());
        let id = Id { born: home, number };
        let (name, messages) = (name.into(), messages.into());
        let entry = Entry { name, id, home, moves: 0, stamp: 0, messages, is_claim };
        self.own.insert(id, Own::new(entry, by, None));
        id
    }

    /// Keeps the actor of a registration, for others to look up, until it ends. `who`: if it sat
    /// here just now.
    pub(super) fn keep(
        &mut self,
        id: Id,
        actor: Erased,
        who: Option<Address>,
        ctx: &mut Context<'_, Self>,
    ) {
        let (Some(own), Some(network)) = (self.own.get_mut(&id), self.network.upgrade()) else {
            return;
        };
        network.publish_erased(&key(id), actor.clone());
        hear_of_moves(&network, &actor, ctx);
        own.who = network.has_name(&actor).or(who);
        // If its seat is no more it may have gone on, and its way may be lost.
        own.is_elsewhere = network.is_elsewhere(&actor).unwrap_or(who.is_some());
        let server = ctx.actor_ref();
        let watch = actor.0.on_end(Box::new(move |_| {
            let step = Tell::then(move |it, ctx| it.has_ended(id, ctx));
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
        let id = self.enter(name, &Messages::to(&*actor.0).to_string(), by, false);
        self.keep(id, actor, None, ctx);
        self.put(id, ctx, move |it, put, _| {
            let registered = put.map(|()| id).map_err(|failed| match failed {
                NotPut::Taken(entry) => NameError::AlreadyRegistered(entry.home),
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

    /// Has the servers of a name give it to a registration or claim of this theater, which is
    /// forgotten if they do not; one that has moved is not before somebody else has the name.
    pub(super) fn put(
        &mut self,
        id: Id,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, Result<(), NotPut>, &mut Context<'_, Self>) + Send + 'static,
    ) {
        let Some(own) = self.own.get(&id) else {
            return go_on(self, Err(NotPut::Released), ctx);
        };
        let (entry, from, changes) = (own.entry.clone(), own.from, self.view.changes());
        let (name, wants, deadline) =
            (entry.name.clone(), Wants::Put(entry.clone()), self.deadline());
        self.ask(&name, wants, deadline, ctx, move |it, verdict, ctx| {
            // It may have gone and come back, which is another attempt.
            let own = it.own.get_mut(&id).filter(|own| own.entry.moves == entry.moves);
            let is_there = own.is_some();
            let put = match (verdict, own) {
                (Some(Verdict::Done(stamp)), Some(own)) => {
                    own.is_held = true;
                    own.from = None;
                    own.entry.stamp = stamp;
                    Ok(())
                }
                // Another home of the same registration, which may be none any more: only the
                // actor's theater takes it over from here.
                (Some(Verdict::Taken(other)), Some(own)) if own.may_come_after(&other) => {
                    own.comes_after(&other);
                    return it.put(id, ctx, go_on);
                }
                (Some(Verdict::Taken(entry)), _) => Err(NotPut::Taken(entry)),
                (Some(Verdict::Done(_)), None) => Err(NotPut::Released),
                _ => Err(NotPut::Unavailable),
            };
            let other_home = from.filter(|from| it.peers.contains_key(from));
            if is_there
                && entry.moves > 0
                && other_home.is_none()
                && put == Err(NotPut::Unavailable)
            {
                return it.put(id, ctx, go_on);
            }
            if put.is_err() && is_there {
                it.let_go(id);
            }
            match (&put, other_home) {
                (Err(_), Some(home)) => it.remember(id, home, ctx),
                (Err(NotPut::Released | NotPut::Unavailable), None) => it.withdraw(&entry, ctx),
                (Err(NotPut::Taken(_)), None) => {}
                (Ok(()), _) => {
                    if it.view.changes() != changes {
                        // It was not handed to those who have come meanwhile: it might not have
                        // been given.
                        it.assert(id, ctx);
                    }
                    if entry.moves == 0 {
                        it.follow(id, ctx);
                    }
                    it.is_to_be_confirmed(id, ctx);
                }
            }
            go_on(it, put, ctx);
        });
    }

    /// A registration is at home here no longer. Answers it, and the theater that it was being
    /// handed to.
    pub(super) fn let_go(&mut self, id: Id) -> Option<(Entry, Option<TheaterId>)> {
        let own = self.own.remove(&id)?;
        let entry = own.entry.clone();
        let to = match own.follows {
            Follows::HandsOver(to) => Some(to),
            Follows::No | Follows::Looks | Follows::WaitsFor(_) => None,
        };
        own.let_go(self.network.upgrade().as_ref());
        Some((entry, to))
    }

    /// A registration of this theater is over. Goes on when the servers of the name know, saying
    /// whether there was one.
    pub(super) fn release(
        &mut self,
        id: Id,
        go_on: impl FnOnce(&mut Self, bool) + Send + 'static,
        ctx: &mut Context<'_, Self>,
    ) {
        let from = self.own.get(&id).and_then(|own| own.from);
        let other_home = from.filter(|from| self.peers.contains_key(from));
        self.orphans.remove(&id);
        // There it may be at home too, if that has not been heard here.
        let sits = self.sits(id).map(|(theater, _)| theater);
        let sits = sits.filter(|theater| *theater != self.me && self.peers.contains_key(theater));
        let over = self.let_go(id).map(|(entry, to)| {
            let may_have_it = to.is_none() && entry.moves > 0;
            (entry, if may_have_it { sits } else { to })
        });
        if let Some(home) = other_home {
            // That says whether it is over.
            self.remember(id, home, ctx);
            return go_on(self, true);
        }
        match over {
            None => go_on(self, false),
            Some((entry, None)) if entry.moves > 0 => {
                // Who has not heard that it has come here may look for its actor.
                self.remember(id, self.me, ctx);
                self.withdraw_and(&entry, ctx, move |it, _| go_on(it, true));
            }
            Some((entry, None)) => self.withdraw_and(&entry, ctx, move |it, _| go_on(it, true)),
            Some((mut entry, Some(to))) => {
                if entry.moves > 0 {
                    self.remember(id, self.me, ctx);
                }
                // First there, so that nobody brings it up again.
                entry.moves += 1;
                let reply = ctx.reply_to(move |_| {
                    Tell::then(move |it, ctx| {
                        it.withdraw_and(&entry, ctx, move |it, _| go_on(it, true));
                    })
                });
                self.tell(to, Tell::Release { id, reply });
            }
        }
    }

    /// Another theater has a registration end.
    pub(super) fn released(&mut self, id: Id, reply: Reply<bool>, ctx: &mut Context<'_, Self>) {
        let home = self.has_moved_from(id, self.me);
        if self.own.contains_key(&id) || home == self.me {
            self.release(id, move |_, had| reply.send(had), ctx);
        } else {
            self.tell(home, Tell::Release { id, reply });
        }
    }

    /// The names of actors of this theater.
    pub(super) fn own_names(&self) -> BTreeSet<String> {
        self.own.values().map(|own| own.entry.name.clone()).collect()
    }

    /// Takes their names from those actors of this theater to which nobody refers, if they have one
    /// of these. Answers the names.
    pub(super) fn release_unreferenced(
        &mut self,
        names: &BTreeSet<String>,
        ctx: &mut Context<'_, Self>,
    ) -> Vec<String> {
        let Some(network) = self.network.upgrade() else { return Vec::new() };
        let is_unreferenced = |id: Id, own: &Own| match &own.actor {
            Some((actor, _)) if own.is_held => network.is_unreferenced(&key(id), actor),
            _ => false,
        };
        let own = self.own.iter().filter(|(_, own)| names.contains(&own.entry.name));
        let own = own.filter(|(id, own)| is_unreferenced(**id, own));
        let mut gone: Vec<(String, Id)> =
            own.map(|(&id, own)| (own.entry.name.clone(), id)).collect();
        gone.sort_unstable();
        gone.iter().for_each(|&(_, id)| self.release(id, |_, _| {}, ctx));
        gone.into_iter().map(|(name, _)| name).collect()
    }

    /// Another registration goes before one of this theater, if it is in force: that its home says.
    pub(super) fn challenged(&mut self, loser: Entry, winner: Entry, ctx: &mut Context<'_, Self>) {
        let home = self.has_moved_from(loser.id, self.me);
        let Some(own) = self.own.get_mut(&loser.id) else {
            if home == self.me {
                return self.withdraw(&loser, ctx);
            }
            return self.tell(home, Tell::Challenge { loser, winner });
        };
        if !own.is_held || own.entry.is_claim {
            // The first server finds out too: it refuses this one, or challenges it when it has
            // given it the name.
            return;
        }
        if std::mem::replace(&mut own.is_contested, true) {
            return;
        }
        self.inquire(winner.id, winner.home, ctx, move |it, in_force, ctx| {
            it.judged(loser, winner, in_force, ctx);
        });
    }

    fn judged(
        &mut self,
        loser: Entry,
        winner: Entry,
        is_in_force: InForce,
        ctx: &mut Context<'_, Self>,
    ) {
        let id = loser.id;
        let Some(own) = self.own.get_mut(&id) else {
            if self.moved.contains_key(&id) {
                self.challenged(loser, winner, ctx);
            }
            return;
        };
        own.is_contested = false;
        match is_in_force {
            Ok(true) => {
                let by = own.by;
                self.release(id, |_, _| {}, ctx);
                let (name, to) = (winner.name, winner.home);
                self.announce_loss(&name, to);
                self.tell(by, Tell::Lost { name, to });
            }
            // The servers have preferred one that is over: they are to know this one again.
            Ok(false) => self.withdraw_and(&winner, ctx, move |it, ctx| {
                it.assert(id, ctx);
            }),
            Err(_) => {
                ctx.send_after(RETRY, Tell::then(move |it, ctx| it.assert(id, ctx)));
            }
        }
    }

    /// Has the servers of its name know of a registration once more.
    pub(super) fn assert(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        if let Some(entry) = self.own.get(&id).map(|own| own.entry.clone()) {
            self.spread(&entry, ctx);
        }
    }
}

/// Why a name was not given.
#[derive(PartialEq)]
pub(super) enum NotPut {
    /// This registration has it.
    Taken(Entry),
    /// The actor has ended, or the claim was given up.
    Released,
    Unavailable,
}
