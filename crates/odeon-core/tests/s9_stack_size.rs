//! S9: each theater has its own settings: the stacks of a theater's threads are as large as its
//! builder says.

use std::hint::black_box;
use std::time::Duration;

use odeon_core::*;

/// More than a thread has by itself.
const NEEDED: usize = 24 << 20;

/// Uses so many bytes of its thread's stack.
fn use_stack(bytes: usize) -> usize {
    let here = black_box([1_u8; 4096]);
    let below = bytes.checked_sub(here.len()).map_or(0, use_stack);
    black_box(&here).iter().map(|one| usize::from(*one)).sum::<usize>() + below
}

struct Deep;

impl Actor for Deep {
    type Msg = Box<Reply<usize>>;
    fn handle(&mut self, reply: Self::Msg, _: &mut Context<'_, Self>) {
        reply.send(use_stack(NEEDED));
    }
}

#[test]
fn s9_every_thread_has_the_stack_that_the_builder_says() {
    let theater = Theater::builder().workers(1).stack_size(8 * NEEDED).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let actors = [
        theater.spawn(Deep),
        theater.actor().on(&stage).spawn(Deep),
        theater.actor().dedicated("own").spawn(Deep).unwrap(),
    ];
    for actor in actors {
        // A stack that is too small ends the process.
        assert!(actor.ask(Box::new).wait().unwrap() >= NEEDED);
    }
    // What is made of an answer that is too late is made on the timers' thread.
    let (told, deep) = std::sync::mpsc::channel();
    let late = theater.spawn(Late(told));
    late.send(Waits::Begin).unwrap();
    assert!(deep.recv_timeout(Duration::from_secs(30)).unwrap() >= NEEDED);
}

/// Asks, and answers never.
struct Late(std::sync::mpsc::Sender<usize>);

enum Waits {
    Begin,
    Question(#[expect(dead_code, reason = "kept until it is too late")] Reply<()>),
    Over(usize),
}

impl Message for Waits {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        if let Self::Question(_) = self { 1 } else { 0 }
    }
}

impl Actor for Late {
    type Msg = Waits;
    fn handle(&mut self, msg: Waits, ctx: &mut Context<'_, Self>) {
        match msg {
            Waits::Begin => {
                ctx.close(1);
                let over = |_| Waits::Over(use_stack(NEEDED));
                let reply = ctx.reply_within(Duration::ZERO, over);
                ctx.actor_ref().send(Waits::Question(reply)).unwrap();
            }
            Waits::Question(_) => unreachable!("its mailbox is closed"),
            Waits::Over(depth) => self.0.send(depth).unwrap(),
        }
    }
}
