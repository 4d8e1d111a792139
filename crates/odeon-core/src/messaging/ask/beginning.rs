//! What a question begins among actors with lanes of a theater, such as a coordinated transaction,
//! and how it waits where these are congested: without blocking whoever awaits the answer.

use std::sync::Arc;
use std::thread;

use super::Ask;
use super::kept::KeptQuestion;
use crate::messaging::foreign_task;
use crate::messaging::pressure;
use crate::messaging::pressure::congestion::{self, Congestion};
use crate::process::cell::Header;
use crate::process::outbox::{self, Effect};
use crate::process::theater_shared::TheaterShared;
use crate::vocabulary::error::SendError;

/// Something that has not been begun; dropped, it is.
struct Beginning {
    begin: Option<Effect>,
    theater: Arc<TheaterShared>,
    /// Whether somebody awaits the answer, or did.
    is_awaited: bool,
}

impl Beginning {
    fn congestion(&self) -> Arc<Congestion> {
        congestion::of(&self.theater).clone()
    }

    /// `blocks`: a thread waits then, if it has to hold back.
    fn begin(&mut self, blocks: bool) {
        if let Some(begin) = self.begin.take() {
            // The congestion is what this thread waits for, not the single receivers.
            foreign_task::unblocked(begin);
            congestion::on_congestion(congestion::of(&self.theater), &self.theater, blocks);
        }
    }
}

impl Drop for Beginning {
    fn drop(&mut self) {
        // Nobody wants to know of the answer, as after a send.
        self.begin(!self.is_awaited && !thread::panicking());
    }
}

impl<T: Send + 'static> Ask<T> {
    /// Has `begin` begin something at actors with lanes in the theater of one of them, which
    /// answers this question.
    pub(crate) fn begun_by(self, beside: &Header, begin: Effect) -> Self {
        if let Some(outbox) = outbox::held() {
            outbox.hold(begin);
            return self;
        }
        let theater = beside.stage.theater();
        let mut beginning =
            Beginning { begin: Some(begin), theater: theater.clone(), is_awaited: false };
        if !congestion::of(theater).is_pressed() || !pressure::would_block_for_congestion(theater) {
            beginning.begin(false);
            return self;
        }
        self.kept(KeptQuestion::new(async move {
            beginning.is_awaited = true;
            pressure::uncongested(beginning.congestion()).await;
            beginning.begin(false);
            Ok::<(), SendError<()>>(())
        }))
    }
}
