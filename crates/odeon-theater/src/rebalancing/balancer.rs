//! The actor that measures, asks others, and has actors moved.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::{Actor, ActorRef, AskError, Clock, Context, Message, Reply};
use odeon_sync::atomic::{AtomicU64, Ordering};
use serde::{Deserialize, Serialize};

use super::measuring::Measuring;
use super::policy::{Load, Measured, Policy, Situation};
use super::settings::RebalanceSettings;
use crate::network::WeakNetwork;
use crate::{Membership, MobileId, Network, TheaterId};

/// Under which name each theater publishes its balancer: another one for another version of what
/// they tell each other.
pub(super) const BALANCER: &str = "odeon/balancer/1";

/// To a balancer.
#[derive(Serialize, Deserialize)]
pub(super) enum Tell {
    /// What there is to do in its theater.
    Load(Reply<Told>),
    /// A period is over. Its own.
    #[serde(skip)]
    Period,
}

impl Message for Tell {}

/// What a theater tells of its last period.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Told {
    messages_per_second: f64,
    actors: usize,
    is_steady: bool,
    /// Whether actors may come.
    is_open: bool,
    /// How long the period was, and how long ago it ended.
    over: Duration,
    ago: Duration,
}

/// Another theater that takes part.
#[derive(Default)]
struct Other {
    balancer: Option<ActorRef<Tell>>,
    /// It is being looked for, or asked.
    is_asked: bool,
    /// What it has told, and when that came.
    told: Option<(Told, Duration)>,
}

/// See the module.
pub(super) struct Balancer {
    network: WeakNetwork,
    clock: Arc<dyn Clock>,
    policy: Box<dyn Policy>,
    settings: RebalanceSettings,
    measuring: Measuring,
    load: Load,
    measured_at: Duration,
    others: BTreeMap<TheaterId, Other>,
    under_way: usize,
    /// When the last move was begun or has ended.
    last_move: Duration,
    moved: Arc<AtomicU64>,
}

impl Balancer {
    pub(super) fn new(
        network: &Network,
        policy: Box<dyn Policy>,
        settings: RebalanceSettings,
        moved: Arc<AtomicU64>,
    ) -> Self {
        let clock = network.clock();
        let now = clock.now();
        Self {
            network: network.downgrade(),
            clock,
            policy,
            settings,
            measuring: Measuring::begin(now),
            load: Load { messages_per_second: 0.0, actors: 0, is_steady: false },
            measured_at: now,
            others: BTreeMap::new(),
            under_way: 0,
            last_move: now,
            moved,
        }
    }

    fn period(&mut self, ctx: &mut Context<'_, Self>) {
        let Some(network) = self.network.upgrade() else { return ctx.stop() };
        let measured = self.measure(&network);
        self.see_others(&network);
        if !network.is_drained() {
            self.decide(&network, measured, ctx);
        }
        self.ask_others(&network, ctx);
        ctx.send_after(self.settings.every, Tell::Period);
    }

    fn measure(&mut self, network: &Network) -> Vec<Measured> {
        let began = std::mem::replace(&mut self.measured_at, self.clock.now());
        let (load, measured) = self.measuring.measure(self.measured_at, network.residents());
        let has_moved = self.under_way > 0 || self.last_move >= began;
        self.load = Load { is_steady: load.is_steady && !has_moved, ..load };
        measured
    }

    /// Forgets those that are not there any more.
    fn see_others(&mut self, network: &Network) {
        let members = network.members();
        let present: Vec<TheaterId> = members
            .into_iter()
            .filter_map(|(theater, is)| (is == Membership::Present).then_some(theater))
            .collect();
        self.others.retain(|theater, _| present.contains(theater));
        present.into_iter().for_each(|theater| _ = self.others.entry(theater).or_default());
    }

    fn decide(&mut self, network: &Network, measured: Vec<Measured>, ctx: &mut Context<'_, Self>) {
        let rest = self.settings.rest;
        let mut actors = measured;
        actors.retain(|actor| self.measuring.has_rested(actor.id, rest));
        let situation = Situation {
            theater: network.id(),
            load: self.load,
            actors,
            others: self.others.iter().filter_map(|(&id, other)| self.load_of(id, other)).collect(),
        };
        let may = |id: &MobileId, to: &TheaterId| {
            situation.actors.iter().any(|actor| actor.id == *id)
                && situation.others.iter().any(|(other, _)| other == to)
        };
        for (id, to) in self.policy.choose(&situation) {
            if self.under_way >= self.settings.most_moves {
                break;
            }
            if may(&id, &to) {
                self.have_moved(network, id, to, ctx);
            }
        }
    }

    /// What is known of another theater, if that is of the last periods and it takes in actors.
    fn load_of(&self, id: TheaterId, other: &Other) -> Option<(TheaterId, Load)> {
        let (told, came) = other.told.filter(|(told, _)| told.is_open)?;
        if came.saturating_add(self.settings.every.saturating_mul(2)) < self.measured_at {
            return None;
        }
        let began = came.saturating_sub(told.ago).saturating_sub(told.over);
        let Told { messages_per_second, actors, is_steady, .. } = told;
        let is_steady = is_steady && began > self.last_move;
        Some((id, Load { messages_per_second, actors, is_steady }))
    }

    fn have_moved(
        &mut self,
        network: &Network,
        id: MobileId,
        to: TheaterId,
        ctx: &mut Context<'_, Self>,
    ) {
        let now = self.clock.now();
        self.measuring.tries(id, now);
        self.under_way += 1;
        self.last_move = now;
        ctx.pipe(network.migrate_resident(id, to), move |it, moved, _| {
            it.under_way -= 1;
            it.last_move = it.clock.now();
            if matches!(moved, Ok(Ok(_))) {
                // ORDERING: Relaxed: a number to look at.
                it.moved.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    fn ask_others(&mut self, network: &Network, ctx: &mut Context<'_, Self>) {
        for (&theater, other) in &mut self.others {
            if std::mem::replace(&mut other.is_asked, true) {
                continue;
            }
            match other.balancer.as_ref().filter(|balancer| !balancer.is_stopped()) {
                Some(balancer) => {
                    let told = balancer.ask(Tell::Load);
                    ctx.pipe(told, move |it, told, _| it.is_told(theater, told));
                }
                None => {
                    let found = network.at(theater).lookup::<Tell>(BALANCER);
                    ctx.pipe(found, move |it, found, _| {
                        let Some(other) = it.others.get_mut(&theater) else { return };
                        other.is_asked = false;
                        other.balancer = found.ok().and_then(Result::ok);
                    });
                }
            }
        }
    }

    fn is_told(&mut self, theater: TheaterId, told: Result<Told, AskError>) {
        let now = self.clock.now();
        let Some(other) = self.others.get_mut(&theater) else { return };
        other.is_asked = false;
        other.told = told.ok().map(|told| (told, now));
    }

    fn tell(&self) -> Told {
        let Load { messages_per_second, actors, is_steady } = self.load;
        Told {
            messages_per_second,
            actors,
            // Who has come since is in these numbers not yet.
            is_steady: is_steady && self.last_move < self.measured_at,
            is_open: self.network.upgrade().is_some_and(|network| !network.is_drained()),
            over: self.measuring.over,
            ago: self.clock.now().saturating_sub(self.measured_at),
        }
    }
}

impl Actor for Balancer {
    type Msg = Tell;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.send_after(self.settings.every, Tell::Period);
    }

    fn handle(&mut self, tell: Tell, ctx: &mut Context<'_, Self>) {
        match tell {
            Tell::Load(reply) => reply.send(self.tell()),
            Tell::Period => self.period(ctx),
        }
    }
}
