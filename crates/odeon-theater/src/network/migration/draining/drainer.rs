//! The actor that sees to a drain.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use odeon_core::{Actor, ActorRef, AskError, Clock, Context, Message, Reply, extend};

use super::{Choose, Drained, Kept};
use crate::network::handle::{Network, WeakNetwork};
use crate::{Membership, MigrateError, Migrated, MobileActor, MobileId, TheaterId};

/// TUNE: guessed 2026-11: enough that links are never idle, so few that their states do not fill
/// the memory.
const AT_ONCE: usize = 256;

/// TUNE: ms, guessed 2026-11: how often it looks whether all have gone, a few times as long as one
/// way takes.
const BETWEEN_LOOKS: Duration = Duration::from_millis(5);

/// See the module.
pub(super) struct Drainer {
    network: WeakNetwork,
    clock: Arc<dyn Clock>,
    until: Duration,
    choose: Choose,
    reply: Option<Reply<Drained>>,
    /// Keeps itself until the end.
    me: Option<ActorRef<Look>>,
    waiting: VecDeque<MobileActor>,
    under_way: HashSet<MobileId>,
    kept: HashMap<MobileId, Kept>,
    /// Theaters that take in nobody.
    closed: HashSet<TheaterId>,
    /// Theaters that take in nobody at any time, since they know no kind: as if they were not
    /// there.
    guests: HashSet<TheaterId>,
    /// Theaters that do not take in this kind, and why.
    unknown: HashMap<(TheaterId, String), MigrateError>,
    /// Theaters that could not read this actor, and why: others may.
    unread: HashMap<(TheaterId, MobileId), MigrateError>,
    /// Seats that were left at which nothing is to come any more, since nobody is on the way.
    quiet: HashSet<u64>,
    /// Answers to questions up to this number are waited for: those that have left since nobody is
    /// on the way are not the doing of this drain.
    passing_until: Option<u64>,
    drained: Drained,
}

/// It is to look what there is to do.
pub(super) struct Look;

impl Message for Look {}

pub(super) fn begin(drainer: &ActorRef<Look>) {
    // Unhindered: whoever asks for a drain in a handler is not to wait.
    let _ = extend::send_unhindered(drainer, Look);
}

/// What is to become of an actor.
enum Goes {
    To(TheaterId),
    Stays(Kept),
    /// The theaters to which it could move are suspected at the moment.
    Later,
}

impl Drainer {
    pub(super) fn new(
        network: WeakNetwork,
        clock: Arc<dyn Clock>,
        within: Duration,
        choose: Choose,
        reply: Reply<Drained>,
    ) -> Self {
        Self {
            network,
            until: clock.now().saturating_add(within),
            clock,
            choose,
            reply: Some(reply),
            me: None,
            waiting: VecDeque::new(),
            under_way: HashSet::new(),
            kept: HashMap::new(),
            closed: HashSet::new(),
            guests: HashSet::new(),
            unknown: HashMap::new(),
            unread: HashMap::new(),
            quiet: HashSet::new(),
            passing_until: None,
            drained: Drained::default(),
        }
    }

    fn look(&mut self, ctx: &mut Context<'_, Self>) {
        let Some(network) = self.network.upgrade() else { return ctx.stop() };
        if self.under_way.is_empty() {
            // Also those that have come, or were created, since the last look.
            let residents = network.residents();
            let known = &self.kept;
            self.waiting = residents
                .into_iter()
                .filter(|actor| !actor.leaves && !known.contains_key(&actor.id))
                .collect();
            self.send_on(&network, ctx);
        }
        let is_nobody_here = self.under_way.is_empty()
            && self.waiting.is_empty()
            && !network.inner.seats.is_anybody_under_way();
        if !is_nobody_here {
            self.quiet.clear();
        }
        let questions = &network.inner.questions;
        if is_nobody_here {
            self.passing_until.get_or_insert_with(|| questions.last());
        } else {
            self.passing_until = None;
        }
        let until = self.passing_until.unwrap_or_default();
        let mut is_empty = || {
            network.inner.turn_holders_away() == 0
                && network.inner.seats.expecting(&mut self.quiet) == 0
                && questions.passing(until) == 0
        };
        if is_nobody_here && is_empty() || self.clock.now() >= self.until {
            return self.finish(&network, ctx);
        }
        ctx.send_after(BETWEEN_LOOKS, Look);
    }

    /// Has those that wait move, not too many at once. Those that are put off wait still.
    fn send_on(&mut self, network: &Network, ctx: &mut Context<'_, Self>) {
        let mut put_off = VecDeque::new();
        while self.under_way.len() < AT_ONCE {
            let Some(actor) = self.waiting.pop_front() else { break };
            match self.where_to(network, &actor) {
                Goes::Later => put_off.push_back(actor),
                Goes::Stays(why) => {
                    self.kept.insert(actor.id, why);
                }
                Goes::To(to) => {
                    self.under_way.insert(actor.id);
                    let moves = network.migrate_resident(actor.id, to);
                    ctx.pipe(moves, move |it, moved, ctx| it.has_answered(actor, to, moved, ctx));
                }
            }
        }
        put_off.append(&mut self.waiting);
        self.waiting = put_off;
    }

    fn where_to(&mut self, network: &Network, actor: &MobileActor) -> Goes {
        let (mut theaters, mut is_suspected, mut refusal) = (Vec::new(), false, None);
        for (theater, is) in network.members() {
            if self.guests.contains(&theater) {
                continue;
            }
            if self.closed.contains(&theater) {
                refusal.get_or_insert(MigrateError::Drained);
            } else if let Some(why) = self.unknown.get(&(theater, actor.kind.clone())) {
                refusal = Some(why.clone());
            } else if let Some(why) = self.unread.get(&(theater, actor.id)) {
                refusal = Some(why.clone());
            } else if is == Membership::Present {
                theaters.push(theater);
            } else {
                is_suspected = true;
            }
        }
        match (self.choose)(actor, &theaters) {
            Some(to) if theaters.contains(&to) => Goes::To(to),
            _ if theaters.is_empty() && is_suspected => Goes::Later,
            _ if theaters.is_empty() => Goes::Stays(refusal.map_or(Kept::NoTheater, Kept::Refused)),
            _ => Goes::Stays(Kept::NoTheater),
        }
    }

    /// Whether a theater has said that it knows no kind, as one that only looks who is there, or
    /// has another one drained.
    fn is_guest(&self, theater: TheaterId) -> bool {
        let peer = self.network.upgrade().and_then(|network| network.inner.peers.get(theater));
        peer.is_some_and(|peer| peer.has_no_kinds())
    }

    fn has_answered(
        &mut self,
        actor: MobileActor,
        to: TheaterId,
        moved: Result<Result<Migrated, MigrateError>, AskError>,
        ctx: &mut Context<'_, Self>,
    ) {
        self.under_way.remove(&actor.id);
        match moved {
            Ok(Ok(_)) => self.drained.moved.push((actor.id, to)),
            Ok(Err(MigrateError::Lost)) => self.drained.lost.push((actor.id, to)),
            Ok(Err(MigrateError::Drained | MigrateError::Unreachable)) => {
                self.closed.insert(to);
                self.waiting.push_back(actor);
            }
            Ok(Err(MigrateError::UnknownKind)) if self.is_guest(to) => {
                self.guests.insert(to);
                self.waiting.push_back(actor);
            }
            Ok(Err(
                why @ (MigrateError::UnknownKind
                | MigrateError::OtherKind
                | MigrateError::OtherLayout(_)
                | MigrateError::OtherVersion),
            )) => {
                self.unknown.insert((to, actor.kind.clone()), why);
                self.waiting.push_back(actor);
            }
            Ok(Err(why @ MigrateError::State(_))) => {
                self.unread.insert((to, actor.id), why);
                self.waiting.push_back(actor);
            }
            // Who has moved by somebody else's will, or ended, is not here at the end.
            Ok(Err(why)) => {
                self.kept.insert(actor.id, Kept::Refused(why));
            }
            Err(_) => {
                self.kept.insert(actor.id, Kept::Busy);
            }
        }
        if let Some(network) = self.network.upgrade() {
            self.send_on(&network, ctx);
        }
    }

    fn finish(&mut self, network: &Network, ctx: &mut Context<'_, Self>) {
        let mut drained = std::mem::take(&mut self.drained);
        let mut kept = std::mem::take(&mut self.kept);
        let busy = self.under_way.drain().chain(self.waiting.drain(..).map(|actor| actor.id));
        kept.extend(busy.map(|id| (id, Kept::Busy)));
        kept.retain(|id, _| network.inner.seats.is_resident(id.address()));
        drained.kept = kept.into_iter().collect();
        drained.kept.sort_unstable_by_key(|(id, _)| *id);
        drained.moved.sort_unstable();
        drained.lost.sort_unstable();
        drained.immobile = network.inner.immobile();
        drained.led_by = network.inner.turn_holders_away();
        drained.expecting = network.inner.seats.expecting(&mut self.quiet);
        let until = self.passing_until.unwrap_or_else(|| network.inner.questions.last());
        drained.passing = network.inner.questions.passing(until);
        if let Some(reply) = self.reply.take() {
            reply.send(drained);
        }
        self.me = None;
        ctx.stop();
    }
}

impl Actor for Drainer {
    type Msg = Look;

    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        self.me = Some(ctx.actor_ref());
    }

    fn handle(&mut self, _: Look, ctx: &mut Context<'_, Self>) {
        self.look(ctx);
    }
}
