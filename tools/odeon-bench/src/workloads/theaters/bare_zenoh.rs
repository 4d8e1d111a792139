//! A floor: two sessions of Zenoh with nothing above them.
//!
//! A payload without bytes is a greeting, which is sent back; one of a single byte asks a tally for
//! its count.

use super::members::Members;
use super::payload::{StreamCount, number_of};
use super::place::{LIMIT, settings};
use super::seat::Seat;
use crate::error::BenchError;
use crate::theater::runtime;
use odeon_zenoh::bare::{Bare, BarePublisher, BareSubscription, Batching};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const GREETING: [u8; 0] = [];
const HOW_MANY: [u8; 1] = [0];

/// TUNE: ms, guessed 2026-11: sessions find each other's subscriptions within some milliseconds.
const BETWEEN_GREETINGS: Duration = Duration::from_millis(20);

fn key_there(seat: &Seat) -> String {
    format!("odeon-bench/{}/there", seat.cluster)
}

fn key_back(seat: &Seat) -> String {
    format!("odeon-bench/{}/back", seat.cluster)
}

/// What becomes of a payload at the far end.
pub(super) enum Heard {
    /// It is sent back.
    Echo,
    /// It is counted.
    Tally { stride: usize, count: StreamCount },
}

impl Heard {
    pub(super) fn tally(stride: usize) -> Self {
        Self::Tally { stride, count: StreamCount::default() }
    }

    fn answer(&mut self, payload: &[u8]) -> Option<Vec<u8>> {
        match self {
            Self::Tally { count, .. } if payload.len() == HOW_MANY.len() => Some(count.to_bytes()),
            Self::Tally { stride, count } if !payload.is_empty() => {
                // One that is too short shows in the bytes.
                let messages = payload.chunks(*stride);
                messages.for_each(|one| count.add(number_of(one).unwrap_or_default(), one.len()));
                None
            }
            Self::Echo | Self::Tally { .. } => Some(payload.to_vec()),
        }
    }
}

/// The far end, until it is dropped.
pub(super) struct Answering {
    // In this order: the subscription lives in the session.
    _subscription: BareSubscription,
    _session: Bare,
}

pub(super) fn answer(seat: &Seat, heard: impl FnOnce() -> Heard) -> Result<Answering, BenchError> {
    let session = Bare::open(&settings(seat)).map_err(runtime)?;
    let back = session.publisher(&key_back(seat), Batching::Off).map_err(runtime)?;
    let heard = Mutex::new(heard());
    let hear = move |payload: &[u8]| {
        let answer = heard.lock().expect("nothing panics under this lock").answer(payload);
        if let Some(answer) = answer {
            // Who asks notices that no answer comes.
            let _ = back.put(answer);
        }
    };
    let subscription = session.subscribe(&key_there(seat), hear).map_err(runtime)?;
    Ok(Answering { _subscription: subscription, _session: session })
}

/// The near end.
pub(super) struct Caller {
    there: BarePublisher,
    back: Receiver<Vec<u8>>,
    // In this order: the subscription lives in the session.
    _subscription: BareSubscription,
    _session: Bare,
}

impl Caller {
    pub(super) fn open(seat: &Seat, batching: Batching) -> Result<Self, BenchError> {
        let session = Bare::open(&settings(seat)).map_err(runtime)?;
        let (tell, back) = channel();
        let subscription = session.subscribe(&key_back(seat), move |payload| {
            // An error means that nobody waits any more.
            let _ = tell.send(payload.to_vec());
        });
        let subscription = subscription.map_err(runtime)?;
        let there = session.publisher(&key_there(seat), batching).map_err(runtime)?;
        Ok(Self { there, back, _subscription: subscription, _session: session })
    }

    /// Waits until the far end hears and is heard.
    pub(super) fn greet(&self, members: &mut Members) -> Result<(), BenchError> {
        let begun = Instant::now();
        loop {
            self.put(GREETING.to_vec())?;
            if self.back.recv_timeout(BETWEEN_GREETINGS).is_ok() {
                return Ok(());
            }
            members.check()?;
            if begun.elapsed() > LIMIT {
                return Err(BenchError::Unfinished { limit: LIMIT });
            }
        }
    }

    pub(super) fn put(&self, payload: Vec<u8>) -> Result<(), BenchError> {
        self.there.put(payload).map_err(runtime)
    }

    /// What comes back, greetings excepted.
    pub(super) fn ask(
        &self,
        payload: Vec<u8>,
        members: &mut Members,
    ) -> Result<Vec<u8>, BenchError> {
        self.put(payload)?;
        loop {
            let answer = members.receive(&self.back)?;
            if !answer.is_empty() {
                return Ok(answer);
            }
        }
    }

    /// What a tally has counted.
    pub(super) fn total(&self, members: &mut Members) -> Result<Option<StreamCount>, BenchError> {
        Ok(StreamCount::from_bytes(&self.ask(HOW_MANY.to_vec(), members)?))
    }
}
