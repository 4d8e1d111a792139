//! How those who are left end a transaction whose leader they cannot reach.
//!
//! Whoever is prepared asks all others, and the leader too, which may be back. If one has
//! committed, so does it; if one has not been prepared or has rolled back, so does it. If one knows
//! that all were prepared, all are told that before anybody commits; and if nobody knows it, nobody
//! can have committed, and it rolls back. All do so by themselves and come to the same.

use std::collections::BTreeSet;

use odeon_core::Context;
use odeon_theater::TheaterId;

use crate::agent::Agent;
use crate::agent::tell::{Heard, Standing, Tell};
use crate::id::Id;

/// What one part has been told by the others.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    asked: BTreeSet<TheaterId>,
    /// Answers that are still to come.
    awaited: usize,
    heard: Vec<(TheaterId, Standing)>,
    /// Whether the others are being told that all were prepared.
    is_told: bool,
}

impl Agent {
    /// The leader cannot be reached, or decides alone no more.
    pub(crate) fn end_without_leader(&mut self, id: Id, ctx: &mut Context<'_, Self>) {
        let Some(it) = self.following.get_mut(&id) else { return };
        if it.ending.is_some() || it.is_decided() {
            return;
        }
        let mut participants = it.participants().clone();
        participants.insert(id.leader);
        // One more than there are, so that none of them is the last one before all are asked.
        it.ending = Some(Ending { awaited: 1, ..Ending::default() });
        self.inquire(id, participants, ctx);
        self.has_heard(id, self.me, None, ctx);
    }

    /// Asks those of these theaters that have not been asked.
    fn inquire(&mut self, id: Id, of: BTreeSet<TheaterId>, ctx: &mut Context<'_, Self>) {
        let me = self.me;
        let ending = self.following.get_mut(&id).and_then(|it| it.ending.as_mut());
        let Some(ending) = ending else { return };
        let is_new = |theater: &TheaterId| *theater != me && ending.asked.insert(*theater);
        let new: Vec<TheaterId> = of.into_iter().filter(is_new).collect();
        ending.awaited += new.len();
        for theater in new {
            let then = move |it: &mut Self, heard: Option<Heard>, ctx: &mut Context<'_, Self>| {
                let (standing, participants) =
                    heard.map(|it| (it.standing, it.participants)).unzip();
                if let Some(followed) = it.following.get_mut(&id) {
                    // Who has been told that all are prepared knows of all.
                    followed.knows(participants.unwrap_or_default());
                    let participants = followed.participants().clone();
                    it.inquire(id, participants, ctx);
                }
                it.has_heard(id, theater, standing, ctx);
            };
            self.ask(theater, |reply| Tell::Inquire { id, reply }, then, ctx);
        }
    }

    /// `None`: that theater has gone.
    fn has_heard(
        &mut self,
        id: Id,
        from: TheaterId,
        standing: Option<Standing>,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(it) = self.following.get_mut(&id).filter(|it| !it.is_decided()) else { return };
        let mine = it.standing();
        let Some(ending) = &mut it.ending else { return };
        ending.awaited -= 1;
        ending.heard.extend(standing.map(|standing| (from, standing)));
        if ending.awaited > 0 {
            return;
        }
        let heard = |wanted| ending.heard.iter().any(|(_, standing)| *standing == wanted);
        if heard(Standing::Committed) {
            return self.commit_here(id, ctx);
        }
        let is_known = mine == Standing::PreCommitted || heard(Standing::PreCommitted);
        if heard(Standing::Aborted) || !is_known {
            return self.abort_here(id, ctx);
        }
        if ending.is_told {
            return self.commit_here(id, ctx);
        }
        let others = std::mem::take(&mut ending.heard);
        (ending.is_told, ending.awaited) = (true, others.len() + 1);
        let participants: Vec<TheaterId> = it.participants().iter().copied().collect();
        it.pre_commit();
        let by = self.me;
        for (theater, _) in others {
            let then = move |it: &mut Self, standing, ctx: &mut Context<'_, Self>| {
                it.has_heard(id, theater, standing, ctx);
            };
            let participants = participants.clone();
            let tell = |reply| Tell::PreCommit { id, by, participants, reply };
            self.ask(theater, tell, then, ctx);
        }
        self.has_heard(id, self.me, None, ctx);
    }

    /// Another part asks: what it is answered.
    pub(crate) fn answer_another(&mut self, id: Id, ctx: &mut Context<'_, Self>) -> Heard {
        let standing = self.standing_for_another(id, ctx);
        let mut participants: Vec<TheaterId> = Vec::new();
        participants.extend(self.following.get(&id).into_iter().flat_map(|it| it.participants()));
        if id.leader == self.me {
            let leading = self.leading.get(&id.number);
            participants.extend(leading.into_iter().flat_map(|it| it.participants()));
        }
        Heard { standing, participants }
    }

    /// Another part asks. From here on the leader decides alone no more; and what is not prepared
    /// never will be.
    fn standing_for_another(&mut self, id: Id, ctx: &mut Context<'_, Self>) -> Standing {
        if self.is_leading(id) {
            return self.standing_of_leader(id, ctx);
        }
        let Some(it) = self.following.get_mut(&id) else { return self.recorded(id) };
        it.is_superseded = true;
        let standing = it.standing();
        if standing == Standing::Aborted {
            self.abort_part_here(id, true, ctx);
        }
        standing
    }
}
