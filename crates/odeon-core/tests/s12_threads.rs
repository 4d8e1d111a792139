//! S12 timers on real threads: every message has one fate, theaters end with timers pending, and a
//! million of them.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::collections::HashSet;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use odeon_core::*;

const fn ms(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

/// Notes when its messages come.
struct Ear(Sender<(u64, Instant)>);
impl Actor for Ear {
    type Msg = u64;
    fn handle(&mut self, n: u64, ctx: &mut Context<'_, Self>) {
        self.0.send((n, Instant::now())).unwrap();
        if n == 0 {
            ctx.send_after(ms(3), 1);
        }
    }
}

#[test]
fn s12_timers_reach_actors_on_every_stage() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let stage = theater.pinned("stage").unwrap();
    let (heard, hears) = channel();
    let actors = [
        theater.spawn(Ear(heard.clone())),
        theater.actor().on(&stage).spawn(Ear(heard.clone())),
        theater.actor().dedicated("own").spawn(Ear(heard)).unwrap(),
    ];
    let armed = Instant::now();
    for actor in &actors {
        actor.send_after(ms(5), 0);
        drop(actor.send_every(ms(4), || 2));
    }
    let mut counts = [0; 3];
    while counts[0] < 3 || counts[1] < 3 || counts[2] < 9 {
        let (n, when) = hears.recv_timeout(Duration::from_secs(60)).unwrap();
        counts[n as usize] += 1;
        assert!(when - armed >= [ms(5), ms(8), ms(4)][n as usize], "{n} came too early");
    }
    drop(theater);
    // The periodic timers have ended with it, and with them everything that knows the actors.
    while hears.try_recv().is_ok() {}
    assert!(hears.recv().is_err());
}

#[test]
fn s12_a_timer_is_never_early() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (heard, hears) = channel();
    let ear = theater.spawn(Ear(heard));
    let mut armed = Vec::new();
    for n in 0..2_000 {
        let delay = Duration::from_micros(n * 37 % 20_000);
        armed.push((Instant::now(), delay));
        ear.send_after(delay, 10 + n);
    }
    let mut latest = Duration::ZERO;
    for _ in 0..2_000 {
        let (n, when) = hears.recv_timeout(Duration::from_secs(60)).unwrap();
        let (armed, delay) = armed[n as usize - 10];
        assert!(when - armed >= delay, "{:?} instead of {delay:?}", when - armed);
        latest = latest.max(when - armed - delay);
    }
    println!("S12: of 2,000 timers the latest was {latest:?} late");
}

/// What became of each message.
#[derive(Default)]
struct Fates {
    handled: HashSet<u64>,
    dead: HashSet<u64>,
    dropped: HashSet<u64>,
}

/// A message that tells its fate: one that was neither handled nor a dead letter was dropped.
struct Letter {
    number: u64,
    fates: Arc<Mutex<Fates>>,
}
impl Drop for Letter {
    fn drop(&mut self) {
        let mut fates = self.fates.lock().unwrap();
        if !fates.handled.contains(&self.number) && !fates.dead.contains(&self.number) {
            assert!(fates.dropped.insert(self.number));
        }
    }
}
impl Message for Letter {}

struct Reader;
impl Actor for Reader {
    type Msg = Letter;
    fn handle(&mut self, letter: Letter, ctx: &mut Context<'_, Self>) {
        assert!(letter.fates.lock().unwrap().handled.insert(letter.number));
        if letter.number % 97 == 0 {
            ctx.stop();
        }
    }
}

/// Threads arm and cancel timers for actors that stop now and then, until the theater is shut down
/// with timers pending: each message is handled, a dead letter, or dropped; a cancelled one is
/// never sent.
#[test]
fn s12_s4_every_timer_message_has_one_fate() {
    const THREADS: u64 = 3;
    const TIMERS: u64 = 4_000;
    for seed in 0..5 {
        let fates = Arc::new(Mutex::new(Fates::default()));
        let hook = fates.clone();
        let theater = Theater::builder().workers(2).on_dead_letter(move |letter| {
            let letter = letter.message.downcast::<Letter>().unwrap();
            assert!(hook.lock().unwrap().dead.insert(letter.number));
        });
        let theater = theater.build().unwrap();
        let stage = theater.pinned("stage").unwrap();
        let arm = |thread: u64| {
            let mut random = Random::from_seed(seed * THREADS + thread);
            let (mut timers, mut cancelled) = (Vec::new(), Vec::new());
            let mut reader = theater.spawn(Reader);
            for n in 0..TIMERS {
                if reader.is_stopped() {
                    reader = match random.below(2) {
                        0 => theater.spawn(Reader),
                        _ => theater.actor().on(&stage).spawn(Reader),
                    };
                }
                let letter = Letter { number: thread * TIMERS + n, fates: fates.clone() };
                let number = letter.number;
                let delay = Duration::from_micros(random.below(6_000) as u64);
                timers.push((number, reader.send_after(delay, letter)));
                if random.below(2) == 0 {
                    let (number, timer) = timers.swap_remove(random.below(timers.len()));
                    if timer.cancel() {
                        cancelled.push(number);
                    }
                }
                if random.below(100) == 0 {
                    std::thread::sleep(ms(1));
                }
            }
            cancelled
        };
        let cancelled: Vec<u64> = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..THREADS).map(|thread| scope.spawn(move || arm(thread))).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let before = fates.lock().unwrap().dropped.clone();
        assert!(cancelled.iter().all(|number| before.contains(number)), "cancelled means dropped");
        let counted = theater.dead_letters();
        let report = theater.shutdown(Duration::ZERO);
        for letter in &report.leftovers {
            let letter = letter.message.downcast_ref::<Letter>().unwrap();
            assert!(fates.lock().unwrap().dead.insert(letter.number));
        }
        drop(report);
        let fates = fates.lock().unwrap();
        let known = fates.handled.len() + fates.dead.len() + fates.dropped.len();
        assert_eq!(known as u64, THREADS * TIMERS, "no message vanished, none was told twice");
        assert!(fates.dead.len() as u64 >= counted);
        let sent = |number: &u64| fates.handled.contains(number) || fates.dead.contains(number);
        assert!(!cancelled.iter().any(sent), "a cancelled timer was sent");
    }
}

/// Names of this process' threads.
#[cfg(target_os = "linux")]
fn threads() -> Vec<String> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let name = |task: std::io::Result<std::fs::DirEntry>| {
        // The thread may just have ended.
        std::fs::read_to_string(task.ok()?.path().join("comm")).ok()
    };
    tasks.filter_map(name).map(|name| name.trim().to_owned()).collect()
}

#[test]
#[cfg(target_os = "linux")]
fn s12_the_thread_comes_with_the_first_timer_and_ends_with_the_theater() {
    let theater = Theater::builder().name("lazy").workers(1).build().unwrap();
    let (heard, _hears) = channel();
    let ear = theater.spawn(Ear(heard));
    let has_thread = || threads().iter().any(|name| name == "lazy-timer");
    assert!(!has_thread());
    assert!(ear.send_after(Duration::from_secs(60), 5).cancel());
    while !has_thread() {
        std::thread::yield_now();
    }
    let report = theater.shutdown(Duration::from_secs(60));
    assert!(report.drained && report.stuck == 0);
    // Who joins a thread may go on before the system has taken it off its list.
    let since = Instant::now();
    while has_thread() {
        assert!(since.elapsed() < Duration::from_secs(60), "the thread does not end");
        std::thread::yield_now();
    }
}

#[test]
fn s12_a_shutdown_does_not_wait_for_timers() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (heard, hears) = channel();
    let ear = theater.spawn(Ear(heard));
    let timer = ear.send_after(Duration::from_secs(3600), 5);
    ear.send_every(Duration::from_secs(3600), || 6);
    let started = Instant::now();
    let report = theater.shutdown(Duration::from_secs(60));
    assert!(report.drained && report.leftovers.is_empty() && report.stuck == 0);
    assert!(started.elapsed() < Duration::from_secs(30));
    assert!(!timer.cancel());
    assert!(hears.recv().is_err());
}

/// Drops what it is sent; stops if that is nothing.
struct Dropper;
impl Actor for Dropper {
    type Msg = Vec<Theater>;
    fn handle(&mut self, theaters: Vec<Theater>, ctx: &mut Context<'_, Self>) {
        if theaters.is_empty() {
            ctx.stop();
        }
    }
}

fn wait_for_end<M: Message>(actor: &ActorRef<M>) {
    let since = Instant::now();
    while !actor.is_stopped() {
        assert!(since.elapsed() < Duration::from_secs(60), "{actor} does not end");
        std::thread::yield_now();
    }
}

/// The message that owns the theater is dropped on the thread of the theater's own timers, since
/// its receiver has stopped: the theater ends all the same.
#[test]
fn s12_s4_a_theater_dropped_by_its_own_timers_ends() {
    for _ in 0..20 {
        let theater = Theater::builder().workers(1).build().unwrap();
        let (dropper, bystander) = (theater.spawn(Dropper), theater.spawn(Dropper));
        dropper.send(Vec::new()).unwrap();
        wait_for_end(&dropper);
        dropper.send_after(ms(1), vec![theater]);
        wait_for_end(&bystander);
    }
}

#[test]
fn s12_s4_a_theater_dropped_by_its_own_actor_ends_with_timers_pending() {
    for _ in 0..20 {
        let theater = Theater::builder().workers(2).build().unwrap();
        let (dropper, bystander) = (theater.spawn(Dropper), theater.spawn(Dropper));
        let answer = Arc::new(());
        let waits = answer.clone();
        bystander.send_every(Duration::from_secs(60), move || {
            let _ = &waits;
            Vec::new()
        });
        dropper.send_after(ms(1), vec![theater]);
        wait_for_end(&bystander);
        // The timer's own memory is gone as well.
        while Arc::strong_count(&answer) > 1 {
            std::thread::yield_now();
        }
    }
}

#[test]
fn s12_s9_two_theaters_keep_their_own_timers() {
    let theaters = [Theater::new().unwrap(), Theater::new().unwrap()];
    let (heard, hears) = channel();
    let [first, second] = theaters.each_ref().map(|theater| theater.spawn(Ear(heard.clone())));
    first.send_after(ms(2), 10);
    first.send_after(Duration::from_secs(60), 11);
    second.send_after(Duration::from_secs(60), 12);
    assert_eq!(hears.recv().unwrap().0, 10);
    let [first, other] = theaters;
    drop(first);
    second.send_after(ms(2), 13);
    assert_eq!(hears.recv().unwrap().0, 13);
    assert_eq!(other.pending_timers(), 1);
}

#[test]
fn s12_a_million_timers_can_be_pending() {
    const MILLION: u64 = 1_000_000;
    let theater = Theater::builder().workers(1).build().unwrap();
    let (heard, hears) = channel();
    let ear = theater.spawn(Ear(heard));
    for round in 0..2 {
        let timers: Vec<_> =
            (0..MILLION).map(|n| ear.send_after(Duration::from_secs(3600 + n % 3600), n)).collect();
        assert_eq!(theater.pending_timers(), MILLION as usize, "round {round}");
        ear.send_after(ms(1), 7);
        assert_eq!(hears.recv().unwrap().0, 7, "a timer fires in time among a million");
        assert!(timers.into_iter().all(Timer::cancel));
        assert_eq!(theater.pending_timers(), 0);
    }
    // Left pending, they are dropped with the theater.
    for n in 0..MILLION {
        ear.send_after(Duration::from_secs(3600), n);
    }
    drop(theater);
    assert!(hears.recv().is_err());
}

/// As many that all fire: in order, and each once.
#[test]
fn s12_a_hundred_thousand_timers_fire_in_order() {
    const TIMERS: u64 = 100_000;
    let theater = Theater::builder().workers(1).build().unwrap();
    let (heard, hears) = channel();
    let ear = theater.spawn(Ear(heard));
    for n in 0..TIMERS {
        ear.send_after(ms(300), 10 + n);
    }
    for n in 0..TIMERS {
        assert_eq!(hears.recv_timeout(Duration::from_secs(60)).unwrap().0, 10 + n);
    }
    assert_eq!(theater.pending_timers(), 0);
}
