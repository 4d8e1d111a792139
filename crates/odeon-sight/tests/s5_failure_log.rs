//! S5: it is told which actor failed, and what came of it.

use std::sync::{Arc, Mutex};

use odeon_core::*;
use odeon_sight::{DeadLetterLog, FailureLog};
use odeon_testkit::{Deterministic, silent_panic};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context as LayerContext, Layer};
use tracing_subscriber::prelude::*;

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);
impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0 += &format!("{field}={value:?} ");
    }
}

impl<S: Subscriber> Layer<S> for Lines {
    fn on_event(&self, event: &Event<'_>, _: LayerContext<'_, S>) {
        let mut line = Line(format!("{} ", event.metadata().level()));
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
}

struct Fails;
impl Actor for Fails {
    type Msg = &'static str;
    fn handle(&mut self, what: &'static str, _: &mut Context<'_, Self>) {
        silent_panic(what);
    }
}

#[test]
fn s5_a_failure_names_its_actor_its_text_and_what_came_of_it() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone());
    tracing::subscriber::with_default(subscriber, || {
        let observers = (FailureLog, DeadLetterLog::default());
        let run = Deterministic::with(1, Theater::builder().observer(Arc::new(observers)));
        let supervised = run.theater().actor().supervised(Supervision::new()).spawn(|| Fails);
        let alone = run.theater().spawn(Fails);
        supervised.send("once").unwrap();
        run.run_through_timers(std::time::Duration::from_secs(60));
        let expected = [("ERROR", "panic=\"once\""), ("INFO", "made anew")];
        check(&mut lines.0.lock().unwrap(), &supervised, &expected);

        alone.send("for good").unwrap();
        alone.send("too late").unwrap();
        run.run_until_idle();
        let dead = ("WARN", "reason=\"failed\"");
        let failed = ("ERROR", "panic=\"for good\"");
        check(&mut lines.0.lock().unwrap(), &alone, &[failed, dead, ("ERROR", "as failed")]);
    });
}

/// Each line once, about this actor, in any order; and forgets them.
fn check(lines: &mut Vec<String>, actor: &ActorRef<&'static str>, expected: &[(&str, &str)]) {
    let actor = format!("actor={} ", actor.id());
    for (level, part) in expected {
        let is = |line: &&String| {
            line.starts_with(level) && line.contains(&actor) && line.contains(part)
        };
        assert_eq!(lines.iter().filter(is).count(), 1, "{level} {part}: {lines:?}");
    }
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    lines.clear();
}
