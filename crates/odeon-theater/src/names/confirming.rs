//! Registrations that have moved are confirmed by the first servers of their names, again and
//! again. See rule 11 of the PROTOCOL in `names.rs`.

use std::mem;
use std::time::Duration;

use odeon_core::Context;

use super::entry::Id;
use super::home::Own;
use super::server::Server;
use super::tell::{Tell, Verdict, Wants};

/// When a registration is to be confirmed.
pub(super) struct Confirming {
    at: Duration,
    /// How often it has been since it came here, or since servers came or went.
    tries: u32,
    /// It is not after that.
    until: Duration,
}

impl Server {
    /// A registration has moved here, or may have been forgotten by servers that took another
    /// theater for its home. One that has never moved has one home, and those that come hear of it.
    pub(super) fn is_to_be_confirmed(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let now = self.now();
        let (seek_every, seek_for) = (self.settings.seek_every, self.settings.seek_for);
        let Some(own) = self.own.get_mut(&id).filter(|own| own.entry.moves > 0) else { return };
        let (at, until) = (now.saturating_add(seek_every), now.saturating_add(seek_for));
        own.confirming = Some(Confirming { at, tries: 1, until });
        self.confirms_later(seek_every, ctx);
    }

    /// A server has come or gone.
    pub(super) fn all_are_to_be_confirmed(&mut self, ctx: &mut Context<'_, Self>) {
        let mut ids: Vec<Id> = self.own.keys().copied().collect();
        ids.sort_unstable();
        ids.into_iter().for_each(|id| self.is_to_be_confirmed(id, ctx));
    }

    fn confirms_later(&mut self, pause: Duration, ctx: &mut Context<'_, Self>) {
        if !mem::replace(&mut self.confirms, true) {
            ctx.send_after(pause, Tell::then(|it, ctx| it.confirms_all(ctx)));
        }
    }

    /// Confirms those whose time it is: again later, and ever later.
    fn confirms_all(&mut self, ctx: &mut Context<'_, Self>) {
        let (now, seek_every) = (self.now(), self.settings.seek_every);
        let (mut due, mut next) = (Vec::new(), None::<Duration>);
        for (&id, own) in &mut self.own {
            let Some(confirming) = &mut own.confirming else { continue };
            if confirming.at <= now {
                due.push(id);
                confirming.tries += 1;
                confirming.at = now.saturating_add(seek_every.saturating_mul(confirming.tries));
                if confirming.at > confirming.until {
                    own.confirming = None;
                    continue;
                }
            }
            next = Some(next.map_or(confirming.at, |next| next.min(confirming.at)));
        }
        self.confirms = false;
        if let Some(next) = next {
            // At most so often, whatever moves here.
            self.confirms_later((next - now).max(seek_every), ctx);
        }
        due.sort_unstable();
        due.into_iter().for_each(|id| self.confirm(id, ctx));
    }

    /// Has the first server say that this is the home of a registration, or give it the name again.
    fn confirm(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        // Otherwise somebody else is about to be, or it is being put.
        let Some(own) = self.own.get(&id).filter(|own| own.is_at_home()) else { return };
        let (entry, deadline) = (own.entry.clone(), self.deadline());
        let (name, wants) = (entry.name.clone(), Wants::Put(entry.clone()));
        self.ask(&name, wants, deadline, ctx, move |it, verdict, ctx| {
            if !it.own.contains_key(&id) {
                // It is over here, and may have been given the name after that was said.
                return it.withdraw(&entry, ctx);
            }
            let is_same = |own: &&mut Own| own.is_at_home() && own.entry.moves == entry.moves;
            match (verdict, it.own.get_mut(&id).filter(is_same)) {
                (Some(Verdict::Taken(other)), Some(own)) if own.may_come_after(&other) => {
                    own.comes_after(&other);
                    it.put_again(id, ctx);
                }
                // The one that was made earlier goes on.
                (Some(Verdict::Taken(_)), Some(_)) => it.assert(id, ctx),
                (Some(Verdict::Done(_)), Some(_)) => it.follow(id, ctx),
                _ => {}
            }
        });
    }
}
