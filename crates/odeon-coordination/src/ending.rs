//! How those who are left end a transaction whose leader they cannot reach.
//!
//! Whoever is prepared asks all others, and the leader too, which may be back. If one has committed, so does it; if one has not been prepared or has rolled
//! back, so does it. If one knows that all were prepared, all are told that before anybody commits; and if nobody knows it, nobody can have committed, and it
//! rolls back. All do so by themselves and come to the same.

use odeon_core::Context;
use odeon_theater::TheaterId;

use crate::agent::Agent;
use crate::id::Id;
use crate::tell::{Standing, Tell};

/// What one part has been told by the others.
#[derive(Debug, Default)]
pub(crate) struct Ending {
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
        let mut asked = it.participants().clone();
        asked.insert(id.leader);
        asked.remove(&self.me);
        // One more than there are, so that none of them is the last one before all are asked.
        it.ending = Some(Ending { awaited: asked.len() + 1, ..Ending::default() });
        for theater in asked {
            let then = move |it: &mut Self, standing, ctx: &mut Context<'_, Self>| {
                it.has_heard(id, theater, standing, ctx);
            };
            self.ask(theater, |reply| Tell::Inquire { id, reply }, then, ctx);
        }
        self.has_heard(id, self.me, None, ctx);
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
            return self.abort_here(id);
        }
        if ending.is_told {
            return self.commit_here(id, ctx);
        }
        let others = std::mem::take(&mut ending.heard);
        (ending.is_told, ending.awaited) = (true, others.len() + 1);
        it.pre_commit();
        let by = self.me;
        for (theater, _) in others {
            let then = move |it: &mut Self, standing, ctx: &mut Context<'_, Self>| {
                it.has_heard(id, theater, standing, ctx);
            };
            self.ask(theater, |reply| Tell::PreCommit { id, by, reply }, then, ctx);
        }
        self.has_heard(id, self.me, None, ctx);
    }

    /// Another part asks. From here on the leader decides alone no more; and what is not prepared never will be.
    pub(crate) fn standing_for_another(&mut self, id: Id, ctx: &mut Context<'_, Self>) -> Standing {
        if self.is_leading(id) {
            return self.standing_of_leader(id, ctx);
        }
        let Some(it) = self.following.get_mut(&id) else { return self.recorded(id) };
        it.is_superseded = true;
        let standing = it.standing();
        if standing == Standing::Aborted {
            self.abort_part_here(id, true);
        }
        standing
    }
}
