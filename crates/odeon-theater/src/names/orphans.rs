//! A registration is at home here whose actor sits elsewhere, and the way there is lost: rule 9 of
//! the PROTOCOL in `names.rs`.

use std::time::Duration;

use odeon_core::Context;
use odeon_core::wire::{Address, Erased};

use super::deciding::RETRY;
use super::entry::{Entry, Id};
use super::home::{NotPut, Own};
use super::server::Server;
use super::tell::{Brought, Tell};
use crate::TheaterId;

/// See the module.
pub(super) struct Orphan {
    /// As it is to be, but for its home.
    pub(super) entry: Entry,
    pub(super) who: Address,
    pub(super) by: TheaterId,
    /// Another one each time that a registration becomes an orphan.
    pub(super) number: u64,
    /// How often it has been looked for.
    pub(super) tries: u32,
    /// Until when it is.
    pub(super) until: Duration,
}

impl Server {
    /// The actor of a registration has ended, or what stood for it here.
    ///
    /// WHY the reason is not asked: what stands here may end as one that was stopped where the way
    /// is lost further on.
    pub(super) fn has_ended(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        // One that is still at home elsewhere is seen to there.
        let is_heir = |own: &Own| own.from.is_none_or(|from| !self.peers.contains_key(&from));
        let may_live = |own: &&Own| own.is_elsewhere && is_heir(own) && own.entry.may_move();
        let lost = self.own.get(&id).filter(may_live);
        let Some((who, by)) = lost.and_then(|own| Some((own.who?, own.by))) else {
            return self.release(id, |_, _| {}, ctx);
        };
        let Some((entry, _)) = self.let_go(id) else { return };
        self.withdraw(&entry, ctx);
        let until = self.now().saturating_add(self.settings.seek_for);
        let entry = Entry { moves: entry.moves + 1, ..entry };
        let number = self.next();
        self.orphans.insert(id, Orphan { entry, who, by, number, tries: 0, until });
        self.look_for(id, number, ctx);
    }

    /// Looks for the actor of an orphan here, where it may have come by another way, and in all
    /// theaters in sight; again later, and ever later.
    fn look_for(&mut self, id: Id, number: u64, ctx: &mut Context<'_, Self>) {
        let now = self.now();
        let orphan = self.orphans.get_mut(&id).filter(|orphan| orphan.number == number);
        let Some(orphan) = orphan else { return };
        if orphan.until <= now {
            drop(self.orphans.remove(&id));
            return;
        }
        orphan.tries += 1;
        let pause = self.settings.seek_every.saturating_mul(orphan.tries);
        ctx.send_after(pause, Tell::then(move |it, ctx| it.look_for(id, number, ctx)));
        let mut theaters: Vec<TheaterId> = self.view.all().collect();
        theaters.sort_unstable();
        theaters.into_iter().for_each(|theater| self.bring(id, theater, ctx));
    }

    /// A theater takes part in names, where actors of orphans may sit.
    pub(super) fn bring_orphans(&mut self, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        let mut ids: Vec<Id> = self.orphans.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().for_each(|id| self.bring(id, theater, ctx));
    }

    pub(super) fn bring(&mut self, id: Id, theater: TheaterId, ctx: &mut Context<'_, Self>) {
        let Some(orphan) = self.orphans.get(&id) else { return };
        let number = orphan.number;
        let reply = ctx.reply_to(move |is_seen_to| {
            Tell::then(move |it, ctx| {
                // It may have been found meanwhile, and be an orphan again.
                let is_it = it.orphans.get(&id).is_some_and(|orphan| orphan.number == number);
                if is_seen_to.is_err() || !is_it {
                    return;
                }
                drop(it.orphans.remove(&id));
                if theater != it.me {
                    it.remember(id, theater, ctx);
                }
            })
        });
        let entry = Entry { home: theater, ..orphan.entry.clone() };
        let (who, by) = ((orphan.who.theater, orphan.who.actor), orphan.by);
        let brought = Brought { entry, who, by, reply };
        if theater == self.me {
            self.brought(brought, ctx);
        } else {
            self.tell(theater, Tell::Bring(brought));
        }
    }

    /// The actor of an orphan is looked for here.
    pub(super) fn brought(&mut self, brought: Brought, ctx: &mut Context<'_, Self>) {
        let id = brought.entry.id;
        if self.is_over(id) {
            return brought.reply.send(());
        }
        if let Some(own) = self.own.get_mut(&id) {
            if !own.is_at_home() {
                // It is about to be, or to be let go.
                let again = Tell::then(move |it, ctx| it.brought(brought, ctx));
                ctx.send_after(RETRY, again);
                return;
            }
            own.entry.moves = own.entry.moves.max(brought.entry.moves);
            self.assert(id, ctx);
            return brought.reply.send(());
        }
        let Brought { entry, who: (theater, actor), by, reply } = brought;
        let Some(network) = self.network.upgrade() else { return };
        let who = Address { theater, actor };
        let sits_here = |actor: &Erased| network.who_sits_here(actor).is_some();
        let Some(actor) = network.known(who).filter(sits_here) else { return };
        self.moved.remove(&id);
        let name = entry.name.clone();
        self.own.insert(id, Own::new(entry, by, None));
        self.keep(id, actor, Some(who), ctx);
        self.put(id, ctx, move |it, put, ctx| match put {
            Ok(()) => {
                reply.send(());
                it.follow(id, ctx);
            }
            Err(NotPut::Taken(other)) => {
                reply.send(());
                it.has_lost(id, name, &other, by, ctx);
            }
            Err(NotPut::Released) => reply.send(()),
            Err(NotPut::Unavailable) => drop(reply),
        });
    }
}
