//! The deeds that plain and asynchronous actors carry out in the same way.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll};
use std::time::Duration;

use futures_core::Stream;
use odeon_core::*;
use odeon_testkit::{Tracked, yields};

use crate::actors::{Plain, Role};
use crate::program::{Deed, Program};
use crate::world::{Msg, World, returned};

/// The numbers below `end`; wakes its reader without need now and then.
pub(crate) struct Numbers {
    next: u32,
    end: u32,
    _value: Tracked<()>,
}

impl Numbers {
    pub(crate) fn below(end: u32, world: &World) -> Self {
        Self { next: 0, end, _value: world.values.track(()) }
    }
}

impl Stream for Numbers {
    type Item = u32;
    fn poll_next(mut self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Option<u32>> {
        if self.next == self.end {
            return Poll::Ready(None);
        }
        self.next += 1;
        if self.next % 5 == 0 {
            cx.waker().wake_by_ref();
        }
        Poll::Ready(Some(self.next - 1))
    }
}

/// Carries out a deed that needs nothing of its actor but its world; whether this was one.
pub(crate) fn do_outside(world: &World, deed: &Deed) -> bool {
    match deed {
        Deed::Send { to, mailbox, program } => {
            if let Some(to) = world.peer(*to) {
                returned(to.send(world.run(*mailbox, program)));
            }
        }
        Deed::TrySend { to, mailbox, program } => {
            if let Some(to) = world.peer(*to) {
                returned(to.try_send(world.run(*mailbox, program)));
            }
        }
        Deed::Publish(program) => {
            world.group.publish(Msg::without_ticket(1, program));
        }
        Deed::SendToPool(program) => {
            if let Some(pool) = world.pool.get() {
                returned(pool.send(world.run(1, program)));
            }
        }
        Deed::Stop { whom } => {
            if let Some(whom) = world.peer(*whom) {
                whom.stop();
            }
        }
        Deed::Panic => odeon_testkit::silent_panic("as the program says"),
        _ => return false,
    }
    true
}

/// Two more messages for a child, which nobody keeps then.
pub(crate) fn bring_up(world: &World, child: &ActorRef<Msg>, program: &Program) {
    (0..2).for_each(|_| returned(child.send(world.run(1, program))));
}

pub(crate) fn child(world: &Arc<World>) -> Bounded<Plain> {
    Bounded::new(Plain(Role::new(world))).mailbox(1, Bound::wait(1))
}

/// A future that polls so often, and a value that it keeps until then.
pub(crate) fn work(world: &World, polls: u32) -> impl Future<Output = Tracked<()>> + use<> {
    let value = world.values.track(());
    async move {
        yields(polls).await;
        value
    }
}

/// The answer to a question without a program.
pub(crate) fn ask(
    whom: &ActorRef<Msg>,
    within: Option<Duration>,
) -> Pin<Box<dyn Future<Output = Result<(), AskError>> + Send>> {
    let question = |reply| Msg::Question { reply, program: Program::new(), ticket: None };
    match within {
        None => Box::pin(whom.ask(question)),
        Some(limit) => Box::pin(whom.ask_within(limit, question)),
    }
}

/// Carries out one deed of an actor, `Plain` or `Waiting`: their contexts have the same methods,
/// but no trait. What waits does nothing here.
macro_rules! do_one {
    ($this:expr, $deed:expr, $ctx:expr) => {{
        let (deed, world) = ($deed, $this.0.world.clone());
        if !$crate::deeds::do_outside(&world, deed) {
            match deed {
                Deed::Ask { to, program } => {
                    if let Some(to) = world.peer(*to) {
                        world.counts.asked.add();
                        let asker = world.clone();
                        let reply = $ctx.reply_to(move |_| {
                            asker.counts.answered.add();
                            Msg::Answer
                        });
                        let (program, ticket) = (program.clone(), Some(world.ledger.ticket()));
                        let question = Msg::Question { reply, program, ticket };
                        $crate::world::returned(to.send(question));
                    }
                }
                Deed::SendAsync { to, mailbox, program } => {
                    if let Some(to) = world.peer(*to) {
                        let (to, msg) = (to.clone(), Msg::without_ticket(*mailbox, program));
                        world.counts.pipes.add();
                        let send = async move { to.send_async(msg).await.is_ok() };
                        $ctx.pipe(send, |this, _, ctx| this.go_on(&Program::new(), ctx));
                    }
                }
                Deed::PipeQuestion { to, within, then } => {
                    if let Some(to) = world.peer(*to) {
                        world.counts.pipes.add();
                        let (answer, then) = ($crate::deeds::ask(to, *within), then.clone());
                        $ctx.pipe(answer, move |this, _, ctx| this.go_on(&then, ctx));
                    }
                }
                Deed::Pipe { yields, then } => {
                    world.counts.pipes.add();
                    let (then, value) = (then.clone(), world.values.track(()));
                    $ctx.pipe($crate::deeds::work(&world, *yields), move |this, output, ctx| {
                        drop((output, value));
                        this.go_on(&then, ctx);
                    });
                }
                Deed::PipeFailure { yields } => {
                    let work = $crate::deeds::work(&world, *yields);
                    let fails = async move {
                        let _value = work.await;
                        odeon_testkit::silent_panic("a pipe")
                    };
                    $ctx.pipe(fails, |_, (), _| ());
                }
                Deed::PipeWithin { yields, limit, then } => {
                    world.counts.pipes.add();
                    let (then, yields) = (then.clone(), *yields);
                    let work = $crate::deeds::work(&world, yields.unwrap_or(0));
                    let work = async move {
                        if yields.is_none() {
                            std::future::pending::<()>().await;
                        }
                        drop(work.await);
                    };
                    $ctx.pipe_within(*limit, work, move |this, _, ctx| this.go_on(&then, ctx));
                }
                Deed::PipeAndKeep { yields, then } => {
                    world.counts.pipes.add();
                    let then = then.clone();
                    let work = $crate::deeds::work(&world, *yields);
                    let pipe = $ctx.pipe(work, move |this, _, ctx| this.go_on(&then, ctx));
                    $this.0.kept = Some(pipe);
                }
                Deed::CancelKept => $this.0.cancel_kept(),
                Deed::SendSelf(program) => $ctx.send_self(world.run(program.len() % 2, program)),
                Deed::SendAfter(delay, program) => {
                    $ctx.send_after(*delay, Msg::without_ticket(1, program));
                }
                Deed::Attach { items } => {
                    let (stream, items) = (world.counts.streams.next(), *items);
                    if $this.0.keeps_all() {
                        world.counts.streams_kept.add();
                    }
                    odeon_stream::Attach::attach_to_end(
                        $ctx,
                        $crate::deeds::Numbers::below(items, &world),
                        move |number| Msg::Item { stream, number },
                        move || Msg::End { stream, items },
                    );
                }
                Deed::Spawn(program) => {
                    let child = $ctx.spawn($crate::deeds::child(&world));
                    $crate::deeds::bring_up(&world, &child, program);
                }
                Deed::Guard { open: true } => $ctx.open(1),
                Deed::Guard { open: false } => $ctx.close(1),
                Deed::StopSelf => $ctx.stop(),
                // Of those that wait only asynchronous handlers and dedicated threads make
                // something.
                _ => {}
            }
        }
    }};
}
pub(crate) use do_one;
