//! The questions of this theater about names: asked of the first server again and again, until it
//! can say or the time is up.

use std::time::Duration;

use odeon_core::{AskError, Context, Timer};

use super::deciding::RETRY;
use super::entry::Entry;
use super::server::Server;
use super::tell::{Question, Tell, Verdict, Wants};
use super::waiting::Waiting;

/// The longest time between two attempts.
// TUNE: 500 ms, a guess: rare enough for thousands of questions that wait for a server.
const LONGEST_RETRY: Duration = Duration::from_millis(500);

/// `None`: there was no answer in time.
type GoOn = Box<dyn FnOnce(&mut Server, Option<Verdict>, &mut Context<'_, Server>) + Send>;

/// See the module.
pub(super) struct Request {
    name: String,
    wants: Wants,
    delay: Duration,
    limit: Option<Timer>,
    go_on: GoOn,
}

impl Server {
    /// When a question of now is given up.
    pub(super) fn deadline(&self) -> Duration {
        self.now().saturating_add(self.settings.give_up_after)
    }

    /// Asks the first server of a name.
    pub(super) fn ask(
        &mut self,
        name: &str,
        wants: Wants,
        deadline: Duration,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, Option<Verdict>, &mut Context<'_, Self>) + Send + 'static,
    ) {
        let left = deadline.saturating_sub(self.now());
        let number = self.next();
        let limit = ctx.send_after(left, Tell::then(move |it, ctx| it.go_on(number, None, ctx)));
        self.begin(number, name, wants, Some(limit), Box::new(go_on), ctx);
    }

    /// Has the servers of a name know that nobody has it by this registration, however long that
    /// takes.
    pub(super) fn withdraw(&mut self, entry: &Entry, ctx: &mut Context<'_, Self>) {
        self.withdraw_and(entry, ctx, |_, _| {});
    }

    /// The same, and goes on when they know.
    pub(super) fn withdraw_and(
        &mut self,
        &Entry { ref name, id, moves, .. }: &Entry,
        ctx: &mut Context<'_, Self>,
        go_on: impl FnOnce(&mut Self, &mut Context<'_, Self>) + Send + 'static,
    ) {
        let number = self.next();
        let go_on = Box::new(|it: &mut Self, _, ctx: &mut Context<'_, Self>| go_on(it, ctx));
        self.begin(number, name, Wants::Remove { id, moves }, None, go_on, ctx);
    }

    fn begin(
        &mut self,
        number: u64,
        name: &str,
        wants: Wants,
        limit: Option<Timer>,
        go_on: GoOn,
        ctx: &mut Context<'_, Self>,
    ) {
        let request = Request { name: name.into(), wants, delay: RETRY, limit, go_on };
        self.requests.insert(number, request);
        self.attempt(number, ctx);
    }

    fn attempt(&mut self, number: u64, ctx: &mut Context<'_, Self>) {
        let Some(Request { name, wants, .. }) = self.requests.get(&number) else { return };
        let reply = ctx
            .reply_to(move |verdict| Tell::then(move |it, ctx| it.answered(number, verdict, ctx)));
        let (name, wants) = (name.clone(), wants.clone());
        let ranked = self.view.ranked(&name);
        self.asked(
            Waiting::new(Question { name, wants, ranked, hops: 0, reply, is_confirmed: false }),
            ctx,
        );
    }

    fn answered(
        &mut self,
        number: u64,
        verdict: Result<Verdict, AskError>,
        ctx: &mut Context<'_, Self>,
    ) {
        match verdict {
            Ok(Verdict::Again) | Err(_) => {
                if let Some(request) = self.requests.get_mut(&number) {
                    let delay = request.delay;
                    request.delay = (2 * delay).min(LONGEST_RETRY);
                    ctx.send_after(delay, Tell::then(move |it, ctx| it.attempt(number, ctx)));
                }
            }
            Ok(verdict) => self.go_on(number, Some(verdict), ctx),
        }
    }

    fn go_on(&mut self, number: u64, verdict: Option<Verdict>, ctx: &mut Context<'_, Self>) {
        let Some(request) = self.requests.remove(&number) else { return };
        if let Some(limit) = request.limit {
            limit.cancel();
        }
        (request.go_on)(self, verdict, ctx);
    }
}
