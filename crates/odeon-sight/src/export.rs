//! A theater's numbers for the `metrics` facade.

use std::fmt;
use std::time::Duration;

use metrics::{counter, gauge};
use odeon_core::{
    Actor, ActorRef, ActorStats, Context, DeadLetterReason, Message, SpeculationReport, StageKind,
    Stats, StatsSource, Theater,
};

/// Writes a theater's [`Stats`] into the recorder of the `metrics` facade.
///
/// | metric | kind | labels |
/// |---|---|---|
/// | `odeon_stage_turns_total`, `odeon_stage_messages_total`, `odeon_stage_steals_total`, `odeon_stage_parks_total` | counter | `theater`, `stage`, `kind` |
/// | `odeon_stage_busy_seconds`, `odeon_stage_workers`, `odeon_stage_waiting` | gauge | `theater`, `stage`, `kind` |
/// | `odeon_actors` | gauge | `theater` |
/// | `odeon_dead_letters_total` | counter | `theater`, `reason` |
/// | `odeon_actor_turns_total`, `odeon_actor_messages_total`, `odeon_actor_restarts_total` | counter | `theater`, `stage`, `actor`, `type` |
/// | `odeon_actor_waiting`, `odeon_actor_longest_wait_seconds` | gauge | `theater`, `stage`, `actor`, `type` |
/// | `odeon_speculation_width` | gauge | `theater`, `stage`, `actor`, `type` |
/// | `odeon_speculation_commits_total`, `odeon_speculation_failures_total` | counter | `theater`, `stage`, `actor`, `type` |
/// | `odeon_speculation_rollbacks_total` | counter | `theater`, `stage`, `actor`, `type`, `cause` |
/// | `odeon_speculation_rollbacks_by_variable_total` | counter | `theater`, `stage`, `actor`, `type`, `variable` |
///
/// `actor` is the actor's name, or its id if it has none; `variable` is a label. Only speculative
/// actors have the latter five.
///
/// ```
/// # use odeon_core::*;
/// use odeon_sight::Export;
///
/// let theater = Theater::builder().name("shop").stats(true).build()?;
/// if let Some(stats) = theater.stats() {
///     Export::named().write(theater.name(), &stats);
/// }
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Export {
    which: Which,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    None,
    Named,
    All,
}

impl Export {
    /// Stages only, and how many actors there are.
    pub fn stages() -> Self {
        Self { which: Which::None }
    }

    /// Stages, and the actors that have a name: for programs with many actors, since a recorder
    /// keeps each series for ever.
    pub fn named() -> Self {
        Self { which: Which::Named }
    }

    /// Stages and all actors: for programs with few.
    pub fn all() -> Self {
        Self { which: Which::All }
    }

    /// Writes the numbers of a theater with this name.
    pub fn write(self, theater: &str, stats: &Stats) {
        let theater = theater.to_owned();
        for stage in &stats.stages {
            let labels = [
                ("theater", theater.clone()),
                ("stage", stage.name.to_string()),
                ("kind", kind(stage.kind).to_owned()),
            ];
            counter!("odeon_stage_turns_total", &labels).absolute(stage.turns);
            counter!("odeon_stage_messages_total", &labels).absolute(stage.messages);
            counter!("odeon_stage_steals_total", &labels).absolute(stage.steals);
            counter!("odeon_stage_parks_total", &labels).absolute(stage.parks);
            gauge!("odeon_stage_busy_seconds", &labels).set(stage.busy.as_secs_f64());
            gauge!("odeon_stage_workers", &labels).set(stage.workers as f64);
            gauge!("odeon_stage_waiting", &labels).set(stage.waiting as f64);
        }
        gauge!("odeon_actors", "theater" => theater.clone()).set(stats.actors.len() as f64);
        for reason in DeadLetterReason::ALL {
            let labels = [("theater", theater.clone()), ("reason", reason.name().to_owned())];
            counter!("odeon_dead_letters_total", &labels).absolute(stats.dead_letters.of(reason));
        }
        for actor in stats.actors.iter().filter(|actor| self.wants(actor)) {
            write_actor(&theater, actor);
        }
    }

    fn wants(self, actor: &ActorStats) -> bool {
        match self.which {
            Which::None => false,
            Which::Named => actor.name.is_some(),
            Which::All => true,
        }
    }

    /// Writes the theater's numbers now and then after every `period`, by an actor and a timer of
    /// the theater, until the result is dropped. Writes nothing if the theater does not count.
    ///
    /// # Panics
    /// As [`ActorRef::send_every`](odeon_core::ActorRef::send_every).
    #[track_caller]
    pub fn every(self, theater: &Theater, period: Duration) -> Exporting {
        let exporter = Exporter {
            export: self,
            theater: theater.name().to_owned(),
            source: theater.stats_source(),
        };
        let exporter = theater.spawn(exporter);
        // The timer does not keep the actor.
        exporter.send_every(period, || Write);
        let _ = exporter.send(Write);
        Exporting(exporter)
    }
}

fn write_actor(theater: &str, actor: &ActorStats) {
    let name = actor.name.as_ref().map_or_else(|| actor.id.to_string(), |name| name.to_string());
    let labels = [
        ("theater", theater.to_owned()),
        ("stage", actor.stage.to_string()),
        ("actor", name),
        ("type", actor.actor_type.to_owned()),
    ];
    counter!("odeon_actor_turns_total", &labels).absolute(actor.turns);
    counter!("odeon_actor_messages_total", &labels).absolute(actor.messages);
    counter!("odeon_actor_restarts_total", &labels).absolute(actor.restarts);
    gauge!("odeon_actor_waiting", &labels).set(actor.waiting as f64);
    gauge!("odeon_actor_longest_wait_seconds", &labels).set(actor.longest_wait.as_secs_f64());
    if let Some(speculation) = &actor.speculation {
        write_speculation(labels, speculation);
    }
}

fn write_speculation(labels: [(&'static str, String); 4], report: &SpeculationReport) {
    gauge!("odeon_speculation_width", &labels).set(report.width as f64);
    counter!("odeon_speculation_commits_total", &labels).absolute(report.commits);
    counter!("odeon_speculation_failures_total", &labels).absolute(report.failures);
    let with = |label, value: &str| {
        let [theater, stage, actor, actor_type] = labels.clone();
        [theater, stage, actor, actor_type, (label, value.to_owned())]
    };
    for (cause, rollbacks) in &report.rollbacks {
        let labels = with("cause", cause);
        counter!("odeon_speculation_rollbacks_total", &labels).absolute(*rollbacks);
    }
    for (variable, rollbacks) in &report.rollbacks_by_variable {
        let labels = with("variable", variable);
        counter!("odeon_speculation_rollbacks_by_variable_total", &labels).absolute(*rollbacks);
    }
}

fn kind(kind: StageKind) -> &'static str {
    match kind {
        StageKind::Pool => "pool",
        StageKind::Pinned => "pinned",
        StageKind::Dedicated => "dedicated",
    }
}

/// A theater's numbers are being written; ends when it is dropped.
pub struct Exporting(ActorRef<Write>);

impl fmt::Debug for Exporting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exporting({})", self.0.id())
    }
}

struct Write;
impl Message for Write {}

struct Exporter {
    export: Export,
    theater: String,
    source: StatsSource,
}

impl Actor for Exporter {
    type Msg = Write;
    fn handle(&mut self, Write: Write, _: &mut Context<'_, Self>) {
        if let Some(stats) = self.source.stats() {
            self.export.write(&self.theater, &stats);
        }
    }
}
