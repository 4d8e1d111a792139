//! The iteration actor: the thesis's algorithm 2.

mod member;

use super::{Crew, RoundPiece, Rounds, RunEnd};
use member::After;
use odeon::prelude::*;
use odeon_device::{DeviceError, Returned};
use odeon_example_run::RunError;

pub use member::Members;
pub(super) use member::WorkerActor;

/// TUNE: guessed 2026-11: messages that a worker actor has at once: one that it does, and one so
/// that it need not wait for this actor. What is not given yet goes to who is first: so one that is
/// slow, or disturbed, gets less.
const AHEAD: usize = 2;

#[derive(Message)]
pub(super) enum ToIteration<P> {
    Begin,
    /// Pieces from a worker actor; undone if `outcome` is an error.
    Back {
        member: usize,
        pieces: Vec<P>,
        outcome: Result<(), DeviceError>,
    },
    /// A worker actor whose pieces have come back undone may get some again.
    Again {
        member: usize,
    },
    /// A worker actor has ended, which none does by itself: its worker has panicked.
    Lost,
    /// A whole round from a pool.
    Round(Result<Vec<Returned<P>>, AskError>),
}

/// See the module.
pub(super) struct Iteration<R: Rounds> {
    /// `None` when the run has ended.
    rounds: Option<R>,
    crew: Crew<R::Piece>,
    /// Not given to a worker yet, in falling order of their numbers.
    waiting: Vec<R::Piece>,
    /// By their numbers.
    done: Vec<Option<R::Piece>>,
    missing: usize,
    end: RunEnd<R>,
}

impl<R: Rounds> Iteration<R> {
    pub(super) fn new(rounds: R, crew: Crew<R::Piece>, end: RunEnd<R>) -> Self {
        let rounds = Some(rounds);
        Self { rounds, crew, waiting: Vec::new(), done: Vec::new(), missing: 0, end }
    }

    fn begin_round(&mut self, mut pieces: Vec<R::Piece>, ctx: &Context<'_, Self>) {
        self.missing = pieces.len();
        self.done.clear();
        self.done.resize_with(self.missing, || None);
        let members = match &self.crew {
            Crew::Members(members) => members.count(),
            Crew::Pool(pool) => {
                return pool.submit_all_to(pieces, ctx.reply_to(ToIteration::Round));
            }
        };
        pieces.reverse();
        self.waiting = pieces;
        // One for each before anybody gets another.
        for pending in 1..=AHEAD {
            (0..members).for_each(|member| self.give(member, pending, ctx));
        }
    }

    /// Fills a worker actor up to so many messages.
    fn give(&mut self, member: usize, pending: usize, ctx: &Context<'_, Self>) {
        if let Crew::Members(members) = &mut self.crew {
            members.give(member, pending, &mut self.waiting, &ctx.actor_ref());
        }
    }

    fn take(&mut self, pieces: Vec<R::Piece>, ctx: &Context<'_, Self>) {
        for piece in pieces {
            self.missing -= 1;
            let number = piece.number();
            self.done[number] = Some(piece);
        }
        let Some(rounds) = &mut self.rounds else { return };
        if self.missing == 0 {
            let done = self.done.drain(..).map(|piece| piece.expect("all have come back"));
            match rounds.next(done.collect()) {
                Some(pieces) => self.begin_round(pieces, ctx),
                None => self.end_with(None),
            }
        }
    }

    /// The first end counts.
    fn end_with(&mut self, error: Option<String>) {
        let Some(rounds) = self.rounds.take() else { return };
        let outcome = match error {
            None => Ok(rounds),
            Some(error) => Err(RunError::Runtime(error)),
        };
        // An error means that nobody waits any more.
        let _ = self.end.try_send(outcome);
    }
}

impl<R: Rounds> Actor for Iteration<R> {
    type Msg = ToIteration<R::Piece>;

    fn handle(&mut self, message: Self::Msg, ctx: &mut Context<'_, Self>) {
        match message {
            ToIteration::Begin => {
                if let Crew::Members(members) = &self.crew {
                    members.watch(ctx);
                }
                if let Some(rounds) = &mut self.rounds {
                    let pieces = rounds.first();
                    self.begin_round(pieces, ctx);
                }
            }
            ToIteration::Back { member, pieces, outcome } => {
                let Crew::Members(members) = &mut self.crew else { return };
                match (members.answered(member, &outcome), outcome) {
                    (_, Ok(())) => {
                        self.give(member, AHEAD, ctx);
                        self.take(pieces, ctx);
                    }
                    (After::Never, Err(error)) => self.end_with(Some(error.to_string())),
                    (after, Err(_)) => {
                        // Whoever else is done with something takes them meanwhile.
                        self.waiting.extend(pieces);
                        if let After::Pause(pause) = after {
                            ctx.send_after(pause, ToIteration::Again { member });
                        }
                    }
                }
            }
            ToIteration::Again { member } => {
                if let Crew::Members(members) = &mut self.crew {
                    members.rested(member);
                }
                self.give(member, AHEAD, ctx);
            }
            ToIteration::Lost => self.end_with(Some("a worker has panicked".to_owned())),
            ToIteration::Round(Ok(returned)) => {
                let pieces: Result<Vec<_>, _> = returned.into_iter().collect();
                match pieces {
                    Ok(pieces) => self.take(pieces, ctx),
                    Err(undone) => self.end_with(Some(undone.to_string())),
                }
            }
            ToIteration::Round(Err(error)) => self.end_with(Some(error.to_string())),
        }
    }
}
