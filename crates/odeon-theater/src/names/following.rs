//! A registration follows its actor: rules 9 and 10 of the PROTOCOL in `names.rs`.

use std::mem;
use std::time::Duration;

use odeon_core::extend::send_unhindered;
use odeon_core::wire::Erased;
use odeon_core::{Context, Reply};

use super::deciding::RETRY;
use super::entry::{Entry, Id};
use super::home::{NotPut, Own};
use super::server::Server;
use super::tell::Tell;
use crate::{Network, TheaterId};

/// How long after a move it is looked where the actor sits.
// TUNE: 100 ms, a guess: an actor that moves on and on does not have its names follow it at each
// step.
const SETTLED: Duration = Duration::from_millis(100);

/// Where a registration is at home that was at home here, or was to be.
pub(super) struct Moved {
    to: TheaterId,
    /// Who has not asked until then does not any more.
    until: Duration,
}

/// What a home does about an actor that has moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follows {
    No,
    /// It will look where the actor sits.
    Looks,
    /// The actor sits there, where nobody takes part in names, as far as it is known here.
    WaitsFor(TheaterId),
    /// That theater is to be the home.
    HandsOver(TheaterId),
}

/// Has a server told when an actor moves that it keeps.
pub(super) fn hear_of_moves(network: &Network, actor: &Erased, ctx: &Context<'_, Server>) {
    let (server, number) = (ctx.actor_ref(), actor.0.actor());
    network.when_moved(actor, move |news, is_elsewhere| {
        let step = Tell::then(move |it, ctx| it.has_moved(number, (news, is_elsewhere), ctx));
        // A server that has ended keeps no names.
        let _ = send_unhindered(&server, step);
    });
}

impl Server {
    /// An actor with this number, which has names, has moved, as the network tells by so many news.
    fn has_moved(
        &mut self,
        actor: u64,
        (news, is_elsewhere): (u64, bool),
        ctx: &mut Context<'_, Self>,
    ) {
        let is_it = |own: &Own| own.actor.as_ref().is_some_and(|(it, _)| it.0.actor() == actor);
        for own in self.own.values_mut().filter(|own| is_it(own) && own.news < news) {
            (own.news, own.is_elsewhere) = (news, is_elsewhere);
        }
        self.look_at(is_it, ctx);
    }

    /// A theater takes part in names: registrations may follow their actors there.
    pub(super) fn follow_to(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        self.look_at(|own| own.follows == Follows::WaitsFor(theater), ctx);
    }

    fn look_at(&mut self, is_concerned: impl Fn(&Own) -> bool, ctx: &mut Context<'_, Self>) {
        let concerned = self.own.values().filter(|own| is_concerned(own));
        let mut ids: Vec<Id> = concerned.map(|own| own.entry.id).collect();
        ids.sort_unstable();
        ids.into_iter().for_each(|id| self.look_in(SETTLED, id, ctx));
    }

    fn look_in(&mut self, time: Duration, id: Id, ctx: &mut Context<'_, Self>) {
        let Some(own) = self.own.get_mut(&id) else { return };
        if let Follows::No | Follows::WaitsFor(_) = own.follows {
            own.follows = Follows::Looks;
            ctx.send_after(time, Tell::then(move |it, ctx| it.looks(id, ctx)));
        }
    }

    /// Where the actor of a registration sits, and under which number.
    pub(super) fn sits(&self, id: Id) -> Option<(TheaterId, u64)> {
        let (actor, _) = self.own.get(&id)?.actor.as_ref()?;
        let address = self.network.upgrade()?.address_of(actor)?;
        Some((TheaterId::from_bits(address.theater), address.actor))
    }

    /// Has a registration follow its actor, if that sits elsewhere.
    pub(super) fn follow(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        if self.sits(id).is_some_and(|(theater, _)| theater != self.me) {
            self.look_in(SETTLED, id, ctx);
        }
    }

    fn looks(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let sits = self.sits(id);
        let Some(own) = self.own.get_mut(&id).filter(|own| own.follows == Follows::Looks) else {
            return;
        };
        own.follows = Follows::No;
        // One that is not known here yet is looked at when it is.
        let may_follow = own.is_held && own.entry.may_move();
        let Some((to, actor)) = sits.filter(|(to, _)| may_follow && *to != self.me) else {
            return;
        };
        if own.is_contested {
            return self.look_in(SETTLED, id, ctx);
        }
        if !self.peers.contains_key(&to) {
            own.follows = Follows::WaitsFor(to);
            return;
        }
        own.follows = Follows::HandsOver(to);
        let (by, from, moves) = (own.by, self.me, own.entry.moves + 1);
        let entry = Entry { home: to, moves, ..own.entry.clone() };
        let offered = entry.clone();
        let reply = ctx.reply_to(move |adopted| {
            Tell::then(move |it, ctx| match adopted {
                Ok(has_adopted) => it.has_answered(&offered, has_adopted, ctx),
                // With the way there the one to the actor may be lost, which will be told: then it
                // is looked for.
                Err(_) => {
                    let later = Tell::then(move |it, ctx| it.has_answered(&offered, false, ctx));
                    ctx.send_after(RETRY, later);
                }
            })
        });
        self.tell(to, Tell::Adopt { entry, actor, by, from, reply });
    }

    /// The theater of an actor says whether it is the home of its registration.
    fn has_answered(&mut self, offered: &Entry, has_adopted: bool, ctx: &mut Context<'_, Self>) {
        let Entry { id, moves, .. } = *offered;
        let Some(own) = self.own.get_mut(&id).filter(|own| own.entry.moves + 1 == moves) else {
            let is_known = self.own.contains_key(&id) || self.moved.contains_key(&id);
            if !has_adopted && !is_known && !self.orphans.contains_key(&id) {
                // It is over, and the other one may have had it known after that.
                self.withdraw(offered, ctx);
            }
            return;
        };
        let Follows::HandsOver(to) = own.follows else { return };
        if has_adopted {
            self.let_go(id);
            self.remember(id, to, ctx);
        } else {
            own.follows = Follows::No;
            // Whatever servers have heard of the other one. If that was the home, and is lost, so
            // may be the name.
            own.entry.moves = moves + 1;
            own.is_held = false;
            self.put_again(id, ctx);
        }
    }

    /// Has the servers give the name to a registration that stays at home here until its actor's
    /// theater takes it over.
    pub(super) fn put_again(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let Some(own) = self.own.get(&id) else { return };
        let (name, by) = (own.entry.name.clone(), own.by);
        self.put(id, ctx, move |it, put, ctx| match put {
            Ok(()) => it.look_in(it.settings.seek_every, id, ctx),
            Err(NotPut::Taken(other)) => it.has_lost(id, name, &other, by, ctx),
            Err(_) => {}
        });
    }

    /// Where a registration is at home that is not at home here. There is one note of each
    /// registration, however often it has been here, and one timer for all of them.
    pub(super) fn remember(&mut self, id: Id, to: TheaterId, ctx: &mut Context<'_, Self>) {
        let until = self.now().saturating_add(self.settings.seek_for);
        self.moved.insert(id, Moved { to, until });
        if !mem::replace(&mut self.looks_at_moved, true) {
            self.look_at_moved_after(self.settings.seek_for, ctx);
        }
    }

    fn look_at_moved_after(&mut self, pause: Duration, ctx: &mut Context<'_, Self>) {
        ctx.send_after(pause, Tell::then(|it, ctx| it.look_at_moved(ctx)));
    }

    fn look_at_moved(&mut self, ctx: &mut Context<'_, Self>) {
        let now = self.now();
        self.moved.retain(|_, moved| moved.until > now);
        let next = self.moved.values().map(|moved| moved.until).min();
        self.looks_at_moved = next.is_some();
        if let Some(next) = next {
            // At most twice in that time, however the moves lie in it.
            self.look_at_moved_after((next - now).max(self.settings.seek_for / 2), ctx);
        }
    }

    /// Whether a registration has ended here that had come from elsewhere.
    pub(super) fn is_over(&self, id: Id) -> bool {
        self.moved.get(&id).is_some_and(|moved| moved.to == self.me)
    }

    /// Nothing that is at home in this theater is to be found there any more.
    pub(super) fn forget_moved_to(&mut self, theater: TheaterId) {
        self.moved.retain(|_, moved| moved.to != theater);
    }

    /// Where a registration is at home, which somebody takes for at home there.
    pub(super) fn has_moved_from(&self, id: Id, home: TheaterId) -> TheaterId {
        let is_here = home != self.me || self.own.contains_key(&id);
        self.moved.get(&id).map(|moved| moved.to).filter(|_| !is_here).unwrap_or(home)
    }

    /// The actor of a registration sits here, as its home says: it is to be at home here.
    pub(super) fn adopt(
        &mut self,
        entry: Entry,
        actor: u64,
        by: TheaterId,
        from: TheaterId,
        reply: Reply<bool>,
        ctx: &mut Context<'_, Self>,
    ) {
        let id = entry.id;
        if let Some(own) = self.own.get_mut(&id) {
            // Of a home that has not heard so.
            let is_at_home = own.is_at_home();
            if is_at_home {
                own.entry.moves = own.entry.moves.max(entry.moves);
                self.assert(id, ctx);
            }
            return reply.send(is_at_home);
        }
        let Some(network) = self.network.upgrade() else { return };
        let sits = |actor: Erased| Some((network.who_sits_here(&actor)?, actor));
        let Some((who, actor)) = network.exported(actor).and_then(sits) else {
            return reply.send(false);
        };
        self.moved.remove(&id);
        let name = entry.name.clone();
        self.own.insert(id, Own::new(entry, by, Some(from)));
        self.keep(id, actor, Some(who), ctx);
        self.put(id, ctx, move |it, put, ctx| {
            reply.send(put.is_ok());
            match put {
                Ok(()) => it.follow(id, ctx),
                // Otherwise the home finds out.
                Err(NotPut::Taken(other)) if !it.peers.contains_key(&from) => {
                    it.has_lost(id, name, &other, by, ctx);
                }
                Err(_) => {}
            }
        });
    }

    /// A registration that has moved does not have its name any more.
    pub(super) fn has_lost(
        &mut self,
        id: Id,
        name: String,
        other: &Entry,
        by: TheaterId,
        ctx: &mut Context<'_, Self>,
    ) {
        let to = other.home;
        if other.id == id {
            return self.remember(id, to, ctx);
        }
        self.announce_loss(&name, to);
        self.tell(by, Tell::Lost { name, to });
    }
}
