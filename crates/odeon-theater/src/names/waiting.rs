//! Questions that cannot be answered yet: each waits until something happens to its name, and no
//! longer than whoever asks does.

use std::mem;
use std::time::Duration;

use odeon_core::Context;

use super::entry::Id;
use super::server::Server;
use super::tell::{Question, Tell, Verdict};

/// A question that has come, and what has been found out for it.
pub(super) struct Waiting {
    pub(super) question: Question,
    /// This registration is in force: its home says so.
    pub(super) in_force: Option<Id>,
    /// Whoever asks has given it up by then, or asks again. `None`: it has not had to wait.
    until: Option<Duration>,
}

impl Waiting {
    pub(super) fn new(question: Question) -> Self {
        Self { question, in_force: None, until: None }
    }

    pub(super) fn answer(self, verdict: Verdict) {
        self.question.reply.send(verdict);
    }
}

impl Server {
    /// Puts a question off until something happens to its name.
    pub(super) fn wait(&mut self, mut waiting: Waiting, ctx: &mut Context<'_, Self>) {
        let deadline = self.deadline();
        waiting.until.get_or_insert(deadline);
        self.waiting.entry(waiting.question.name.clone()).or_default().push(waiting);
        if !mem::replace(&mut self.looks_at_waiting, true) {
            self.look_at_waiting_after(self.settings.give_up_after, ctx);
        }
    }

    fn look_at_waiting_after(&mut self, pause: Duration, ctx: &mut Context<'_, Self>) {
        ctx.send_after(pause, Tell::then(|it, ctx| it.look_at_waiting(ctx)));
    }

    /// Questions that have waited for long are not kept for those who may have given them up.
    fn look_at_waiting(&mut self, ctx: &mut Context<'_, Self>) {
        let now = self.now();
        let (mut next, mut over) = (None, Vec::new());
        self.waiting.retain(|_, waiting| {
            for question in mem::take(waiting) {
                match question.until {
                    Some(until) if until > now => {
                        next = Some(next.map_or(until, |next: Duration| next.min(until)));
                        waiting.push(question);
                    }
                    _ => over.push(question),
                }
            }
            !waiting.is_empty()
        });
        self.looks_at_waiting = next.is_some();
        if let Some(next) = next {
            self.look_at_waiting_after(next - now, ctx);
        }
        over.into_iter().for_each(|waiting| waiting.answer(Verdict::Again));
    }

    /// Looks again at the questions about a name.
    pub(super) fn again(&mut self, name: &str, ctx: &mut Context<'_, Self>) {
        let waiting = self.waiting.remove(name).unwrap_or_default();
        waiting.into_iter().for_each(|waiting| self.asked(waiting, ctx));
    }

    /// Looks again at all questions.
    pub(super) fn all_again(&mut self, ctx: &mut Context<'_, Self>) {
        let waiting = mem::take(&mut self.waiting);
        waiting.into_values().flatten().for_each(|waiting| self.asked(waiting, ctx));
    }
}
