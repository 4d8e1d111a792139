//! What the speculative actors of a run tell in its course, as JSON lines: samples while it runs,
//! and at the end, for each actor, which messages were rolled back at which variables, and its
//! decisions on the width.
//!
//! A workload says only which actors there are (`watch`), on the thread that was told to run it.

mod lines;

use crate::error::BenchError;
use crate::samples::Measured;
use lines::{ActorEnd, Sample};
use odeon::Message;
use odeon_speculative::{SpeculationStats, SpeculativeRef};
use serde::Serialize;
use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The modes with speculative actors, as workloads call them.
pub(crate) const MODES: [&str; 3] = ["adaptive", "concurrent", "sequential"];

/// TUNE: between two samples: some of each phase of a short run, and little work for the machine
/// that is looked at.
const PERIOD: Duration = Duration::from_millis(5);

/// What was recorded of one run.
#[derive(Debug)]
pub struct Trace {
    samples: Vec<Sample>,
    ends: Vec<ActorEnd>,
}

impl Trace {
    /// Writes the JSON lines: the samples, then one line for each actor.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        self.samples.iter().try_for_each(|line| write_line(&mut to, line))?;
        self.ends.iter().try_for_each(|line| write_line(&mut to, line))?;
        to.flush()
    }
}

fn write_line(to: &mut impl Write, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *to, line)?;
    writeln!(to)
}

type TellStats = Box<dyn Fn() -> SpeculationStats + Send>;

/// The actors of a run, in the order in which they were made.
type Watched = Arc<Mutex<Vec<TellStats>>>;

thread_local! {
    /// Those of the run that this thread records, if it does.
    static WATCHED: RefCell<Option<Watched>> = const { RefCell::new(None) };
}

/// Whether the run that this thread sets up is recorded.
pub(crate) fn is_on() -> bool {
    WATCHED.with_borrow(Option::is_some)
}

/// Has an actor of the run that this thread sets up recorded, if it is.
pub(crate) fn watch<M: Message>(actor: &SpeculativeRef<M>) {
    WATCHED.with_borrow(|watched| {
        if let Some(watched) = watched {
            let actor = actor.clone();
            actors(watched).push(Box::new(move || actor.speculation()));
        }
    });
}

fn actors(watched: &Watched) -> std::sync::MutexGuard<'_, Vec<TellStats>> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records a run of a workload.
///
/// # Errors
/// The run's; and if it has no speculative actors.
pub fn record(run: impl FnOnce() -> Result<Measured, BenchError>) -> Result<Trace, BenchError> {
    let watched = Watched::default();
    let (stop, stopped) = channel();
    let sampler = thread::spawn({
        let watched = watched.clone();
        move || sample(&watched, &stopped)
    });
    WATCHED.set(Some(watched.clone()));
    let ended = run();
    WATCHED.set(None);
    drop(stop);
    let samples =
        sampler.join().map_err(|_| BenchError::Runtime("the sampler failed".to_owned()))?;
    ended?;
    let end = |(actor, tell): (usize, &TellStats)| ActorEnd::new(actor, &tell());
    let ends: Vec<_> = actors(&watched).iter().enumerate().map(end).collect();
    if ends.is_empty() {
        let problem = "this run has no speculative actors";
        return Err(BenchError::bad_argument("--trace", problem));
    }
    Ok(Trace { samples, ends })
}

/// Samples until `stopped` says so, and once more.
fn sample(watched: &Watched, stopped: &Receiver<()>) -> Vec<Sample> {
    let begun = Instant::now();
    let mut samples = Vec::new();
    loop {
        let goes_on = stopped.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout);
        for (actor, tell) in actors(watched).iter().enumerate() {
            samples.push(Sample::new(begun.elapsed(), actor, &tell()));
        }
        if !goes_on {
            return samples;
        }
    }
}
