//! Hears what Zenoh tells its log.

use std::fmt;
use std::sync::PoisonError;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::time::Instant;

use odeon_sync::Mutex;
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{Interest, Subscriber};
use tracing::{Event, Metadata};

use super::sparing::Sparing;
use super::{Complaint, complaint, is_heard};

/// See the module. WHY it only hands over: Zenoh tells its log in the middle of what it does.
pub(super) struct Ear {
    tell: SyncSender<Complaint>,
    sparing: Mutex<Sparing>,
}

impl Ear {
    pub(super) fn new(tell: SyncSender<Complaint>) -> Self {
        Self { tell, sparing: Mutex::new(Sparing::new(Instant::now())) }
    }
}

fn is_wanted(metadata: &Metadata<'_>) -> bool {
    metadata.is_event() && is_heard(metadata.target(), *metadata.level())
}

impl Subscriber for Ear {
    /// Asked once for each place: what is not wanted costs nothing from then on.
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_wanted(metadata) { Interest::always() } else { Interest::never() }
    }

    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        is_wanted(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn event(&self, event: &Event<'_>) {
        let metadata = event.metadata();
        let mut said = Said(String::new());
        event.record(&mut said);
        let Some(complaint) = complaint(metadata.target(), *metadata.level(), &said.0) else {
            return;
        };
        // Nothing panics under this lock.
        let mut sparing = self.sparing.lock().unwrap_or_else(PoisonError::into_inner);
        for complaint in sparing.of(complaint, Instant::now()) {
            // Who hears waits for something, for minutes.
            if let Err(TrySendError::Full(complaint)) = self.tell.try_send(complaint) {
                sparing.leave_out(&complaint);
            }
        }
    }

    // There are no spans, as none is enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// The text of an event.
struct Said(String);

impl Visit for Said {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
