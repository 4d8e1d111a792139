//! S21: what a speculative actor tells of itself: which messages were in whose way, at which
//! variables, and how wide it was.

use odeon_core::{Message, Reply, Theater};
use odeon_speculative::{
    Access, Coordinate, Fixed, HillClimb, Processing, Sample, SpawnSpeculative, SpeculativeActor,
    SpeculativeContext, SpeculativeRef, TxResult, WidthPolicy, fail,
};
use odeon_stm::{Cause, Labelled, TVar, Tx, atomically};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};

/// A shop whose variables somebody else writes while its handlers run, as often as a message says:
/// so many attempts are rolled back, for certain.
struct Shop {
    till: Arc<Labelled<TVar<u64>>>,
    names: Arc<TVar<u64>>,
}

enum ToShop {
    /// Rolled back so often.
    Sell(AtomicU64),
    Rename(AtomicU64),
    /// Holds the shop up until somebody else comes to the barrier.
    Hold(Arc<Barrier>),
    /// Answers when everything before it is over.
    Done(Reply<()>),
}

impl Message for ToShop {
    fn message_name(&self) -> &'static str {
        match self {
            Self::Sell(_) => "Sell",
            Self::Rename(_) => "Rename",
            Self::Hold(_) => "Hold",
            Self::Done(_) => "Done",
        }
    }
}

impl SpeculativeActor for Shop {
    type Msg = ToShop;

    fn access(_: &ToShop) -> Access {
        Access::Update
    }

    fn handle<'t>(
        &'t self,
        msg: &'t ToShop,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let (variable, left): (&TVar<u64>, _) = match msg {
            ToShop::Sell(left) => (&self.till, left),
            ToShop::Rename(left) => (&self.names, left),
            ToShop::Hold(barrier) => {
                barrier.wait();
                return Ok(());
            }
            ToShop::Done(reply) => {
                ctx.reply(reply, ());
                return Ok(());
            }
        };
        let seen = variable.get(tx)?;
        // ORDERING: Relaxed: of one message, whose attempts come one after the other.
        if left.load(Ordering::Relaxed) > 0 {
            left.fetch_sub(1, Ordering::Relaxed);
            std::thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| variable.update(tx, |n| n + 1)));
            });
        }
        variable.set(tx, seen + 1)?;
        Ok(())
    }
}

fn shop(theater: &Theater, processing: Processing) -> SpeculativeRef<ToShop> {
    let till = Arc::new(Labelled::new("till of this test", TVar::new(0)));
    theater.spawn_speculative(Shop { till, names: Arc::new(TVar::new(0)) }, processing)
}

fn wide() -> Processing {
    Processing::concurrent().width(2)
}

#[test]
fn s21_a_rollback_is_told_by_variable_message_and_cause() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let shop = shop(&theater, wide());
    shop.send(ToShop::Sell(AtomicU64::new(3))).unwrap();
    shop.send(ToShop::Sell(AtomicU64::new(2))).unwrap();
    shop.send(ToShop::Rename(AtomicU64::new(1))).unwrap();
    shop.ask(ToShop::Done).wait().unwrap();
    let stats = shop.speculation();
    let rows: Vec<_> = stats
        .conflicts
        .iter()
        .map(|row| (row.variable, row.message, row.cause, row.rollbacks))
        .collect();
    let cause = Cause::ReadOverwritten;
    assert_eq!(
        rows,
        [(Some("till of this test"), "Sell", cause, 5), (None, "Rename", cause, 1)],
        "{stats}"
    );
    assert_eq!(stats.rollbacks, [(cause, 6)]);
    assert_eq!(stats.by_variable(), [("till of this test", 5)]);
    let report = stats.to_string();
    assert!(report.contains("5  till of this test  Sell     read overwritten"), "{report}");
    assert!(report.contains("1  -                  Rename   read overwritten"), "{report}");
}

#[test]
fn s21_a_theater_tells_of_its_speculative_actors() {
    let theater = Theater::builder().workers(2).stats(true).build().unwrap();
    let shop = shop(&theater, wide());
    theater.register("shop", &shop).unwrap();
    shop.send(ToShop::Sell(AtomicU64::new(3))).unwrap();
    shop.send(ToShop::Rename(AtomicU64::new(1))).unwrap();
    shop.ask(ToShop::Done).wait().unwrap();
    let of_shop = |theater: &Theater| {
        let actors = theater.stats().expect("switched on").actors;
        actors.into_iter().find(|actor| actor.id == shop.id())
    };
    // What has committed is counted with its batch, perhaps after the answer.
    while shop.speculation().commits < 3 {
        std::thread::yield_now();
    }
    let actor = of_shop(&theater).expect("it is alive");
    assert_eq!(actor.name.as_deref(), Some("shop"));
    assert!(actor.actor_type.ends_with("::Shop"), "{}", actor.actor_type);
    let report = actor.speculation.expect("it tells");
    assert_eq!((report.width, report.failures), (2, 0));
    assert_eq!(report.rollbacks, [("read overwritten", 4)]);
    assert_eq!(report.rollbacks_by_variable, [("till of this test", 3)]);
    let others = theater.stats().unwrap().actors;
    let told = others.iter().filter(|actor| actor.speculation.is_some()).count();
    assert_eq!(told, 1, "those that work for the shop tell nothing");
}

#[test]
fn s21_a_message_without_conflicts_leaves_no_row() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let shop = shop(&theater, wide());
    (0..100).for_each(|_| shop.send(ToShop::Sell(AtomicU64::new(0))).unwrap());
    shop.ask(ToShop::Done).wait().unwrap();
    let stats = shop.speculation();
    assert_eq!((stats.conflicts.len(), stats.rolled_back()), (0, 0));
}

#[test]
fn s21_the_width_is_told_over_time_in_every_mode() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let shop = shop(&theater, Processing::sequential());
    for processing in [wide(), Processing::sequential(), Processing::adaptive().width(4)] {
        shop.set_processing(processing);
    }
    shop.set_processing(Processing::adaptive_with(|| Fixed::new(3)).width(4));
    let stats = shop.speculation();
    let widths: Vec<_> = stats.decisions.iter().map(|decision| decision.width).collect();
    assert_eq!(widths, [1, 2, 1, 1, 3]);
    assert!(stats.decisions.iter().all(|decision| decision.sample.is_none()));
    assert!(stats.decisions.is_sorted_by_key(|decision| decision.at));
    assert_eq!(stats.width, 3);
}

/// Sends until `is_seen` says so of what the shop tells.
fn sell_until(
    shop: &SpeculativeRef<ToShop>,
    is_seen: impl Fn(&odeon_speculative::SpeculationStats) -> bool,
) {
    while !is_seen(&shop.speculation()) {
        (0..1000).for_each(|_| shop.send(ToShop::Sell(AtomicU64::new(0))).unwrap());
        shop.ask(ToShop::Done).wait().unwrap();
    }
}

/// One more at each sample, as far as there is.
struct Upwards(Arc<AtomicU64>);

impl WidthPolicy for Upwards {
    fn first(&mut self, most: usize) -> usize {
        assert_eq!(most, 5);
        2
    }

    fn next(&mut self, sample: &Sample) -> usize {
        // ORDERING: SeqCst: it counts, and nothing else hangs on it.
        self.0.fetch_add(1, Ordering::SeqCst);
        sample.width + 1
    }

    fn period(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

#[test]
fn s21_a_policy_of_a_user_decides_and_its_grounds_are_told() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let asked = Arc::new(AtomicU64::new(0));
    let counts = asked.clone();
    let upwards = Processing::adaptive_with(move || Upwards(counts.clone())).width(5);
    let shop = shop(&theater, upwards);
    sell_until(&shop, |stats| stats.width == 5 && stats.decisions.len() > 4);
    let stats = shop.speculation();
    let widths: Vec<_> = stats.decisions.iter().map(|decision| decision.width).collect();
    assert_eq!(widths[..4], [2, 3, 4, 5]);
    let grounds: Vec<_> =
        stats.decisions[1..4].iter().map(|decision| decision.sample.unwrap()).collect();
    assert_eq!(grounds.iter().map(|sample| sample.width).collect::<Vec<_>>(), [2, 3, 4]);
    assert!(grounds.iter().all(|sample| sample.commits > 0 && sample.most == 5));
    assert!(asked.load(Ordering::SeqCst) >= 4);
}

/// Samples as often as can be, and changes nothing.
struct Samples;

impl WidthPolicy for Samples {
    fn next(&mut self, sample: &Sample) -> usize {
        sample.width
    }

    fn period(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

/// What the first sample shows of 900 messages that wait when the first one is handled. `None`:
/// they were brought to the board too soon for one.
fn first_sample() -> Option<Sample> {
    let theater = Theater::builder().workers(2).build().unwrap();
    let shop = shop(&theater, Processing::adaptive_with(|| Samples).width(2));
    // They are known to be short: otherwise others would handle them on the board.
    (0..100).for_each(|_| shop.send(ToShop::Sell(AtomicU64::new(0))).unwrap());
    shop.ask(ToShop::Done).wait().unwrap();
    let barrier = Arc::new(Barrier::new(2));
    shop.send(ToShop::Hold(barrier.clone())).unwrap();
    // Fewer than are pressure.
    (0..900).for_each(|_| shop.send(ToShop::Sell(AtomicU64::new(0))).unwrap());
    barrier.wait();
    shop.ask(ToShop::Done).wait().unwrap();
    shop.speculation().decisions.iter().find_map(|decision| decision.sample)
}

#[test]
fn s21_a_sample_counts_what_waits_in_the_inbox() {
    // Samples that change nothing are put together by the time that they took: from the first 64
    // messages to the last ones, half of them waited on average, unless the machine does not let
    // the actor go on meanwhile.
    let mut others = Vec::new();
    for _ in 0..100 {
        match first_sample() {
            Some(first) if (300..600).contains(&first.waiting) => {
                return assert!(first.waiting_time() > std::time::Duration::ZERO, "{first:?}");
            }
            other => others.push(other),
        }
    }
    panic!("{others:?}");
}

/// An actor whose messages fail in all the ways there are.
struct Frail;

enum ToFrail {
    GivenUp(Reply<()>),
    Panics(Reply<()>),
    Falls(Falls),
    Nameless(Reply<()>),
    Done(Reply<()>),
}

/// Its destructor panics.
struct Falls;

impl Drop for Falls {
    fn drop(&mut self) {
        panic!("a destructor")
    }
}

impl Message for ToFrail {
    fn message_name(&self) -> &'static str {
        match self {
            Self::GivenUp(_) => "GivenUp",
            Self::Panics(_) => "Panics",
            Self::Falls(_) => "Falls",
            Self::Nameless(_) => panic!("a name"),
            Self::Done(_) => "Done",
        }
    }
}

impl SpeculativeActor for Frail {
    type Msg = ToFrail;

    fn handle<'t>(
        &'t self,
        msg: &'t ToFrail,
        _: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match msg {
            ToFrail::GivenUp(reply) => {
                ctx.reply(reply, ());
                fail("given up")
            }
            ToFrail::Panics(reply) | ToFrail::Nameless(reply) => {
                ctx.reply(reply, ());
                panic!("a handler")
            }
            ToFrail::Falls(Falls) => Ok(()),
            ToFrail::Done(reply) => {
                ctx.reply(reply, ());
                Ok(())
            }
        }
    }
}

#[test]
fn s21_failures_are_told_by_message() {
    let in_order = wide().ordering(odeon_speculative::Ordering::Mailbox);
    for processing in [Processing::sequential(), wide(), in_order] {
        let theater = Theater::builder().workers(2).failures_printed(false).build().unwrap();
        let frail = theater.spawn_speculative(Frail, processing.clone());
        for _ in 0..3 {
            assert!(frail.ask(ToFrail::GivenUp).wait().is_err());
        }
        for _ in 0..2 {
            assert!(frail.ask(ToFrail::Panics).wait().is_err());
        }
        frail.send(ToFrail::Falls(Falls)).unwrap();
        assert!(frail.ask(ToFrail::Nameless).wait().is_err());
        let outcome = theater.coordinate(|co| {
            let (reply, _) = odeon_core::extend::question();
            co.send(&frail, ToFrail::GivenUp(reply));
        });
        assert!(outcome.wait().is_err());
        frail.ask(ToFrail::Done).wait().unwrap();
        let stats = frail.speculation();
        let its_type = std::any::type_name::<ToFrail>();
        assert_eq!(
            stats.failures_by_message,
            [("GivenUp", 4), ("Panics", 2), (its_type, 2)],
            "{processing:?}: {stats}"
        );
        assert_eq!(stats.failures, 8);
        assert!(stats.to_string().contains("\n          4  GivenUp\n"), "{stats}");
    }
}

struct Fails;

impl WidthPolicy for Fails {
    fn next(&mut self, _: &Sample) -> usize {
        panic!("a policy")
    }

    fn period(&self) -> std::time::Duration {
        std::time::Duration::ZERO
    }
}

impl Drop for Fails {
    fn drop(&mut self) {
        panic!("its destructor")
    }
}

#[test]
fn s21_a_policy_that_panics_is_asked_no_more_and_the_actor_goes_on() {
    let theater = Theater::builder().workers(2).build().unwrap();
    let shop = shop(&theater, Processing::adaptive_with(|| Fails).width(2));
    sell_until(&shop, |stats| stats.commits > 20_000);
    assert_eq!((shop.speculation().failures, shop.speculation().width), (0, 1));
    shop.set_processing(Processing::adaptive_with(HillClimb::new).width(2));
    sell_until(&shop, |stats| stats.decisions.iter().any(|decision| decision.sample.is_some()));
}
