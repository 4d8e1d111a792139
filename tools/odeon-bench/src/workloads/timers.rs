//! `timers`: an actor arms and cancels timers while very many are pending.

use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_example_run::XorShift64;
use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

/// See the module.
pub(super) static TIMERS: Workload = Workload {
    summary: "an actor arms timers and cancels them before they fire, while many are pending",
    operation: "timer armed and cancelled",
    floor_is: "boxed closures in a BTreeMap by time and number, on one thread",
    parameters: &[
        Parameter::number("pending", "timers pending all the while", 0, 10_000_000, 1_000_000),
        Parameter::number("timers", "timers to arm and cancel", 1, 1_000_000_000, 1_000_000),
        Parameter::word("cancel", "which timer is cancelled after one is armed", &[NEWEST, OLDEST]),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("timers", run, floor)
};

/// The timer just armed: a deadline that is met at once.
const NEWEST: &str = "newest";
/// The one pending for longest, so that each is pending for as long as all the others take.
const OLDEST: &str = "oldest";

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let (ready, is_ready) = finish_line(1);
    let (finish, waiting) = finish_line(1);
    let order = TimersOrder::of(params);
    let actor = theater.spawn(Arming { order, timers: VecDeque::new(), ready, finish });
    actor.post(ToArming::Prepare);
    is_ready.wait()?;
    waiting
        .time(order.timers, || {
            actor.post(ToArming::Begin);
        })
        .map(Measured::from)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let order = TimersOrder::of(params);
    let mut map = Map { origin: Instant::now(), timers: BTreeMap::new(), armed: 0 };
    let mut timers = order.prepare(|delay| map.arm(delay));
    let (measured, cancelled) = Measured::time(order.timers, || {
        order.carry_out(&mut timers, &mut map, Map::arm, |map, key| map.cancel(key))
    });
    order.check(cancelled).map(|()| measured)
}

/// What is to be done, with or without a runtime.
#[derive(Clone, Copy)]
struct TimersOrder {
    pending: u64,
    timers: u64,
    newest: bool,
}

impl TimersOrder {
    fn of(params: &Params) -> Self {
        Self {
            pending: params.number("pending"),
            timers: params.number("timers"),
            newest: params.word("cancel") == NEWEST,
        }
    }

    /// The timers that are pending from the beginning.
    fn prepare<T>(self, arm: impl FnMut(Duration) -> T) -> VecDeque<T> {
        delays(0).take(self.pending as usize).map(arm).collect()
    }

    /// Arms and cancels; how many were cancelled before they fired.
    fn carry_out<S, T>(
        self,
        timers: &mut VecDeque<T>,
        state: &mut S,
        arm: impl Fn(&mut S, Duration) -> T,
        cancel: impl Fn(&mut S, T) -> bool,
    ) -> u64 {
        let mut cancelled = 0;
        for delay in delays(1).take(self.timers as usize) {
            timers.push_back(arm(state, delay));
            let timer = if self.newest { timers.pop_back() } else { timers.pop_front() };
            cancelled += u64::from(timer.is_some_and(|timer| cancel(state, timer)));
        }
        cancelled
    }

    fn check(self, cancelled: u64) -> Result<(), BenchError> {
        if cancelled == self.timers {
            Ok(())
        } else {
            Err(BenchError::WrongResult(self.wrong(cancelled)))
        }
    }

    fn wrong(self, cancelled: u64) -> String {
        format!("{cancelled} of {} timers were cancelled", self.timers)
    }
}

/// One minute to about two hours: spread over the wheel, and none fires during a run.
fn delays(stream: usize) -> impl Iterator<Item = Duration> {
    let mut random = XorShift64::of_actor(stream);
    std::iter::repeat_with(move || Duration::from_millis(60_000 + (random.next() >> 41)))
}

#[derive(Message)]
enum ToArming {
    Prepare,
    Begin,
    Fired,
}

struct Arming {
    order: TimersOrder,
    timers: VecDeque<Timer>,
    ready: Finish,
    finish: Finish,
}

impl Actor for Arming {
    type Msg = ToArming;

    fn handle(&mut self, message: ToArming, ctx: &mut Context<'_, Self>) {
        match message {
            ToArming::Prepare => {
                self.timers = self.order.prepare(|delay| ctx.send_after(delay, ToArming::Fired));
                self.ready.arrive();
            }
            ToArming::Begin => {
                let arm = |ctx: &mut &mut Context<'_, Self>, delay| {
                    ctx.send_after(delay, ToArming::Fired)
                };
                let cancel = |_: &mut &mut Context<'_, Self>, timer: Timer| timer.cancel();
                let cancelled = self.order.carry_out(&mut self.timers, &mut &mut *ctx, arm, cancel);
                let wrong = || self.order.wrong(cancelled);
                self.finish.arrive_if(cancelled == self.order.timers, wrong);
            }
            // WHY nothing: it shows as a timer that could not be cancelled, unless it comes too
            // late to matter.
            ToArming::Fired => {}
        }
    }
}

/// Timers without a runtime.
struct Map {
    origin: Instant,
    timers: BTreeMap<(Duration, u64), Box<dyn FnOnce()>>,
    armed: u64,
}

impl Map {
    fn arm(&mut self, delay: Duration) -> (Duration, u64) {
        self.armed += 1;
        let (key, message) = ((self.origin.elapsed() + delay, self.armed), self.armed);
        self.timers.insert(key, Box::new(move || _ = std::hint::black_box(message)));
        key
    }

    fn cancel(&mut self, key: (Duration, u64)) -> bool {
        self.timers.remove(&key).is_some()
    }
}
