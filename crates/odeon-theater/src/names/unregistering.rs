//! A name is taken back: by the home of its registration, wherever that is.

use std::time::Duration;

use odeon_core::{Context, Reply};

use super::entry::Id;
use super::error::NameError;
use super::server::Server;
use super::tell::{Tell, Verdict, Wants};
use crate::TheaterId;

type Unregistered = Reply<Result<bool, NameError>>;

impl Server {
    /// Takes a name from whoever has it, or from this registration alone.
    pub(super) fn unregister(
        &mut self,
        name: &str,
        only: Option<Id>,
        deadline: Duration,
        reply: Unregistered,
        ctx: &mut Context<'_, Self>,
    ) {
        let wants = Wants::Find { doubted: None };
        self.ask(name, wants, deadline, ctx, move |it, verdict, ctx| match verdict {
            Some(Verdict::Found(entry)) if only.is_none_or(|only| only == entry.id) => {
                it.release_at(entry.home, entry.id, deadline, ctx, |_, had, _| {
                    reply.send(had.ok_or(NameError::Unavailable));
                });
            }
            Some(Verdict::Found(_) | Verdict::NotFound) => reply.send(Ok(false)),
            _ => reply.send(Err(NameError::Unavailable)),
        });
    }

    /// Takes the name from this registration.
    pub(super) fn unregister_by(
        &mut self,
        name: String,
        id: Id,
        deadline: Duration,
        reply: Unregistered,
        ctx: &mut Context<'_, Self>,
    ) {
        // Most are at home where they were made; or it is known there where they are.
        self.release_at(id.born, id, deadline, ctx, move |it, had, ctx| match had {
            Some(true) => reply.send(Ok(true)),
            _ => it.unregister(&name, Some(id), deadline, reply, ctx),
        });
    }

    /// Has a registration end that is at home there. Goes on when the servers know, saying whether
    /// there was one; `None`: that is not known.
    fn release_at(
        &mut self,
        home: TheaterId,
        id: Id,
        deadline: Duration,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, Option<bool>, &mut Context<'_, Self>) + Send + 'static,
    ) {
        let home = if home == self.me { self.has_moved_from(id, home) } else { home };
        let is_here = self.own.contains_key(&id);
        if !is_here && (home == self.me || !self.peers.contains_key(&home)) {
            // With its theater the registration is gone.
            return go_on(self, Some(false), ctx);
        }
        let left = deadline.saturating_sub(self.now());
        let reply = ctx.reply_within(left, move |had: Result<bool, _>| {
            Tell::then(move |it, ctx| go_on(it, had.ok(), ctx))
        });
        if is_here {
            self.release(id, move |_, had| reply.send(had), ctx);
        } else {
            self.tell(home, Tell::Release { id, reply });
        }
    }
}
