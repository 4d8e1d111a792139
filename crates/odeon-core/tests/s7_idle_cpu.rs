//! S7 an idle theater uses no CPU. Alone in its file: other tests would use CPU beside it.
#![cfg(all(target_os = "linux", not(any(odeon_loom, odeon_shuttle))))]

use std::time::Duration;

use odeon_core::*;

struct Idler;

impl Actor for Idler {
    type Msg = Box<Reply<()>>;
    fn handle(&mut self, reply: Self::Msg, _ctx: &mut Context<'_, Self>) {
        reply.send(());
    }
}

/// CPU time of this process so far, in the kernel's ticks of 10 ms.
fn cpu_ticks() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    // The second field is the program's name in parentheses and may hold anything.
    let fields: Vec<_> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    let ticks = |field: usize| fields[field].parse::<u64>().unwrap();
    // utime and stime: fields 14 and 15 of the whole line.
    ticks(11) + ticks(12)
}

/// Ticks of the first second that has at most `enough`, or of the quietest of many. The workers
/// look around a little before they sleep, on a busy machine perhaps late; but who is never idle
/// has no quiet second at all.
fn least_of_a_second(enough: u64) -> u64 {
    let mut least = u64::MAX;
    for _ in 0..30 {
        std::thread::sleep(Duration::from_millis(50));
        let before = cpu_ticks();
        std::thread::sleep(Duration::from_secs(1));
        least = least.min(cpu_ticks() - before);
        if least <= enough {
            break;
        }
    }
    least
}

/// Sends to itself, so that one worker is busy and has nothing to give to others.
struct Busy;

impl Actor for Busy {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        ctx.send_self(());
    }
}

// One test: what two of them used could not be told apart.
#[test]
fn s7_idle_workers_use_no_cpu() {
    for workers in [4, 16, 64] {
        ten_thousand_idle_actors_use_no_cpu(workers);
        beside_a_busy_worker_the_others_use_hardly_any(workers);
    }
}

fn ten_thousand_idle_actors_use_no_cpu(workers: usize) {
    let theater = Theater::builder().workers(workers).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let mut actors: Vec<_> = (0..8_000).map(|_| theater.spawn(Idler)).collect();
    actors.extend((0..2_000).map(|_| theater.actor().on(&stage).spawn(Idler)));
    actors.push(theater.actor().dedicated("own").spawn(Idler).unwrap());
    for actor in &actors {
        actor.ask(Box::new).wait().unwrap();
    }
    let used = least_of_a_second(1);
    println!(
        "S7: {workers} workers, {} idle actors used {used} ticks of 10 ms in one second",
        actors.len()
    );
    assert!(used <= 1, "an idle theater used {used} ticks of 10 ms in one second");
    // All of them still answer.
    for actor in &actors {
        actor.ask(Box::new).wait().unwrap();
    }
}

/// One of those that sleep looks after the busy one, up to once in 2 ms; nobody searches.
fn beside_a_busy_worker_the_others_use_hardly_any(workers: usize) {
    let theater = Theater::builder().workers(workers).build().unwrap();
    let busy = theater.spawn(Busy);
    busy.send(()).unwrap();
    let used = least_of_a_second(MOST_OF_ONE);
    println!("S7: one busy worker of {workers} and the others used {used} ticks in one second");
    assert!(used <= MOST_OF_ONE, "one busy worker of {workers}, {used} ticks of 10 ms");
}

/// Ticks of a second in which one thread runs all the time, and a tenth.
const MOST_OF_ONE: u64 = 110;
