//! A part of this theater, as its leader has it run and decides.

use std::collections::BTreeSet;

use odeon_core::{Context, Reply};
use odeon_speculative::CoordinationError;
use odeon_speculative::extend::Part;
use odeon_theater::TheaterId;

use crate::agent::Agent;
use crate::agent::ending::Ending;
use crate::agent::leading::Outcome;
use crate::agent::tell::{Joins, Run, Standing, Tell, Why};
use crate::id::Id;

/// See the module.
pub(crate) struct Following {
    /// `None`: this theater leads and has no actor in it.
    part: Option<Part>,
    /// The last round that it was to run.
    round: u32,
    /// That is to be rolled back.
    is_void: bool,
    participants: BTreeSet<TheaterId>,
    /// `None`: it can still be rolled back by whoever wants.
    standing: Option<Standing>,
    /// Somebody else than the leader has been told how it stands: the leader decides alone no more.
    pub(crate) is_superseded: bool,
    /// It is to commit, or to be over without; the part will say so.
    decided: Option<Decided>,
    settled: BTreeSet<TheaterId>,
    pub(crate) ending: Option<Ending>,
}

/// How a part comes to its end.
enum Decided {
    /// By the leader, who waits for the answer; or by those who are left.
    Commit {
        reply: Option<Reply<()>>,
        by_leader: bool,
    },
    Abort {
        tells_leader: bool,
    },
}

impl Following {
    pub(crate) fn new(part: Option<Part>) -> Self {
        Self {
            part,
            round: 0,
            is_void: false,
            participants: BTreeSet::new(),
            standing: None,
            is_superseded: false,
            decided: None,
            settled: BTreeSet::new(),
            ending: None,
        }
    }

    /// That of a leader without actors in its transaction, when others are to decide it.
    pub(crate) fn without_part() -> Self {
        Self { standing: Some(Standing::Prepared), ..Self::new(None) }
    }

    pub(crate) fn standing(&self) -> Standing {
        match (&self.decided, self.standing) {
            (Some(Decided::Commit { .. }), _) => Standing::Committed,
            (Some(Decided::Abort { .. }), _) | (_, None) => Standing::Aborted,
            (None, Some(standing)) => standing,
        }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.decided.is_some()
    }

    pub(crate) fn participants(&self) -> &BTreeSet<TheaterId> {
        &self.participants
    }

    /// These theaters have parts, too.
    pub(crate) fn knows(&mut self, participants: impl IntoIterator<Item = TheaterId>) {
        self.participants.extend(participants);
    }

    pub(crate) fn pre_commit(&mut self) {
        self.standing = Some(Standing::PreCommitted);
    }

    /// That theater has committed.
    pub(crate) fn has_settled(&mut self, theater: TheaterId) {
        self.participants.insert(theater);
        self.settled.insert(theater);
    }

    /// Whether it can commit.
    pub(crate) fn is_prepared(&self) -> bool {
        matches!(self.standing(), Standing::Prepared | Standing::PreCommitted)
    }
}

impl Agent {
    /// The first message for a part has come. `is_joined`: a handler elsewhere has joined it.
    pub(crate) fn follow(
        &mut self,
        id: Id,
        part: Part,
        is_joined: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        // Its leader may go without having told anything else.
        self.seek(id.leader, ctx);
        if !self.parts.is_awaited(id) {
            // It came while its leader was giving it up, or lost, which has been seen to before
            // this. It may be there all the same.
            part.abort(CoordinationError::Unreachable);
            let from = self.me;
            return self.tell(id.leader, Tell::Failed { id, from, why: Why::Unreachable }, ctx);
        }
        if is_joined && self.records.has_committed(id) {
            // Of a round that was void: whoever asks is to hear what has become of the others.
            self.parts.is_aborted(id, 0);
            return part.abort(CoordinationError::Unreachable);
        }
        self.following.insert(id, Following::new(Some(part)));
        if is_joined {
            let from = self.me;
            self.tell(id.leader, Tell::Joined { id, from }, ctx);
        }
    }

    pub(crate) fn part_is_ready(&mut self, id: Id, after: u32, ctx: &mut Context<'_, Self>) {
        let from = self.me;
        if self.following.get(&id).is_some_and(|it| it.round == after) {
            self.tell(id.leader, Tell::Ready { id, from, after }, ctx);
        }
    }

    /// The leader has it run.
    pub(crate) fn run_part(&mut self, run: Run, ctx: &mut Context<'_, Self>) {
        let Run { id, round, participants, stamp, is_urgent } = run;
        self.stamp = self.stamp.max(stamp);
        let Some(it) = self.following.get_mut(&id) else { return };
        if it.is_decided() || it.ending.is_some() {
            return;
        }
        it.round = round;
        it.participants = participants.into_iter().collect();
        (it.standing, it.is_void) = (None, false);
        if is_urgent {
            self.urgency.add(stamp, id);
        }
        if self.urgency.is_before(id) {
            self.urgency.stands_back(id, round);
            let from = self.me;
            return self.tell(
                id.leader,
                Tell::GivesWay { id, from, round, for_a_change: false },
                ctx,
            );
        }
        if let Some(part) = &it.part {
            part.run(round);
        }
    }

    /// A round is void.
    pub(crate) fn roll_back_part(
        &mut self,
        id: Id,
        round: u32,
        is_calm: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(it) = self.following.get_mut(&id) else { return };
        if it.round == round && !it.is_decided() {
            (it.standing, it.is_void) = (None, true);
            if let Some(part) = &it.part {
                part.roll_back(round);
            }
        }
        if is_calm {
            self.is_not_urgent(id, ctx);
        }
    }

    /// Those who have stood back for it try again.
    fn is_not_urgent(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        for (other, after) in self.urgency.remove(id) {
            self.part_is_ready(other, after, ctx);
        }
    }

    pub(crate) fn part_gives_way(
        &mut self,
        id: Id,
        round: u32,
        for_a_change: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        let from = self.me;
        if let Some(it) = self.following.get_mut(&id).filter(|it| !it.is_decided()) {
            it.standing = None;
        }
        if for_a_change {
            self.is_not_urgent(id, ctx);
        }
        self.tell(id.leader, Tell::GivesWay { id, from, round, for_a_change }, ctx);
    }

    pub(crate) fn part_is_prepared(
        &mut self,
        id: Id,
        round: u32,
        joins: Joins,
        ctx: &mut Context<'_, Self>,
    ) {
        let from = self.me;
        let Some(it) = self.following.get_mut(&id) else { return };
        if it.round != round || it.is_void || it.is_decided() {
            return;
        }
        it.standing = Some(Standing::Prepared);
        self.tell(id.leader, Tell::Prepared { id, from, round, joins }, ctx);
    }

    /// The leader says that it is over, for a part to which it has sent so many messages.
    pub(crate) fn abort_part(&mut self, id: Id, of: u32, ctx: &mut Context<'_, Self>) {
        if id.leader != self.me {
            self.parts.is_aborted(id, of);
        }
        let standing = self.following.get(&id).map(Following::standing);
        if standing == Some(Standing::PreCommitted) {
            // Its leader has ended it together with others then, of whom some may have come to a
            // commit.
            return self.end_without_leader(id, ctx);
        }
        self.abort_here(id, ctx);
    }

    /// It is over without a commit, and the leader knows, or is to be told nothing.
    pub(crate) fn abort_here(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        self.abort_part_here(id, false, ctx);
    }

    pub(crate) fn abort_part_here(
        &mut self,
        id: Id,
        tells_leader: bool,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(it) = self.following.get_mut(&id).filter(|it| !it.is_decided()) else { return };
        it.decided = Some(Decided::Abort { tells_leader });
        match &it.part {
            Some(part) => part.abort(CoordinationError::Unreachable),
            None => self.part_is_over(id, None, Err(CoordinationError::Unreachable), ctx),
        }
    }

    /// All parts are prepared, says `by`. Answers how it stands here.
    pub(crate) fn pre_commit_part(
        &mut self,
        id: Id,
        by: TheaterId,
        participants: Vec<TheaterId>,
    ) -> Standing {
        let Some(it) = self.following.get_mut(&id) else { return self.recorded(id) };
        it.knows(participants);
        let standing = it.standing();
        if standing == Standing::Prepared && !(by == id.leader && it.is_superseded) {
            it.pre_commit();
        }
        it.standing()
    }

    /// All parts know that all are prepared.
    pub(crate) fn commit_part(&mut self, id: Id, reply: Reply<()>) {
        match self.following.get_mut(&id) {
            Some(it) if !it.is_decided() => {
                it.decided = Some(Decided::Commit { reply: Some(reply), by_leader: true });
                it.commit();
            }
            _ => reply.send(()),
        }
    }

    /// Those who are left have decided so.
    pub(crate) fn commit_here(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let Some(it) = self.following.get_mut(&id).filter(|it| !it.is_decided()) else { return };
        it.decided = Some(Decided::Commit { reply: None, by_leader: false });
        match &it.part {
            Some(part) => part.commit(),
            None => self.part_is_over(id, None, Ok(()), ctx),
        }
    }

    /// What is known of a transaction that has no part here.
    pub(crate) fn recorded(&self, id: Id) -> Standing {
        if self.records.has_committed(id) { Standing::Committed } else { Standing::Aborted }
    }

    /// The part with this number is over; `None`: a leader's decision without one.
    pub(crate) fn part_is_over(
        &mut self,
        id: Id,
        part: Option<u64>,
        outcome: Outcome,
        ctx: &mut Context<'_, Self>,
    ) {
        if let Some(part) = part {
            self.parts.is_over(id, part, outcome.is_ok());
        }
        let is_this = |it: &Following| it.part.as_ref().map(Part::number) == part;
        if !self.following.get(&id).is_some_and(is_this) {
            // It was not followed: it came too late.
            return;
        }
        let Some(it) = self.following.remove(&id) else { return };
        self.is_not_urgent(id, ctx);
        let (me, Following { participants, settled, decided, .. }) = (self.me, it);
        let others: BTreeSet<_> =
            participants.into_iter().filter(|theater| *theater != me).collect();
        // They have asked, and wait for that.
        for theater in &settled {
            self.tell(*theater, Tell::Settled { id, from: me, is_answer: true }, ctx);
        }
        match decided {
            Some(Decided::Commit { reply, by_leader }) => {
                if !by_leader {
                    self.records.keep_for_others(id, others.clone(), settled);
                    self.tell_settled(id, others, ctx);
                } else if id.leader != me {
                    self.records.keep_for_leader(id, others, settled);
                }
                if let Some(reply) = reply {
                    reply.send(());
                }
            }
            Some(Decided::Abort { tells_leader: false }) => {}
            Some(Decided::Abort { tells_leader: true }) | None => {
                let why = match &outcome {
                    Err(why) => Why::of(why),
                    Ok(()) => Why::Unreachable,
                };
                self.tell(id.leader, Tell::Failed { id, from: me, why }, ctx);
            }
        }
        self.is_decided_without_leading(id, outcome, ctx);
    }

    /// The leader of parts here has gone.
    pub(crate) fn leader_has_gone(&mut self, leader: TheaterId, ctx: &mut Context<'_, Self>) {
        self.parts.has_gone(leader);
        let mut led: Vec<Id> =
            self.following.keys().copied().filter(|id| id.leader == leader).collect();
        // One order, whatever the map's is: one seed is to be one run.
        led.sort_unstable();
        for id in led {
            match self.following.get(&id).map(Following::standing) {
                // It may be there all the same, and wait.
                Some(Standing::Aborted) => self.abort_part_here(id, true, ctx),
                Some(Standing::Prepared | Standing::PreCommitted) => {
                    self.end_without_leader(id, ctx)
                }
                // It does not tell any more when the others have committed.
                Some(Standing::Committed) => {
                    if let Some(it) = self.following.get_mut(&id) {
                        it.is_left();
                    }
                }
                None => {}
            }
        }
    }
}

impl Following {
    fn is_left(&mut self) {
        if let Some(Decided::Commit { by_leader, .. }) = &mut self.decided {
            *by_leader = false;
        }
    }

    fn commit(&self) {
        if let Some(part) = &self.part {
            part.commit();
        }
    }
}
