//! S39: an actor whose width goes by energy, and one that has no numbers for that.

use odeon_core::{Message, Reply, Theater};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

enum ToSum {
    Add(u64),
    Get(Reply<u64>),
}

impl Message for ToSum {}

struct Sum(TVar<u64>);

impl SpeculativeActor for Sum {
    type Msg = ToSum;
    fn handle<'t>(
        &'t self,
        msg: &'t ToSum,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            ToSum::Add(n) => {
                // Longer than sending it: only an actor that never is without work is sampled.
                for step in 0..2_000 {
                    std::hint::black_box(step);
                }
                self.0.update(tx, |sum| sum + n)?;
            }
            ToSum::Get(reply) => ctx.reply(reply, self.0.get(tx)?),
        }
        Ok(())
    }
}

/// Gives the actor work until it says that its width goes by `expected`; the results are right meanwhile.
fn goes_by(expected: &str, source: impl Fn() -> Option<f64> + Clone + Send + Sync + 'static) {
    let theater = Theater::builder().workers(2).build().unwrap();
    let sparing = Processing::adaptive_with(move || {
        ByEnergy::new(source.clone(), Objective::EnergyPerMessage).period(Duration::from_millis(2))
    });
    let sum = theater.spawn_speculative(Sum(TVar::new(0)), sparing.width(2));
    let deadline = Instant::now() + Duration::from_secs(60);
    let mut sent = 0;
    loop {
        for n in 0..5_000 {
            sum.send(ToSum::Add(n)).unwrap();
            sent += n;
        }
        assert_eq!(sum.ask(ToSum::Get).wait(), Ok(sent));
        let stats = sum.speculation();
        let sampled = stats.decisions.iter().filter(|decision| decision.sample.is_some()).count();
        if stats.width_goes_by == Some(expected) && sampled >= 3 {
            let report = stats.to_string();
            return assert!(report.contains(&format!("\nwidth by {expected}")), "{report}");
        }
        assert!(Instant::now() < deadline, "{stats}");
    }
}

#[test]
fn s39_joules_decide_on_the_width() {
    let joules = Arc::new(AtomicU64::new(0));
    let asked = joules.clone();
    goes_by("energy per message", move || Some(asked.fetch_add(1, Relaxed) as f64));
    assert!(joules.load(Relaxed) >= 6, "at the beginning and the end of each sample");
}

#[test]
fn s39_without_joules_throughput_decides_and_the_report_says_so() {
    goes_by("throughput: the source of joules gives no numbers", || None);
}
