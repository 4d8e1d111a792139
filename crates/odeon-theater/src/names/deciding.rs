//! What the servers of a name do: the first of them decides, the others know.
//!
//! See the PROTOCOL in `names.rs`.

use std::collections::HashSet;
use std::mem;
use std::time::Duration;

use odeon_core::{AskError, Context, Reply};

use super::entry::Entry;
use super::server::Server;
use super::tell::{Stored, Tell, Verdict, Wants};
use super::waiting::Waiting;
use crate::TheaterId;

/// After how long a server is asked again that could not say.
// TUNE: 20 ms, a guess: some round trips, in which servers that disagree hear of what the other has
// heard.
pub(super) const RETRY: Duration = Duration::from_millis(20);

/// How many servers pass a question on: to the first one as the asker sees it, from there to the
/// second one and back, or to another first one and so on.
const LONGEST_WAY: u8 = 5;

/// A name that is being given away: its servers are told.
pub(super) struct Giving {
    entry: Entry,
    waiting: Waiting,
    /// Those that are told now. Answers to earlier rounds say nothing: the name may have had other
    /// servers.
    round: u64,
    missing: HashSet<TheaterId>,
    will_retry: bool,
}

impl Server {
    /// A question: it goes to the first server of the name.
    pub(super) fn asked(&mut self, mut waiting: Waiting, ctx: &mut Context<'_, Self>) {
        let question = &mut waiting.question;
        let mut is_stranger_to_any = false;
        for server in &question.ranked {
            is_stranger_to_any |= self.must_seek(*server, ctx);
        }
        if is_stranger_to_any {
            return waiting.answer(Verdict::Again);
        }
        let ranked = self.view.ranked(&question.name);
        if mem::take(&mut question.is_confirmed) {
            // A first server that knows nobody wants to know whether it sees the servers that it
            // has to.
            let agrees = ranked == question.ranked;
            if agrees {
                question.is_confirmed = true;
                return self.decide(waiting, ctx);
            }
            if question.ranked.first() == Some(&ranked[0]) {
                return waiting.answer(Verdict::Again);
            }
        }
        if ranked[0] == self.me {
            self.decide(waiting, ctx);
        } else {
            self.pass_on(waiting, ranked[0]);
        }
    }

    fn pass_on(&self, mut waiting: Waiting, to: TheaterId) {
        if waiting.question.hops >= LONGEST_WAY {
            return waiting.answer(Verdict::Again);
        }
        waiting.question.hops += 1;
        self.tell(to, Tell::Ask(waiting.question));
    }

    fn decide(&mut self, waiting: Waiting, ctx: &mut Context<'_, Self>) {
        let name = &waiting.question.name;
        let is_in_question =
            !self.held.contains_key(name) || matches!(waiting.question.wants, Wants::Remove { .. });
        let knows_all = is_in_question && self.knows_all(ctx);
        let held = self.held.get(name);
        match &waiting.question.wants {
            Wants::Find { doubted } => match held {
                Some(entry) if entry.is_claim => waiting.answer(Verdict::NotFound),
                Some(entry) if *doubted == Some(entry.id) && waiting.in_force != *doubted => {
                    self.doubt(entry.clone(), waiting, ctx);
                }
                Some(entry) => {
                    let entry = entry.clone();
                    waiting.answer(Verdict::Found(entry));
                }
                None if knows_all => self.finds_nobody(waiting),
                None => self.wait(waiting, ctx),
            },
            Wants::Remove { id, moves } => {
                let (name, id, moves) = (name.clone(), *id, *moves);
                let is_being_given =
                    self.giving.get(&name).is_some_and(|giving| giving.entry.id == id);
                if is_being_given || !knows_all {
                    return self.wait(waiting, ctx);
                }
                waiting.answer(Verdict::Done(0));
                self.forget_everywhere(&name, id, moves, ctx);
            }
            Wants::Put(entry) => {
                if self.view.len() < self.settings.least_servers || self.giving.contains_key(name) {
                    return self.wait(waiting, ctx);
                }
                match held {
                    // It has moved on, or two theaters take themselves for its home.
                    Some(held) if held.goes_on_elsewhere(entry) => {
                        let held = held.clone();
                        waiting.answer(Verdict::Taken(held));
                    }
                    Some(held) if held.id == entry.id => {
                        let entry = Entry { stamp: held.stamp, ..entry.clone() };
                        self.give(entry, waiting, ctx);
                    }
                    Some(held) if waiting.in_force != Some(held.id) => {
                        self.doubt(held.clone(), waiting, ctx);
                    }
                    // Whoever has the claim either registers or gives it up.
                    Some(held) if held.is_claim => self.wait(waiting, ctx),
                    Some(held) => {
                        let (held, id, moves) = (held.clone(), entry.id, entry.moves);
                        // An attempt that was given up half-way may have left it at some of them.
                        self.have_forgotten(&held.name, id, moves);
                        waiting.answer(Verdict::Taken(held));
                    }
                    None if knows_all => {
                        // One that moves keeps what it has. Behind the greatest one that there is,
                        // identities say who goes before.
                        let next = self.stamp.saturating_add(1);
                        let stamp = if entry.stamp == 0 { next } else { entry.stamp };
                        self.stamp = self.stamp.max(stamp);
                        let entry = Entry { stamp, ..entry.clone() };
                        self.give(entry, waiting, ctx);
                    }
                    None => self.wait(waiting, ctx),
                }
            }
        }
    }

    /// Nobody has a name, as far as its first server knows. One that has joined lately sees fewer
    /// servers than others do, and may take itself for the first, or not have been told what it is
    /// to know: so the second one is to say that it sees the same ones.
    fn finds_nobody(&self, mut waiting: Waiting) {
        let question = &mut waiting.question;
        let ranked = self.view.ranked(&question.name);
        let second = ranked.get(1).copied().filter(|_| !question.is_confirmed);
        let Some(second) = second else { return waiting.answer(Verdict::NotFound) };
        question.is_confirmed = true;
        question.ranked = ranked;
        self.pass_on(waiting, second);
    }

    /// Gives a name away, once all its servers know.
    fn give(&mut self, entry: Entry, waiting: Waiting, ctx: &mut Context<'_, Self>) {
        let name = entry.name.clone();
        let missing = HashSet::new();
        let giving = Giving { entry, waiting, round: 0, missing, will_retry: false };
        self.giving.insert(name.clone(), giving);
        self.give_again(&name, ctx);
    }

    /// Tells the servers of a name that is being given away, by the servers in sight.
    pub(super) fn give_again(&mut self, name: &str, ctx: &mut Context<'_, Self>) {
        let (ranked, round) = (self.view.ranked(name), self.next());
        let is_new = !self.held.contains_key(name);
        let Some(giving) = self.giving.get_mut(name) else { return };
        if ranked[0] != self.me {
            return self.give_up(name, ctx);
        }
        giving.round = round;
        giving.will_retry = false;
        giving.missing = ranked[1..].iter().copied().collect();
        let entry = giving.entry.clone();
        for &server in &ranked[1..] {
            let name = entry.name.clone();
            let reply = ctx.reply_to(move |stored| {
                Tell::then(move |it, ctx| it.stored(&name, round, server, stored, ctx))
            });
            let (entry, ranked) = (entry.clone(), ranked.clone());
            self.tell(server, Tell::Store { entry, ranked, is_new, reply });
        }
        self.has_given(name, ctx);
    }

    /// A server of a name has been told of a registration.
    fn stored(
        &mut self,
        name: &str,
        round: u64,
        by: TheaterId,
        stored: Result<Stored, AskError>,
        ctx: &mut Context<'_, Self>,
    ) {
        let Some(giving) = self.giving.get_mut(name).filter(|giving| giving.round == round) else {
            return;
        };
        match stored {
            Ok(Stored::Yes) => {
                giving.missing.remove(&by);
                self.has_given(name, ctx);
            }
            Ok(Stored::Other(other)) if other.is_credible() => {
                self.take_over(other, ctx);
                if self.is_another_ones(name) {
                    self.give_up(name, ctx);
                } else {
                    self.give_later(name, ctx);
                }
            }
            Ok(Stored::Disagrees | Stored::Other(_)) | Err(_) => self.give_later(name, ctx),
        }
    }

    /// Whether a name that is being given away belongs to another registration, as has become known
    /// meanwhile.
    fn is_another_ones(&self, name: &str) -> bool {
        let (held, giving) = (self.held.get(name), self.giving.get(name));
        held.zip(giving).is_some_and(|(held, giving)| held.id != giving.entry.id)
    }

    /// Gives a name away no longer: who wants it is answered anew, here or by another first server.
    fn give_up(&mut self, name: &str, ctx: &mut Context<'_, Self>) {
        if let Some(giving) = self.giving.remove(name) {
            self.asked(giving.waiting, ctx);
            self.again(name, ctx);
        }
    }

    fn give_later(&mut self, name: &str, ctx: &mut Context<'_, Self>) {
        let Some(giving) = self.giving.get_mut(name) else { return };
        if !mem::replace(&mut giving.will_retry, true) {
            let (name, round) = (name.to_owned(), giving.round);
            let again = Tell::then(move |it, ctx| {
                if it.giving.get(&name).is_some_and(|giving| giving.round == round) {
                    it.give_again(&name, ctx);
                }
            });
            ctx.send_after(RETRY, again);
        }
    }

    /// If all servers of a name know, it is given away.
    fn has_given(&mut self, name: &str, ctx: &mut Context<'_, Self>) {
        if self.giving.get(name).is_none_or(|giving| !giving.missing.is_empty()) {
            return;
        }
        if self.is_another_ones(name) {
            return self.give_up(name, ctx);
        }
        let Some(Giving { entry, waiting, .. }) = self.giving.remove(name) else { return };
        let stamp = entry.stamp;
        let held = match self.held.remove(name) {
            Some(held) => held.or_newer(entry),
            None => entry,
        };
        self.held.insert(name.into(), held);
        waiting.answer(Verdict::Done(stamp));
        self.again(name, ctx);
    }

    /// The first server of a name gives it away. If it `is_new` there it is to be new here;
    /// otherwise it is as with all that others know.
    pub(super) fn store(
        &mut self,
        entry: Entry,
        ranked: &[TheaterId],
        is_new: bool,
        reply: Reply<Stored>,
        ctx: &mut Context<'_, Self>,
    ) {
        if ranked != self.view.ranked(&entry.name) {
            return reply.send(Stored::Disagrees);
        }
        let (name, id) = (entry.name.clone(), entry.id);
        let is_another = |held: &&Entry| held.id != id;
        if !is_new || self.held.get(&name).filter(is_another).is_none() {
            self.take_over(entry, ctx);
        }
        reply.send(match self.held.get(&name).filter(is_another) {
            Some(other) => Stored::Other(other.clone()),
            None => Stored::Yes,
        });
    }

    /// A registration that others know. Of two of one name the lesser goes on, unless its home has
    /// forgotten it: the home of the other one sees to that.
    pub(super) fn take_over(&mut self, entry: Entry, ctx: &mut Context<'_, Self>) {
        self.stamp = self.stamp.max(entry.stamp);
        if entry.home == self.me && !self.own.contains_key(&entry.id) {
            return self.withdraw(&entry, ctx);
        }
        let name = entry.name.clone();
        let (goes_on, loser) = match self.held.remove(&name) {
            None => (entry, None),
            Some(held) if held.id == entry.id => (held.or_newer(entry), None),
            Some(held) if held.goes_before(&entry) => (held, Some(entry)),
            Some(held) => (entry, Some(held)),
        };
        self.held.insert(name.clone(), goes_on.clone());
        if let Some(loser) = loser {
            self.challenge(loser, goes_on, ctx);
        }
        self.again(&name, ctx);
    }

    fn challenge(&mut self, loser: Entry, winner: Entry, ctx: &mut Context<'_, Self>) {
        if loser.home == self.me {
            self.challenged(loser, winner, ctx);
        } else {
            self.tell(loser.home, Tell::Challenge { loser, winner });
        }
    }
}
