//! S3: what becomes of an actor that has closed all its mailboxes.

use std::time::Duration;

use futures_channel::oneshot;
use odeon_core::*;

enum Door {
    CloseAll,
    /// Closes all, and a pipe opens the first one again when the channel says so, or not at all.
    Nap(oneshot::Receiver<bool>),
    /// As `Nap`; but the pipe is cancelled within the same handler, or handed out.
    Cancelled(Option<std::sync::mpsc::Sender<Pipe>>),
    Ask(Reply<u32>),
}

impl Message for Door {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        if let Self::Ask(_) = self { 1 } else { 0 }
    }
}

#[derive(Clone)]
struct House {
    answers: u32,
    then: WhenAllClosed,
}

impl House {
    fn new(then: WhenAllClosed) -> Self {
        Self { answers: 0, then }
    }
}

macro_rules! handle {
    ($self:ident, $msg:ident, $ctx:ident) => {
        match $msg {
            Door::CloseAll => $ctx.close_all_except([0_usize; 0]),
            Door::Nap(opens) => {
                $ctx.close_all_except([0_usize; 0]);
                $ctx.pipe(opens, |_, opens, ctx| {
                    if opens.unwrap_or(false) {
                        ctx.open(1);
                    }
                });
            }
            Door::Cancelled(hand_out) => {
                $ctx.close_all_except([0_usize; 0]);
                let pipe = $ctx.pipe(std::future::pending::<()>(), |_, _, _| {});
                match hand_out {
                    Some(channel) => channel.send(pipe).unwrap(),
                    None => assert!(pipe.cancel()),
                }
            }
            Door::Ask(reply) => {
                $self.answers += 1;
                reply.send($self.answers);
            }
        }
    };
}

impl Actor for House {
    type Msg = Door;
    fn selection(&self) -> Selection {
        Selection::priority().when_all_closed(self.then)
    }
    fn handle(&mut self, msg: Door, ctx: &mut Context<'_, Self>) {
        handle!(self, msg, ctx);
    }
}

/// The same house, handled by futures.
struct AsyncHouse(House);

impl AsyncActor for AsyncHouse {
    type Msg = Door;
    fn selection(&self) -> Selection {
        Actor::selection(&self.0)
    }
    async fn handle(&mut self, msg: Door, ctx: &mut AsyncContext<'_, Self>) {
        let this = &mut self.0;
        handle!(this, msg, ctx);
    }
}

/// The house on the pool, on a pinned stage, and with asynchronous handlers on both.
fn everywhere(theater: &Theater, then: WhenAllClosed) -> Vec<ActorRef<Door>> {
    let stage = theater.pinned("house").unwrap();
    vec![
        theater.spawn(House::new(then)),
        theater.spawn(AsyncHouse(House::new(then))),
        theater.actor().on(&stage).spawn(House::new(then)),
        theater.actor().on(&stage).spawn(AsyncHouse(House::new(then))),
    ]
}

#[test]
fn s3_with_all_mailboxes_closed_an_actor_fails_or_stops() {
    let theater = Theater::new().unwrap();
    for (then, reason) in
        [(WhenAllClosed::Fail, EndReason::Failed), (WhenAllClosed::Stop, EndReason::Stopped)]
    {
        for house in everywhere(&theater, then) {
            assert_eq!(house.ask(Door::Ask).wait(), Ok(1));
            // What its panic says is kept for those who watch it by then.
            let ended = house.ended();
            house.send(Door::CloseAll).unwrap();
            // Sent in any case: it may come before the end, and is a dead letter then.
            let waits = house.ask(Door::Ask);
            let ended = ended.wait();
            assert_eq!(ended.reason(), reason);
            assert!(waits.wait().is_err());
            match then {
                WhenAllClosed::Fail => {
                    let text = ended.failure().expect("it says why").to_owned();
                    assert!(text.contains("all mailboxes of the actor are closed"), "{text}");
                }
                _ => assert_eq!(ended.failure(), None),
            }
        }
    }
}

#[test]
fn s3_a_pipe_that_may_open_one_lets_it_wait() {
    let theater = Theater::new().unwrap();
    for house in everywhere(&theater, WhenAllClosed::Fail) {
        let (opens, opened) = oneshot::channel();
        house.send(Door::Nap(opened)).unwrap();
        let waits = house.ask(Door::Ask);
        std::thread::sleep(Duration::from_millis(5));
        assert!(!house.is_stopped());
        opens.send(true).unwrap();
        assert_eq!(waits.wait(), Ok(1));
    }
}

#[test]
fn s3_a_pipe_that_opens_none_does_not() {
    let theater = Theater::new().unwrap();
    for house in everywhere(&theater, WhenAllClosed::Fail) {
        let (opens, opened) = oneshot::channel();
        house.send(Door::Nap(opened)).unwrap();
        opens.send(false).unwrap();
        assert_eq!(house.ended().wait().reason(), EndReason::Failed);
    }
}

#[test]
fn s3_a_pipe_that_is_cancelled_does_not_either() {
    let theater = Theater::new().unwrap();
    for house in everywhere(&theater, WhenAllClosed::Fail) {
        house.send(Door::Cancelled(None)).unwrap();
        assert_eq!(house.ended().wait().reason(), EndReason::Failed);
    }
    for house in everywhere(&theater, WhenAllClosed::Stop) {
        let (hand_out, pipes) = std::sync::mpsc::channel();
        house.send(Door::Cancelled(Some(hand_out))).unwrap();
        assert!(pipes.recv().unwrap().cancel());
        assert_eq!(house.ended().wait().reason(), EndReason::Stopped);
    }
}

#[test]
fn s3_who_is_restarted_or_resumed_has_all_mailboxes_open() {
    let theater = Theater::new().unwrap();
    let restarted = Supervision::new().pauses(Duration::ZERO, Duration::ZERO);
    let resumed = Supervision::new().always(Directive::Resume);
    for (supervision, answer) in [(restarted, 1), (resumed, 2)] {
        let house = || House::new(WhenAllClosed::Fail);
        let plain = theater.actor().supervised(supervision.clone()).spawn(house);
        let waiting = theater.actor().supervised(supervision).spawn(move || AsyncHouse(house()));
        for house in [plain, waiting] {
            assert_eq!(house.ask(Door::Ask).wait(), Ok(1));
            house.send(Door::CloseAll).unwrap();
            assert_eq!(house.ask(Door::Ask).wait(), Ok(answer));
        }
    }
}

/// Closed from the start on.
struct Shut(WhenAllClosed);

impl Actor for Shut {
    type Msg = Door;
    fn selection(&self) -> Selection {
        Selection::default().when_all_closed(self.0)
    }
    fn guards(&self, guards: &mut DeclaredGuards<'_, Door>) {
        (0..3).for_each(|mailbox: usize| guards.set(mailbox, false));
    }
    fn handle(&mut self, _: Door, _: &mut Context<'_, Self>) {}
}

#[test]
fn s3_an_actor_that_starts_with_all_closed_ends_at_once() {
    let theater = Theater::new().unwrap();
    for (then, reason) in
        [(WhenAllClosed::Fail, EndReason::Failed), (WhenAllClosed::Stop, EndReason::Stopped)]
    {
        assert_eq!(theater.spawn(Shut(then)).ended().wait().reason(), reason);
    }
}
