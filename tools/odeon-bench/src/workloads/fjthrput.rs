//! `fjthrput` (fork-join throughput): the main thread sends to many actors in turn.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::hint::black_box;

/// See the module.
pub(super) static FORK_JOIN_THROUGHPUT: Workload = Workload {
    summary: "the main thread sends to many actors in turn, spread over their mailboxes",
    operation: "message",
    floor_is: "the main thread pushes each message to a VecDeque, pops it and does the work",
    parameters: &[
        Parameter::number("actors", "receiving actors", 1, 1_000_000, 60),
        Parameter::number("messages", "messages to each actor", 1, 1_000_000_000, 400_000),
        Parameter::number("mailboxes", "mailboxes of each actor", 1, 64, 1)
            .outside_floor()
            .odeon_only(),
        Parameter::word("stats", "whether turns and messages are counted", &["off", "on"])
            .outside_floor()
            .odeon_only(),
        WORKERS,
    ],
    variants: &[Variant::Pool, Variant::Async],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("fjthrput", run, floor)
};

fn run(variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    // WHY: the number of mailboxes is a constant of the message type, so the command line picks
    // the smallest type that has enough; the sender uses exactly as many as asked.
    match params.count("mailboxes") {
        1 => count::<1>(variant, params),
        2 => count::<2>(variant, params),
        3..=4 => count::<4>(variant, params),
        5..=8 => count::<8>(variant, params),
        9..=16 => count::<16>(variant, params),
        17..=32 => count::<32>(variant, params),
        _ => count::<64>(variant, params),
    }
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let (actors, messages) = (params.count("actors"), params.number("messages"));
    let mut counters: Vec<Box<dyn FloorActor<()>>> =
        (0..actors).map(|_| Box::new(Work::new(messages)) as Box<dyn FloorActor<()>>).collect();
    let mut queue = FloorQueue::new();
    let (measured, ()) = Measured::time(actors as u64 * messages, || {
        for _ in 0..messages {
            for index in 0..actors {
                queue.post(index, ());
                queue.drive(&mut counters);
            }
        }
    });
    Ok(measured)
}

fn count<const CAPACITY: usize>(variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let stats = params.word("stats") == "on";
    let builder = Theater::builder().workers(params.count("workers")).stats(stats);
    let theater = builder.build().map_err(runtime)?;
    let (actors, messages) = (params.count("actors"), params.number("messages"));
    let mailboxes = params.number("mailboxes");
    let (finish, waiting) = finish_line(actors);
    let refs: Vec<ActorRef<ThroughputJob<CAPACITY>>> = (0..actors)
        .map(|_| {
            let worker = Worker { work: Work::new(messages), finish: finish.clone() };
            match variant {
                Variant::Async => theater.spawn(AsyncWorker(worker)),
                _ => theater.spawn(worker),
            }
        })
        .collect();
    waiting
        .time(actors as u64 * messages, || {
            for number in 0..messages {
                let mailbox = (number % mailboxes) as u8;
                for actor in &refs {
                    actor.post(ThroughputJob { mailbox });
                }
            }
        })
        .map(Measured::from)
}

/// What a handler does for each message.
struct Work {
    sum: f64,
    left: u64,
}

impl Work {
    fn new(messages: u64) -> Self {
        Self { sum: 0.0, left: messages }
    }

    /// Whether this was the last message.
    #[inline]
    fn step(&mut self) -> bool {
        let sine = f64::sin(black_box(37.2));
        self.sum += sine * sine;
        self.left -= 1;
        self.left == 0
    }
}

impl FloorActor<()> for Work {
    fn receive(&mut self, (): (), _queue: &mut FloorQueue<()>) {
        if self.step() {
            black_box(self.sum);
        }
    }
}

/// The same message for any number of mailboxes, so that only the mailboxes differ.
struct ThroughputJob<const CAPACITY: usize> {
    mailbox: u8,
}

impl<const CAPACITY: usize> Message for ThroughputJob<CAPACITY> {
    const MAILBOXES: usize = CAPACITY;

    fn mailbox(&self) -> usize {
        usize::from(self.mailbox)
    }
}

struct Worker<const CAPACITY: usize> {
    work: Work,
    finish: Finish,
}

impl<const CAPACITY: usize> Worker<CAPACITY> {
    #[inline]
    fn work(&mut self) {
        if self.work.step() {
            black_box(self.work.sum);
            self.finish.arrive();
        }
    }
}

impl<const CAPACITY: usize> Actor for Worker<CAPACITY> {
    type Msg = ThroughputJob<CAPACITY>;

    fn handle(&mut self, _job: ThroughputJob<CAPACITY>, _ctx: &mut Context<'_, Self>) {
        self.work();
    }
}

/// The same work in handlers that could wait, and do not.
struct AsyncWorker<const CAPACITY: usize>(Worker<CAPACITY>);

impl<const CAPACITY: usize> AsyncActor for AsyncWorker<CAPACITY> {
    type Msg = ThroughputJob<CAPACITY>;

    async fn handle(&mut self, _job: ThroughputJob<CAPACITY>, _ctx: &mut AsyncContext<'_, Self>) {
        self.0.work();
    }
}
