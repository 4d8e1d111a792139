//! How it is found out whether a registration is in force: its home says so, to whoever sees it or by way of another server that does.

use odeon_core::{AskError, Context, Reply};

use super::deciding::{RETRY, Waiting};
use super::entry::{Entry, Id};
use super::server::Server;
use super::tell::Tell;

/// Whether a registration is in force. `Err`: that is not to be known yet.
pub(super) type InForce = Result<bool, AskError>;

type GoOn = Box<dyn FnOnce(&mut Server, InForce, &mut Context<'_, Server>) + Send>;

/// A question to all servers in sight whether a registration is in force, whose home is not in sight.
pub(super) struct Inquiry {
    /// How many have not said yet.
    left: usize,
    go_on: GoOn,
}

impl Server {
    /// Finds out whether a registration is in force, for a question that waits for it.
    pub(super) fn doubt(&mut self, entry: Entry, waiting: Waiting, ctx: &mut Context<'_, Self>) {
        self.wait(waiting);
        if self.in_doubt.insert(entry.id) {
            self.inquire(entry.id, ctx, move |it, in_force, ctx| {
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
                self.forget_everywhere(&entry.name, entry.id, ctx);
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

    /// Finds out whether a registration is in force.
    pub(super) fn inquire(
        &mut self,
        id: Id,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, InForce, &mut Context<'_, Self>) + Send + 'static,
    ) {
        if id.home == self.me {
            let in_force = self.own.contains_key(&id.number);
            return go_on(self, Ok(in_force), ctx);
        }
        if self.peers.contains_key(&id.home) {
            let reply = ctx.reply_to(|said| Tell::then(move |it, ctx| go_on(it, said, ctx)));
            return self.tell(id.home, Tell::Holds { id, reply });
        }
        if self.must_seek(id.home, ctx) {
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
            self.tell(server, Tell::Holds { id, reply });
        }
    }

    /// A server has said whether a registration is in force, if it sees its home. If nobody does the home is lost.
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
    pub(super) fn says_whether_it_holds(&self, id: Id, reply: Reply<bool>) {
        if id.home == self.me {
            reply.send(self.own.contains_key(&id.number));
        } else {
            self.tell(id.home, Tell::Holds { id, reply });
        }
    }

    /// Nobody has a name by this registration.
    pub(super) fn forget_everywhere(&mut self, name: &str, id: Id, ctx: &mut Context<'_, Self>) {
        self.have_forgotten(name, id);
        self.forget(name, id, ctx);
    }

    /// The same, for the other servers of the name.
    pub(super) fn have_forgotten(&self, name: &str, id: Id) {
        for server in self.view.ranked(name) {
            self.tell(server, Tell::Forget { name: name.into(), id });
        }
    }

    /// The same, told by the first server.
    pub(super) fn forget(&mut self, name: &str, id: Id, ctx: &mut Context<'_, Self>) {
        if self.held.get(name).is_some_and(|entry| entry.id == id) {
            self.held.remove(name);
        }
        self.again(name, ctx);
    }
}
