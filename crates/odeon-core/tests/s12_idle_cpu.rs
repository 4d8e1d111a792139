//! S12, S7 a theater whose timers are all far away uses no CPU. Alone in its file: other tests
//! would use CPU beside it.
#![cfg(all(target_os = "linux", not(any(odeon_loom, odeon_shuttle))))]

use std::time::Duration;

use odeon_core::*;

struct Idler;

impl Actor for Idler {
    type Msg = u64;
    fn handle(&mut self, _: u64, _ctx: &mut Context<'_, Self>) {}
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

/// Ticks of the first second that has at most one, or of the quietest of many. The workers look
/// around a little before they sleep, on a busy machine perhaps late; but who is never idle has no
/// quiet second at all.
fn least_of_a_second() -> u64 {
    let mut least = u64::MAX;
    for _ in 0..30 {
        std::thread::sleep(Duration::from_millis(50));
        let before = cpu_ticks();
        std::thread::sleep(Duration::from_secs(1));
        least = least.min(cpu_ticks() - before);
        if least <= 1 {
            break;
        }
    }
    least
}

#[test]
fn s12_s7_far_timers_use_no_cpu() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let idler = theater.spawn(Idler);
    for n in 0..100_000 {
        idler.send_after(Duration::from_secs(60 + n % 100_000), n);
    }
    idler.send_every(Duration::from_millis(200), || 1);
    let used = least_of_a_second();
    println!("S12: {} pending timers used {used} ticks of 10 ms in 1 s", theater.pending_timers());
    assert!(used <= 1, "far timers used {used} ticks of 10 ms in one second");
}
