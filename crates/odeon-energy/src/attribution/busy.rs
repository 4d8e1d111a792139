//! How long each actor was busy between two collections of a theater's numbers.

use odeon_core::{ActorId, ActorStats, StageKind, StageStats, Stats};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// An actor, and what works for it.
#[derive(Debug, Clone)]
pub(super) struct Busy {
    pub(super) whose: Whose,
    pub(super) messages: u64,
    pub(super) time: Duration,
    pub(super) least: Duration,
    pub(super) most: Duration,
    /// How many actors this is the time of.
    pub(super) runners: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Whose {
    pub(super) id: ActorId,
    pub(super) name: Option<Arc<str>>,
    pub(super) actor_type: &'static str,
}

/// What is known of the actors of a stage that does not time them one by one.
struct Stage {
    busy: Duration,
    messages: u64,
    actors: usize,
}

/// The time of each actor that is alive at the end, and that of all threads.
pub(super) fn busy(before: &Stats, after: &Stats) -> (Vec<Busy>, Duration) {
    let known: HashMap<ActorId, &ActorStats> =
        before.actors.iter().map(|actor| (actor.id, actor)).collect();
    let mut stages = stages(before, after);
    let threads: Duration = after.stages.iter().map(|stage| since(before, stage).0).sum();
    for actor in after.actors.iter().filter(|actor| actor.busy.is_none()) {
        if let Some(stage) = stages.get_mut(&actor.stage) {
            stage.actors += 1;
        }
    }
    let mut of: HashMap<ActorId, Busy> = HashMap::new();
    for actor in &after.actors {
        let earlier = known.get(&actor.id);
        let messages = actor.messages.saturating_sub(earlier.map_or(0, |earlier| earlier.messages));
        let (time, least, most) = match actor.busy {
            Some(busy) => {
                let earlier = earlier.and_then(|earlier| earlier.busy).unwrap_or_default();
                let time = busy.saturating_sub(earlier);
                (time, time, time)
            }
            None => untimed(stages.get(&actor.stage), messages),
        };
        // What works for an actor that has ended stays by itself.
        let served =
            actor.works_for.filter(|served| after.actors.iter().any(|actor| actor.id == *served));
        let id = served.unwrap_or(actor.id);
        let entry = of.entry(id).or_insert_with(|| Busy {
            whose: Whose { id, name: None, actor_type: "" },
            messages: 0,
            time: Duration::ZERO,
            least: Duration::ZERO,
            most: Duration::ZERO,
            runners: 0,
        });
        if id == actor.id {
            (entry.whose.name, entry.whose.actor_type) = (actor.name.clone(), actor.actor_type);
        }
        entry.messages += messages;
        entry.time += time;
        entry.least += least;
        entry.most += most;
        entry.runners += 1;
    }
    let mut all: Vec<Busy> = of.into_values().collect();
    all.sort_by_key(|busy| busy.whose.id);
    let actors: Duration = all.iter().map(|busy| busy.time).sum();
    // Each number is of a moment of its own.
    (all, threads.max(actors))
}

/// Of an actor of a stage that does not time it: by messages, and exactly if it is alone.
fn untimed(stage: Option<&Stage>, messages: u64) -> (Duration, Duration, Duration) {
    let Some(stage) = stage else { return Default::default() };
    if stage.messages == 0 || messages == 0 {
        return (Duration::ZERO, Duration::ZERO, stage.busy);
    }
    let time = stage.busy.mul_f64((messages as f64 / stage.messages as f64).min(1.0));
    let is_alone = stage.actors == 1 && messages == stage.messages;
    (time, if is_alone { time } else { Duration::ZERO }, stage.busy.max(time))
}

/// How long a stage was busy in the span, and with how many messages.
fn since(before: &Stats, stage: &StageStats) -> (Duration, u64) {
    let same = |earlier: &&StageStats| earlier.name == stage.name && earlier.kind == stage.kind;
    let earlier = before.stages.iter().find(same);
    let (busy, messages) = earlier.map_or((Duration::ZERO, 0), |it| (it.busy, it.messages));
    (stage.busy.saturating_sub(busy), stage.messages.saturating_sub(messages))
}

fn stages(before: &Stats, after: &Stats) -> HashMap<Arc<str>, Stage> {
    let untimed = after.stages.iter().filter(|stage| stage.kind != StageKind::Pool);
    let each = untimed.map(|stage| {
        let (busy, messages) = since(before, stage);
        (stage.name.clone(), Stage { busy, messages, actors: 0 })
    });
    each.collect()
}
