//! Collecting the numbers from where they are counted.

use std::collections::HashMap;
use std::fmt;
use std::ptr::NonNull;
use std::sync::{Arc, Weak};

use crate::messaging::tag;
use crate::process::cell::Header;
use crate::runtime::naming::Naming;
use crate::runtime::theater::{Theater, TheaterParts};
use crate::telemetry::{ActorStats, Followed, StageKind, StageStats, Stats, Telemetry, WaitsView};

/// Where a theater's numbers can be had without keeping the theater; by
/// [`Theater::stats_source`](crate::Theater::stats_source).
#[derive(Clone)]
pub struct StatsSource(Weak<TheaterParts>);

impl StatsSource {
    /// As [`Theater::stats`](crate::Theater::stats); `None` also when the theater is gone.
    pub fn stats(&self) -> Option<Stats> {
        collect(&*self.0.upgrade()?)
    }
}

impl fmt::Debug for StatsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StatsSource(..)")
    }
}

impl Theater {
    /// What has been counted so far; `None` unless [`stats`](crate::TheaterBuilder::stats) was
    /// switched on (S21).
    ///
    /// Looks at every live actor, some 100 ns each, and has new actors wait meanwhile, a part of
    /// them at a time: for once a second, not for once a message.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # use std::time::Duration;
    /// # struct Quiet;
    /// # impl Actor for Quiet { type Msg = u32; fn handle(&mut self, _: u32, _: &mut Context<'_, Self>) {} }
    /// let theater = Theater::builder().stats(true).build()?;
    /// let quiet = theater.spawn(Quiet);
    /// theater.register("quiet", &quiet)?;
    /// (0..10).for_each(|n| quiet.send(n).unwrap());
    /// loop {
    ///     let stats = theater.stats().expect("switched on");
    ///     let actor = stats.actors.iter().find(|actor| actor.id == quiet.id()).unwrap();
    ///     assert_eq!(actor.name.as_deref(), Some("quiet"));
    ///     if actor.messages == 10 {
    ///         break;
    ///     }
    ///     std::thread::yield_now();
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn stats(&self) -> Option<Stats> {
        collect(self.parts())
    }

    /// How many messages are followed at this moment; `None` without a
    /// [`tracer`](crate::TheaterBuilder::tracer).
    pub fn followed(&self) -> Option<Followed> {
        Some(tag::following(self.shared())?.followed())
    }

    /// Who waits for whose answer inside a handler, and in which circles; `None` unless
    /// [`asks_seen`](crate::TheaterBuilder::asks_seen) was switched on (S22).
    ///
    /// ```
    /// # use odeon_core::*;
    /// /// Answers with what `other` says.
    /// struct Relay { other: Option<ActorRef<Ask>> }
    /// enum Ask { Other(ActorRef<Ask>), What(Reply<u32>) }
    /// impl Message for Ask {}
    /// impl AsyncActor for Relay {
    ///     type Msg = Ask;
    ///     async fn handle(&mut self, msg: Ask, _: &mut AsyncContext<'_, Self>) {
    ///         match msg {
    ///             Ask::Other(other) => self.other = Some(other),
    ///             Ask::What(reply) => {
    ///                 if let Ok(n) = self.other.as_ref().unwrap().ask(Ask::What).await {
    ///                     reply.send(n);
    ///                 }
    ///             }
    ///         }
    ///     }
    /// }
    /// let theater = Theater::builder().asks_seen(true).build()?;
    /// let [a, b] = [(); 2].map(|()| theater.spawn(Relay { other: None }));
    /// a.send(Ask::Other(b.clone()))?;
    /// b.send(Ask::Other(a.clone()))?;
    /// let never = a.ask(Ask::What);
    /// let circle = loop {
    ///     let view = theater.waits().expect("switched on");
    ///     if let Some(circle) = view.circles.first() { break circle.clone() }
    ///     std::thread::yield_now();
    /// };
    /// assert!(circle.len() == 2 && circle.contains(&a.id()) && circle.contains(&b.id()));
    /// # drop(never);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn waits(&self) -> Option<WaitsView> {
        Some(self.shared().telemetry()?.waits.as_ref()?.view())
    }

    /// For whoever wants the numbers again and again, also an actor of the theater, which must not
    /// keep it.
    pub fn stats_source(&self) -> StatsSource {
        StatsSource(Arc::downgrade(self.parts()))
    }
}

fn collect(parts: &TheaterParts) -> Option<Stats> {
    let shared = parts.shared();
    let telemetry = shared.telemetry().filter(|telemetry| telemetry.counts)?;
    let pool_name: Arc<str> = "pool".into();
    let mut stages = vec![pool_stats(parts, telemetry, pool_name.clone())];
    stages.extend(parts.pinned_stats());
    let mut names = HashMap::new();
    Naming::of(shared).for_each_name(|name, actor| {
        names.entry(actor).or_insert_with(|| name.clone());
    });
    let mut actors = Vec::new();
    shared.registry.for_each(|cell| {
        // SAFETY: actors in the registry are alive, and the lock keeps them there.
        let header = unsafe { cell.as_ref() };
        let stage = header.pinned().map_or(&pool_name, |stage| stage.name());
        actors.extend(actor_stats(header, stage));
    });
    let reporters = telemetry.reporters.all();
    for actor in &mut actors {
        actor.name = names.remove(&actor.id);
        if let Some(reporter) = reporters.get(&actor.id) {
            actor.actor_type = reporter.actor_type();
            actor.speculation = Some(reporter.report());
        }
    }
    Some(Stats { at: telemetry.now(), stages, actors, dead_letters: shared.dead_letter_counts() })
}

fn pool_stats(parts: &TheaterParts, telemetry: &Telemetry, name: Arc<str>) -> StageStats {
    let mut stats = StageStats {
        turns: telemetry.outside.turns.get(),
        messages: telemetry.outside.messages.get(),
        ..StageStats::of(name, StageKind::Pool)
    };
    let now = telemetry.now();
    for (tally, turns) in parts.pool_tallies() {
        stats.workers += 1;
        stats.turns += turns;
        stats.messages += tally.messages.get();
        stats.steals += tally.steals.get();
        stats.parks += tally.parks.get();
        stats.busy += tally.busy.time(now);
    }
    stats
}

fn actor_stats(header: &Header, stage: &Arc<str>) -> Option<ActorStats> {
    let tally = header.tally()?;
    let deferred = tally.deferred.get() as usize;
    let position = tally.position.get();
    // SAFETY: the vtable belongs to this cell.
    let in_inbox = unsafe { (header.vtable.waiting)(NonNull::from(header), position) };
    Some(ActorStats {
        id: header.id,
        works_for: header
            .relations
            .get()
            .and_then(|relations| relations.works_for())
            .map(|actor| actor.id()),
        name: None,
        actor_type: (header.vtable.actor_type)(),
        stage: stage.clone(),
        turns: tally.turns.get(),
        messages: tally.messages.get(),
        busy: header.pinned().is_none().then(|| tally.busy.time()),
        waiting: in_inbox + deferred,
        longest_wait: tally.longest_wait.time(),
        restarts: tally.restarts.get(),
        speculation: None,
    })
}
