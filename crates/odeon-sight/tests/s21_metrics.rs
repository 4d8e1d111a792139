//! S21: the numbers of `Theater::stats` in the `metrics` facade.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use metrics_util::debugging::{DebugValue, DebuggingRecorder, Snapshotter};
use odeon_core::*;
use odeon_sight::Export;
use odeon_speculative::{
    Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, TxResult,
};
use odeon_stm::{Labelled, TVar, Tx, atomically};

struct Quiet;
impl Actor for Quiet {
    type Msg = u32;
    fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {}
}

/// All series: name, labels, value.
fn series(snapshotter: &Snapshotter) -> HashMap<String, f64> {
    let snapshot = snapshotter.snapshot().into_vec();
    let number = |value: DebugValue| match value {
        DebugValue::Counter(n) => n as f64,
        DebugValue::Gauge(n) => n.into_inner(),
        DebugValue::Histogram(_) => panic!("no histogram is written"),
    };
    let name = |key: &metrics_util::CompositeKey| {
        let mut labels: Vec<_> =
            key.key().labels().map(|label| format!("{}={}", label.key(), label.value())).collect();
        labels.sort();
        format!("{}{{{}}}", key.key().name(), labels.join(","))
    };
    snapshot.into_iter().map(|(key, _, _, value)| (name(&key), number(value))).collect()
}

fn theater() -> (Theater, ActorRef<u32>) {
    let theater = Theater::builder().name("shop").workers(2).stats(true).build().unwrap();
    let quiet = theater.spawn(Quiet);
    theater.register("quiet", &quiet).unwrap();
    (0..100).for_each(|n| quiet.send(n).unwrap());
    eventually(|| messages_of(&theater, quiet.id()) == 100);
    (theater, quiet)
}

fn messages_of(theater: &Theater, id: ActorId) -> u64 {
    let stats = theater.stats().unwrap();
    stats.actors.iter().find(|actor| actor.id == id).unwrap().messages
}

fn eventually(mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "this takes too long");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn s21_stages_and_actors_are_written_with_their_labels() {
    let (theater, _quiet) = theater();
    let unnamed = theater.spawn(Quiet);
    let _stage = theater.pinned("pin").unwrap();
    let write = |export: Export| {
        let recorder = DebuggingRecorder::new();
        let stats = theater.stats().unwrap();
        metrics::with_local_recorder(&recorder, || export.write(theater.name(), &stats));
        series(&recorder.snapshotter())
    };
    let all = write(Export::all());
    let pool = "{kind=pool,stage=pool,theater=shop}";
    assert_eq!(all[&format!("odeon_stage_messages_total{pool}")], 100.0);
    assert_eq!(all[&format!("odeon_stage_workers{pool}")], 2.0);
    assert!(all[&format!("odeon_stage_turns_total{pool}")] >= 2.0);
    assert!(all.contains_key("odeon_stage_parks_total{kind=pinned,stage=pin,theater=shop}"));
    assert_eq!(all["odeon_actors{theater=shop}"], 2.0);
    assert_eq!(all["odeon_dead_letters_total{reason=failed,theater=shop}"], 0.0);
    let quiet = "{actor=quiet,stage=pool,theater=shop,type=s21_metrics::Quiet}";
    assert_eq!(all[&format!("odeon_actor_messages_total{quiet}")], 100.0);
    assert_eq!(all[&format!("odeon_actor_waiting{quiet}")], 0.0);
    let of_unnamed = format!("actor={},", unnamed.id());
    assert!(all.keys().any(|name| name.contains(&of_unnamed)));

    let named = write(Export::named());
    assert!(named.contains_key(&format!("odeon_actor_messages_total{quiet}")));
    assert!(!named.keys().any(|name| name.contains(&of_unnamed)));
    let stages = write(Export::stages());
    assert!(!stages.is_empty() && !stages.keys().any(|name| name.contains("odeon_actor_")));
}

/// Its first attempt meets somebody else's write.
struct Contended(Labelled<TVar<u64>>);

struct Sell(Reply<()>);
impl Message for Sell {}

impl SpeculativeActor for Contended {
    type Msg = Sell;

    fn handle<'t>(
        &'t self,
        Sell(reply): &'t Sell,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let seen = self.0.get(tx)?;
        if seen == 0 {
            std::thread::scope(|scope| {
                scope.spawn(|| atomically(|tx| self.0.set(tx, 1)));
            });
        }
        self.0.set(tx, seen + 1)?;
        ctx.reply(reply, ());
        Ok(())
    }
}

#[test]
fn s21_what_a_speculative_actor_tells_is_written() {
    let theater = Theater::builder().name("shop").workers(2).stats(true).build().unwrap();
    let contended = Contended(Labelled::new("till of this test", TVar::new(0)));
    let contended = theater.spawn_speculative(contended, Processing::concurrent().width(2));
    theater.register("contended", &contended).unwrap();
    contended.ask(Sell).wait().unwrap();
    // What has committed is counted with its batch, perhaps after the answer.
    eventually(|| contended.speculation().commits == 1);
    let recorder = DebuggingRecorder::new();
    let stats = theater.stats().unwrap();
    metrics::with_local_recorder(&recorder, || Export::named().write(theater.name(), &stats));
    let all = series(&recorder.snapshotter());
    let value = |name: &str, more: &str| {
        let of = "stage=pool,theater=shop,type=s21_metrics::Contended";
        let (before, after) = match more.split_once('=') {
            Some(("cause", _)) => (format!("actor=contended,{more},"), String::new()),
            Some(_) => ("actor=contended,".to_owned(), format!(",{more}")),
            None => ("actor=contended,".to_owned(), String::new()),
        };
        all.get(&format!("odeon_speculation_{name}{{{before}{of}{after}}}")).copied()
    };
    assert_eq!(value("width", ""), Some(2.0), "{all:?}");
    assert_eq!(value("commits_total", ""), Some(1.0));
    assert_eq!(value("failures_total", ""), Some(0.0));
    assert_eq!(value("rollbacks_total", "cause=read overwritten"), Some(1.0));
    let variable = "variable=till of this test";
    assert_eq!(value("rollbacks_by_variable_total", variable), Some(1.0));
}

#[test]
fn s21_a_timer_writes_until_it_is_dropped() {
    let recorder = DebuggingRecorder::new();
    let snapshotter = recorder.snapshotter();
    let theater = Theater::builder()
        .name("shop")
        .workers(1)
        .stats(true)
        .thread_context(move |work| metrics::with_local_recorder(&recorder, work))
        .build()
        .unwrap();
    let quiet = theater.spawn(Quiet);
    theater.register("quiet", &quiet).unwrap();
    let exporting = Export::named().every(&theater, Duration::from_millis(2));
    let name =
        "odeon_actor_messages_total{actor=quiet,stage=pool,theater=shop,type=s21_metrics::Quiet}";
    for n in 1..=3 {
        quiet.send(n).unwrap();
        eventually(|| series(&snapshotter).get(name) == Some(&f64::from(n)));
    }
    assert_eq!(theater.live_actors(), 2);
    drop(exporting);
    eventually(|| theater.live_actors() == 1);
    eventually(|| theater.pending_timers() == 0);
}
