//! S5: a panic in what an asker makes of an answer is its own failure, and not the answerer's.

use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const PATIENCE: Duration = Duration::from_secs(30);

/// Answers, or does not.
struct Answerer {
    kept: Vec<Reply<u32>>,
}

enum Question {
    Answer(Reply<u32>),
    Keep(Reply<u32>),
    /// Panics with the reply in its hand.
    Fall(Reply<u32>),
}

impl Message for Question {}

impl Actor for Answerer {
    type Msg = Question;
    fn handle(&mut self, question: Question, _: &mut Context<'_, Self>) {
        match question {
            Question::Answer(reply) => reply.send(1),
            Question::Keep(reply) => self.kept.push(reply),
            Question::Fall(reply) => {
                let _reply = reply;
                silent_panic("the answerer")
            }
        }
    }
}

/// How an asker asks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    To,
    /// By a conversion with captures.
    ToCapturing,
    Blocked,
    Within,
    BlockedWithin,
    /// The time is over.
    TooLate,
    BlockedTooLate,
}

const WAYS: [How; 7] = [
    How::To,
    How::ToCapturing,
    How::Blocked,
    How::Within,
    How::BlockedWithin,
    How::TooLate,
    How::BlockedTooLate,
];

enum Order {
    Ask(How, ActorRef<Question>, fn(Reply<u32>) -> Question),
    Answered,
    Ping(Reply<u32>),
}

impl Message for Order {
    const MAILBOXES: usize = 3;
    fn mailbox(&self) -> usize {
        match self {
            Self::Answered => 0,
            Self::Ask(..) => 1,
            Self::Ping(_) => 2,
        }
    }
}

const TEXT: &str = "the asker's conversion";

fn convert(_: Result<u32, AskError>) -> Order {
    silent_panic(TEXT)
}

struct Asker {
    pinged: u32,
}

impl Actor for Asker {
    type Msg = Order;
    fn handle(&mut self, order: Order, ctx: &mut Context<'_, Self>) {
        let captured = self.pinged;
        match order {
            Order::Ask(how, answerer, question) => {
                let reply = match how {
                    How::To => ctx.reply_to(convert),
                    How::ToCapturing => ctx.reply_to(move |_| {
                        assert_eq!(captured, u32::MAX, "{TEXT}");
                        Order::Answered
                    }),
                    How::Blocked => ctx.reply_blocked(0, convert),
                    How::Within => ctx.reply_within(PATIENCE, convert),
                    How::BlockedWithin => ctx.reply_blocked_within(PATIENCE, 0, convert),
                    How::TooLate => ctx.reply_within(Duration::ZERO, convert),
                    How::BlockedTooLate => ctx.reply_blocked_within(Duration::ZERO, 0, convert),
                };
                answerer.send(question(reply)).unwrap();
            }
            Order::Answered => unreachable!("no answer can be made"),
            Order::Ping(reply) => {
                self.pinged += 1;
                reply.send(self.pinged);
            }
        }
    }
}

impl AsyncActor for Asker {
    type Msg = Order;
    async fn handle(&mut self, order: Order, ctx: &mut AsyncContext<'_, Self>) {
        match order {
            Order::Ask(how, answerer, question) => {
                let reply = match how {
                    How::To | How::ToCapturing => ctx.reply_to(convert),
                    How::Blocked => ctx.reply_blocked(0, convert),
                    How::Within => ctx.reply_within(PATIENCE, convert),
                    How::TooLate => ctx.reply_within(Duration::ZERO, convert),
                    How::BlockedWithin | How::BlockedTooLate => unreachable!("plain actors only"),
                };
                answerer.send(question(reply)).unwrap();
            }
            Order::Answered => unreachable!("no answer can be made"),
            Order::Ping(reply) => {
                self.pinged += 1;
                reply.send(self.pinged);
            }
        }
    }
}

/// The asker on the pool and on a pinned stage, with asynchronous handlers on both.
fn askers(theater: &Theater, supervision: Supervision) -> [ActorRef<Order>; 4] {
    let (stage, asker) = (theater.pinned("askers").unwrap(), || Asker { pinged: 0 });
    [
        theater.actor().supervised(supervision.clone()).spawn::<extend::Plain, _>(asker),
        theater.actor().on(&stage).supervised(supervision.clone()).spawn::<extend::Plain, _>(asker),
        theater.actor().supervised(supervision.clone()).spawn::<extend::Asynchronous, _>(asker),
        theater.actor().on(&stage).supervised(supervision).spawn::<extend::Asynchronous, _>(asker),
    ]
}

/// What the answerer is to do, so that the time of those that are too late is over.
fn question(how: How) -> fn(Reply<u32>) -> Question {
    match how {
        How::TooLate | How::BlockedTooLate => Question::Keep,
        _ => Question::Answer,
    }
}

/// Whether asynchronous actors, the last two of [`askers`], cannot ask so.
fn is_plain_only(how: How) -> bool {
    matches!(how, How::BlockedWithin | How::BlockedTooLate)
}

#[test]
fn s5_an_answer_that_cannot_be_made_ends_the_asker_and_not_the_answerer() {
    let theater = Theater::new().unwrap();
    let answerer = theater.spawn(Answerer { kept: Vec::new() });
    for how in WAYS {
        let ends = Supervision::new().always(Directive::Stop);
        for (kind, asker) in askers(&theater, ends).into_iter().enumerate() {
            if is_plain_only(how) && kind >= 2 {
                continue;
            }
            asker.send(Order::Ask(how, answerer.clone(), question(how))).unwrap();
            let ended = asker.ended().wait();
            assert_eq!(ended.reason(), EndReason::Failed, "{how:?}");
            let text = ended.failure().expect("it says why");
            assert!(text.contains(TEXT), "{how:?}: {text}");
            assert_eq!(answerer.ask(Question::Answer).wait_timeout(PATIENCE), Ok(1), "{how:?}");
        }
    }
}

#[test]
fn s5_an_asker_that_is_resumed_does_not_wait_for_an_answer_that_cannot_be_made() {
    let theater = Theater::new().unwrap();
    let answerer = theater.spawn(Answerer { kept: Vec::new() });
    for how in WAYS {
        let resumed = Supervision::new().always(Directive::Resume);
        for (kind, asker) in askers(&theater, resumed).into_iter().enumerate() {
            if is_plain_only(how) && kind >= 2 {
                continue;
            }
            for n in 1..4 {
                asker.send(Order::Ask(how, answerer.clone(), question(how))).unwrap();
                let ping = asker.ask(Order::Ping).wait_timeout(PATIENCE);
                assert_eq!(ping, Ok(n), "{how:?}, kind {kind}");
            }
        }
    }
}

#[test]
fn s5_an_answer_that_cannot_be_made_in_a_panic_ends_both_and_not_the_process() {
    let theater = Theater::new().unwrap();
    for asker in askers(&theater, Supervision::new().always(Directive::Stop)) {
        let answerer = theater.spawn(Answerer { kept: Vec::new() });
        asker.send(Order::Ask(How::Blocked, answerer.clone(), Question::Fall)).unwrap();
        for ended in [asker.ended().wait(), answerer.ended().wait()] {
            assert_eq!(ended.reason(), EndReason::Failed);
        }
    }
}
