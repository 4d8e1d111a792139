//! How it is found out whether a registration is in force: its home says so, to whoever sees it or
//! by way of another server that does.

use odeon_core::{AskError, Context, Reply};

use super::deciding::RETRY;
use super::entry::{Entry, Id};
use super::server::Server;
use super::tell::Tell;
use super::waiting::Waiting;
use crate::TheaterId;

/// Whether a registration is in force. `Err`: that is not to be known yet.
pub(super) type InForce = Result<bool, AskError>;

type GoOn = Box<dyn FnOnce(&mut Server, InForce, &mut Context<'_, Server>) + Send>;

/// A question to all servers in sight whether a registration is in force, whose home is not in
/// sight.
pub(super) struct Inquiry {
    /// How many have not said yet.
    left: usize,
    go_on: GoOn,
}

impl Server {
    /// Finds out whether a registration is in force, for a question that waits for it.
    pub(super) fn doubt(&mut self, entry: Entry, waiting: Waiting, ctx: &mut Context<'_, Self>) {
        self.wait(waiting, ctx);
        if self.in_doubt.insert(entry.id) {
            self.inquire(entry.id, entry.home, ctx, move |it, in_force, ctx| {
                it.has_been_doubted(&entry, in_force, ctx);
            });
        }
    }

    fn has_been_doubted(&mut self, entry: &Entry, in_force: InForce, ctx: &mut Context<'_, Self>) {
        match in_force {
            Ok(true) => {
                self.in_doubt.remove(&entry.id);
                let waiting = self.waiting.get_mut(&entry.name);
                waiting.into_iter().flatten().for_each(|it| it.in_force = Some(entry.id));
                self.again(&entry.name, ctx);
            }
            Ok(false) => {
                self.in_doubt.remove(&entry.id);
                self.forget_everywhere(&entry.name, entry.id, entry.moves, ctx);
            }
            // Until then all questions wait.
            Err(_) => {
                let Entry { id, name, .. } = entry.clone();
                let again = Tell::then(move |it, ctx| {
                    it.in_doubt.remove(&id);
                    it.again(&name, ctx);
                });
                ctx.send_after(RETRY, again);
            }
        }
    }

    /// Finds out whether a registration is in force, which is at home there.
    pub(super) fn inquire(
        &mut self,
        id: Id,
        home: TheaterId,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, InForce, &mut Context<'_, Self>) + Send + 'static,
    ) {
        if self.own.contains_key(&id) {
            return go_on(self, Ok(true), ctx);
        }
        let home = self.has_moved_from(id, home);
        if home == self.me {
            return go_on(self, Ok(false), ctx);
        }
        if self.peers.contains_key(&home) {
            let reply = ctx.reply_to(|said| Tell::then(move |it, ctx| go_on(it, said, ctx)));
            return self.tell(home, Tell::Holds { id, home, reply });
        }
        if self.must_seek(home, ctx) {
            return go_on(self, Err(AskError::NoReply), ctx);
        }
        if self.peers.is_empty() {
            return go_on(self, Ok(false), ctx);
        }
        let number = self.next();
        let inquiry = Inquiry { left: self.peers.len(), go_on: Box::new(go_on) };
        self.inquiries.insert(number, inquiry);
        for &server in self.peers.keys() {
            let reply = ctx.reply_to(move |said| {
                Tell::then(move |it, ctx| it.has_been_said(number, said, ctx))
            });
            self.tell(server, Tell::Holds { id, home, reply });
        }
    }

    /// A server has said whether a registration is in force, if it sees its home. If nobody does
    /// the home is lost.
    fn has_been_said(&mut self, number: u64, said: InForce, ctx: &mut Context<'_, Self>) {
        let Some(inquiry) = self.inquiries.get_mut(&number) else { return };
        inquiry.left -= 1;
        if said.is_err() && inquiry.left > 0 {
            return;
        }
        if let Some(inquiry) = self.inquiries.remove(&number) {
            (inquiry.go_on)(self, Ok(said.unwrap_or(false)), ctx);
        }
    }

    /// Says whether a registration is in force, or has its home say so. Who cannot does not answer.
    pub(super) fn says_whether_it_holds(&self, id: Id, home: TheaterId, reply: Reply<bool>) {
        let home = self.has_moved_from(id, home);
        if self.own.contains_key(&id) {
            reply.send(true);
        } else if home == self.me {
            reply.send(false);
        } else {
            self.tell(home, Tell::Holds { id, home, reply });
        }
    }

    /// Nobody has a name by this registration: not where it was at home after so many moves, or
    /// before.
    pub(super) fn forget_everywhere(
        &mut self,
        name: &str,
        id: Id,
        moves: u64,
        ctx: &mut Context<'_, Self>,
    ) {
        self.have_forgotten(name, id, moves);
        self.forget(name, id, moves, ctx);
    }

    /// The same, for the other servers of the name.
    pub(super) fn have_forgotten(&self, name: &str, id: Id, moves: u64) {
        for server in self.view.ranked(name) {
            self.tell(server, Tell::Forget { name: name.into(), id, moves });
        }
    }

    /// The same, told by the first server.
    pub(super) fn forget(&mut self, name: &str, id: Id, moves: u64, ctx: &mut Context<'_, Self>) {
        if self.held.get(name).is_some_and(|entry| entry.id == id && entry.moves <= moves) {
            self.held.remove(name);
        }
        self.again(name, ctx);
    }
}
