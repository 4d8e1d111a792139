//! S4: dead letters are told of, and do not flood the log.

use std::sync::{Arc, Mutex};

use odeon_core::*;
use odeon_sight::DeadLetterLog;
use odeon_testkit::Deterministic;
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

struct Stops;
impl Actor for Stops {
    type Msg = ();
    fn handle(&mut self, (): (), ctx: &mut Context<'_, Self>) {
        ctx.stop();
    }
}

#[test]
fn s4_a_flood_of_dead_letters_is_a_handful_of_lines() {
    let lines = Lines::default();
    let subscriber = tracing_subscriber::registry().with(lines.clone());
    tracing::subscriber::with_default(subscriber, || {
        let builder = Theater::builder().observer(Arc::new(DeadLetterLog::default()));
        let run = Deterministic::with(1, builder);
        let [one, other] = [(); 2].map(|()| run.theater().spawn(Stops));
        (0..=2_500).for_each(|_| one.send(()).unwrap());
        (0..=1).for_each(|_| other.send(()).unwrap());
        run.run_until_idle();
        assert_eq!(run.theater().dead_letters(), 2_501);
        let lines = lines.0.lock().unwrap();
        let of = |actor: &ActorRef<()>, count: u32| {
            let (actor, count) = (format!("actor={} ", actor.id()), format!("count={count} "));
            let is = |line: &&String| {
                line.starts_with("WARN")
                    && line.contains(&actor)
                    && line.contains("reason=\"stopped\"")
                    && line.contains(&count)
            };
            lines.iter().filter(is).count()
        };
        assert_eq!([1, 10, 100, 1_000].map(|count| of(&one, count)), [1; 4], "{lines:?}");
        assert_eq!(of(&other, 1), 1);
        assert_eq!(lines.len(), 5, "{lines:?}");
    });
}
