//! `restart`: a supervised actor fails again and again in front of many waiting messages.

use crate::workload::prelude::*;
use odeon::prelude::*;
use std::hint::black_box;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// See the module.
pub(super) static RESTART: Workload = Workload {
    summary: "a supervised actor with many waiting messages fails and is restarted, many times",
    operation: "restart",
    floor_is: "a loop that catches an unwinding and makes the state anew",
    parameters: &[
        Parameter::number("restarts", "failing messages in a row", 1, 1_000_000, 200),
        Parameter::number("queued", "ordinary messages behind them", 1, 100_000_000, 10_000)
            .outside_floor(),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("restart", run, floor)
};

/// The time is that from the first failure to the first ordinary message.
fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let (restarts, queued) = (params.number("restarts"), params.number("queued"));
    let (finish, waiting) = finish_line(1);
    let course = Arc::new(RestartCourse::default());
    let kept = course.clone();
    let fragile = theater.actor().supervised(always_at_once()).spawn(move || {
        // ORDERING: Relaxed: read after the finish line, which orders it.
        kept.lives.fetch_add(1, Ordering::Relaxed);
        Fragile { next: 0, queued, course: kept.clone(), finish: finish.clone() }
    });
    fragile.post(RestartOrder::Begin { restarts });
    waiting.wait()?;
    course.measured(restarts)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let restarts = params.number("restarts");
    let (measured, lives) = Measured::time(restarts, || {
        let mut life = black_box(1);
        for _ in 0..restarts {
            if catch_unwind(AssertUnwindSafe(|| fail(&mut life))).is_err() {
                life = black_box(life + 1);
            }
        }
        life
    });
    check_lives(lives, restarts).map(|()| measured)
}

fn always_at_once() -> Supervision {
    let no_limit = Supervision::new().restarts(u32::MAX, Duration::from_secs(1));
    no_limit.pauses(Duration::ZERO, Duration::ZERO)
}

/// A panic without its hook, which would print.
fn fail(life: &mut u64) {
    black_box(life);
    resume_unwind(Box::new(()));
}

fn check_lives(lives: u64, restarts: u64) -> Result<(), BenchError> {
    if lives == restarts + 1 {
        return Ok(());
    }
    let found = format!("{restarts} failures left the actor with {lives} lives");
    Err(BenchError::WrongResult(found))
}

/// What outlives every restart.
#[derive(Default)]
struct RestartCourse {
    lives: AtomicU64,
    first_failure: OnceLock<Instant>,
    recovery: OnceLock<Duration>,
}

impl RestartCourse {
    fn measured(&self, restarts: u64) -> Result<Measured, BenchError> {
        check_lives(self.lives.load(Ordering::Relaxed), restarts)?;
        match self.recovery.get() {
            Some(recovery) => Ok(Measured::new(restarts, *recovery)),
            None => Err(BenchError::WrongResult("the actor never failed".to_owned())),
        }
    }
}

#[derive(Message)]
enum RestartOrder {
    /// Has the actor send itself all that follows, so that it waits when the first failure comes.
    Begin {
        restarts: u64,
    },
    Fail,
    /// With its number.
    Ordinary(u64),
}

struct Fragile {
    /// Number of the next ordinary message: each life counts from 0, and the last gets all of them.
    next: u64,
    queued: u64,
    course: Arc<RestartCourse>,
    finish: Finish,
}

impl Actor for Fragile {
    type Msg = RestartOrder;

    fn handle(&mut self, order: RestartOrder, ctx: &mut Context<'_, Self>) {
        match order {
            RestartOrder::Begin { restarts } => {
                (0..restarts).for_each(|_| ctx.send_self(RestartOrder::Fail));
                (0..self.queued).for_each(|number| ctx.send_self(RestartOrder::Ordinary(number)));
            }
            RestartOrder::Fail => {
                self.course.first_failure.get_or_init(Instant::now);
                fail(&mut self.next);
            }
            RestartOrder::Ordinary(number) => self.count(number),
        }
    }
}

impl Fragile {
    fn count(&mut self, number: u64) {
        if let (0, Some(failure)) = (number, self.course.first_failure.get()) {
            self.course.recovery.get_or_init(|| failure.elapsed());
        }
        if number != self.next {
            let next = self.next;
            self.finish.arrive_if(false, || format!("message {number} came instead of {next}"));
            return;
        }
        self.next += 1;
        if self.next == self.queued {
            self.finish.arrive();
        }
    }
}
