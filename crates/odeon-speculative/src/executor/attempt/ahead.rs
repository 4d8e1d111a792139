//! Messages in the order of arrival: attempts ahead of their turns, and what is done at the turn.

use super::finished::Finished;
use super::{Attempt, Handled};
use crate::actor::context::{SpeculativeContext, Wants};
use crate::actor::setting::Setting;
use crate::actor::speculative_actor::SpeculativeActor;
use crate::contained::quietly;
use crate::executor::handling::discard;
use odeon_core::Access;
use odeon_core::extend::Outbox;
use odeon_stm::staged::{AfterCommit, Attempted, Journey, RolledBack};
use odeon_stm::{Cause, Mode};
use odeon_sync::Backoff;
use std::slice;
use std::sync::Arc;

/// Why a message fails that asks to wait.
const WAITS_IN_ORDER: &str =
    "a message handled in the order of arrival does not wait for a change: nothing comes before it";

/// An attempt that has ended well ahead of its turn.
pub(crate) struct Ahead {
    journey: Journey,
    wants: Wants,
}

impl Ahead {
    /// Whether what it has seen is what there is at its turn, if its commit does not see to that:
    /// one that has written checks what it has read, and others commit as of their begin.
    fn stands(&mut self, access: Access) -> bool {
        let is_checked =
            self.journey.has_written() && !access.only_reads() && self.wants != Wants::Join;
        is_checked || self.journey.still_stands()
    }
}

impl<'a, A: SpeculativeActor> Attempt<'a, A> {
    /// Has the handler called once, ahead of its turn. `None`: it counts for nothing, also if it
    /// has failed, for it may have failed by what is going to change.
    pub(crate) fn ahead(&self, setting: &Arc<Setting<A>>, outbox: &mut Outbox) -> Option<Ahead> {
        let mut wants = Wants::Nothing;
        let run = || {
            let mut journey = Journey::begin(Mode::Logged);
            let ended = journey.part(setting, |Setting { state, message }, tx| {
                let mut ctx = SpeculativeContext::new(self.me, slice::from_ref(message), 0);
                let ended = state.handle(message, tx, &mut ctx);
                wants = ctx.wants();
                ended
            });
            match ended {
                Attempted::Finished((), ()) => Some(journey),
                Attempted::RolledBack(rolled_back) => {
                    self.tally.rolled_back(&rolled_back, slice::from_ref(&setting.message));
                    None
                }
                Attempted::Failed(_) => None,
            }
        };
        let journey = quietly(|| outbox.hold_during(run)).flatten();
        if journey.is_none() {
            discard(outbox);
        }
        journey.map(|journey| Ahead { journey, wants })
    }

    /// Lets go of an attempt that was made for nothing, and of its effects.
    pub(crate) fn forget(ahead: Option<Ahead>, outbox: &mut Outbox) {
        // What it has asked to have called after a rollback is a user's code.
        quietly(|| outbox.hold_during(|| drop(ahead)));
        discard(outbox);
    }

    /// The message's turn has come: nobody else of this actor commits until it is over.
    pub(crate) fn at_turn(
        &self,
        ahead: Option<Ahead>,
        setting: &'a Setting<A>,
        access: Access,
        outbox: &mut Outbox,
    ) -> Handled {
        let message = &setting.message;
        if let Some(mut ahead) = ahead {
            if ahead.stands(access) {
                let Ahead { journey, wants } = ahead;
                let ended = Ok(Attempted::Finished(journey, ()));
                let ended = self.decide(ended, wants, access, outbox);
                discard(outbox);
                match ended {
                    Ok(handled) => return handled,
                    Err(rolled_back) => {
                        self.tally.rolled_back(&rolled_back, slice::from_ref(message));
                    }
                }
            } else {
                Self::forget(Some(ahead), outbox);
            }
        }
        let mut backoff = Backoff::new();
        loop {
            match self.after_first(None, &setting.state, message, access, 0, outbox) {
                Handled::Waits(rolled_back) if rolled_back.cause() == Cause::Retry => {
                    return Handled::Failed(Box::new(WAITS_IN_ORDER));
                }
                // Somebody else writes the actor's variables.
                Handled::Waits(_) | Handled::Contended => backoff.wait(),
                handled => return handled,
            }
        }
    }
}

impl Finished for Journey {
    fn has_written(&self) -> bool {
        Journey::has_written(self)
    }

    fn has_hooks(&self) -> bool {
        Journey::has_hooks(self)
    }

    fn commit_before_hooks(mut self) -> Result<AfterCommit, RolledBack> {
        Journey::commit_before_hooks(&mut self)
    }
}
