//! What idle actors cost: memory each, CPU time together.

use crate::error::BenchError;
use crate::heap_bytes::HeapCount;
use crate::memory::{cpu_time_ns, rss_kib};
use crate::parameter::{Parameter, Params, Value};
use crate::theater::{Post, theater};
use odeon::prelude::*;
use odeon_example_run::{Finish, finish_line};
use std::time::{Duration, Instant};

/// TUNE: ms, guessed 2026-11: workers that have found nothing to do are asleep long before.
const SETTLE: Duration = Duration::from_millis(200);

/// Memory of one idle actor that has handled one message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BytesPerActor {
    /// Heap bytes requested; `None` when the program does not count them.
    pub requested: Option<f64>,
    /// Growth of resident memory; `None` where the system does not tell. Only the first measurement
    /// of a process is right: later ones reuse memory that the first has left behind.
    pub resident: Option<f64>,
}

impl BytesPerActor {
    /// The stricter of the two.
    pub fn most(&self) -> Option<f64> {
        match (self.requested, self.resident) {
            (Some(requested), Some(resident)) => Some(requested.max(resident)),
            (one, other) => one.or(other),
        }
    }
}

/// Memory of each of `actors` idle actors with one mailbox and 8 bytes of state.
pub fn bytes_per_actor(actors: usize, params: &Params) -> Result<BytesPerActor, BenchError> {
    let theater = theater(params)?;
    // WHY: what one actor makes the runtime allocate for itself is no actor's cost.
    let first = idle_actors(&theater, 1, &mut Vec::new());
    first?;
    // WHY: the references are the program's memory, not the actors'; writing makes them resident.
    let mut refs = vec![None; actors];
    refs.fill_with(|| None);
    refs.clear();
    let resident_before = rss_kib();
    let heap = HeapCount::begin();
    idle_actors(&theater, actors, &mut refs)?;
    std::thread::sleep(SETTLE);
    let each = |bytes: f64| bytes / actors as f64;
    let requested = heap.map(|heap| each(heap.bytes() as f64));
    let resident = rss_kib().zip(resident_before);
    let resident = resident.map(|(after, before)| each((after as f64 - before as f64) * 1024.0));
    drop(refs);
    Ok(BytesPerActor { requested, resident })
}

/// What peers are told when they are asked for the same.
pub fn peers_params(actors: usize) -> Params {
    const ACTORS: Parameter = Parameter::number("actors", "idle actors", 1, u64::MAX, 1);
    Params::defaults(&[ACTORS]).with("actors", Value::Number(actors as u64))
}

/// CPU time of a theater with `actors` idle actors, in per cent of one core, once per second.
pub fn cpu_percent(
    actors: usize,
    seconds: usize,
    params: &Params,
    mut each_second: impl FnMut(),
) -> Result<Vec<f64>, BenchError> {
    let theater = theater(params)?;
    let mut refs = Vec::with_capacity(actors);
    idle_actors(&theater, actors, &mut refs)?;
    std::thread::sleep(SETTLE);
    let mut percents = Vec::with_capacity(seconds);
    for _ in 0..seconds {
        let (start, before) = (Instant::now(), cpu_time_ns());
        std::thread::sleep(Duration::from_secs(1));
        let used_ns = cpu_time_ns().saturating_sub(before);
        percents.push(100.0 * used_ns as f64 / start.elapsed().as_nanos() as f64);
        each_second();
    }
    Ok(percents)
}

/// Adds actors to `refs` and waits until each has handled one message.
fn idle_actors(
    theater: &Theater,
    actors: usize,
    refs: &mut Vec<Option<ActorRef<()>>>,
) -> Result<(), BenchError> {
    let (finish, waiting) = finish_line(actors);
    for _ in 0..actors {
        let actor = theater.spawn(Idle { finish: finish.clone() });
        actor.post(());
        refs.push(Some(actor));
    }
    waiting.wait()
}

struct Idle {
    finish: Finish,
}

impl Actor for Idle {
    type Msg = ();

    fn handle(&mut self, (): (), _ctx: &mut Context<'_, Self>) {
        self.finish.arrive();
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::workload::WORKERS;

    #[test]
    fn idle_actors_use_memory_and_little_time() {
        let params = Params::defaults(&[WORKERS]);
        let bytes = bytes_per_actor(20_000, &params).expect("it runs");
        assert_eq!(bytes.requested, None, "tests do not install the counting allocator");
        // WHY no limit: other tests of this process take memory and give it back meanwhile.
        assert!(bytes.resident.expect("linux tells").is_finite());
        assert_eq!(bytes.most(), bytes.resident);

        let mut seconds = 0;
        let percents = cpu_percent(10, 1, &params, || seconds += 1).expect("it runs");
        assert_eq!((percents.len(), seconds), (1, 1));
    }
}
