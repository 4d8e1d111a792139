//! Asking the client for inputs that are not here.

use futures_util::StreamExt;
use lapin::types::ShortString;
use lapin::{BasicProperties, Consumer};
use odeon_device::DeviceError;
use std::pin::pin;
use std::time::Duration;
use tokio::time::{sleep, timeout};

use super::cache::Cache;
use super::{Served, Serving};
use crate::broker::BrokerSession;
use crate::input::Input;
use crate::packet::{self, InputPart, Reply};
use crate::shared::{ContentId, Shared};

/// TUNE: guessed 2026-11: how often to look whether a client that sends nothing is still there.
const LOOK: Duration = Duration::from_secs(1);

/// The queue where inputs come. PROTOCOL 4.
pub(super) struct Fetching {
    name: ShortString,
    parts: Consumer,
    within: Duration,
    largest: u64,
}

pub(super) enum Fetched<T: ?Sized> {
    All(Vec<Shared<T>>),
    /// The client is gone.
    NobodyWaits,
    /// They have not come, or not as they should.
    Not(DeviceError),
}

impl Fetching {
    pub(super) async fn open(
        session: &BrokerSession,
        serving: &Serving,
    ) -> Result<Self, DeviceError> {
        let (name, parts) = session.own_queue().await?;
        Ok(Self { name, parts, within: serving.inputs_within, largest: serving.largest_input })
    }

    /// Those inputs, from the cache or from the client at that address.
    pub(super) async fn fetch<T: ?Sized + Input>(
        &mut self,
        session: &BrokerSession,
        (to, properties): &(ShortString, BasicProperties),
        cache: &mut Cache<T>,
        served: &mut Served,
        wanted: &[ContentId],
    ) -> Result<Fetched<T>, DeviceError> {
        let mut inputs: Vec<_> = wanted.iter().map(|&id| cache.get(id)).collect();
        let mut missing: Vec<ContentId> = Vec::new();
        for (&id, input) in wanted.iter().zip(&inputs) {
            if input.is_none() && !missing.contains(&id) {
                missing.push(id);
            }
        }
        if !missing.is_empty() {
            served.inputs += missing.len() as u64;
            let asking = Reply::Missing { inputs: missing.clone(), to: self.name.to_string() };
            let body = packet::write(&asking)?;
            match session.give(to.clone(), &body, properties.clone()).await {
                Ok(true) => {}
                Ok(false) => return Ok(Fetched::NobodyWaits),
                // Too many for one message.
                Err(error @ DeviceError::Invalid(_)) => return Ok(Fetched::Not(error)),
                Err(error) => return Err(error),
            }
        }
        for id in missing {
            let asked = (to, properties);
            let bytes = match timeout(self.within, self.wait(session, asked, id)).await {
                Ok(Ok(Some(received))) => received,
                Ok(Ok(None)) => return Ok(Fetched::NobodyWaits),
                Ok(Err(error)) => return Err(error),
                Err(_) => {
                    let why = format!("an input did not come within {:?}", self.within);
                    return Ok(Fetched::Not(DeviceError::Invalid(why)));
                }
            };
            let input = match bytes.and_then(|bytes| Ok((Shared::read(id, &bytes)?, bytes.len()))) {
                Ok((input, bytes)) => {
                    cache.keep(id, Shared::clone(&input), bytes);
                    input
                }
                Err(error) => return Ok(Fetched::Not(error)),
            };
            for (&place, got) in wanted.iter().zip(&mut inputs) {
                if place == id {
                    *got = Some(input.clone());
                }
            }
        }
        Ok(Fetched::All(inputs.into_iter().flatten().collect()))
    }

    /// The bytes of one input; `None` if the client is gone. The outer error is that of the
    /// connection.
    async fn wait(
        &mut self,
        session: &BrokerSession,
        (to, properties): (&ShortString, &BasicProperties),
        id: ContentId,
    ) -> Result<Option<Result<Vec<u8>, DeviceError>>, DeviceError> {
        let nothing = Reply::Missing { inputs: Vec::new(), to: self.name.to_string() };
        let nothing = packet::write(&nothing)?;
        let mut receiving = pin!(self.receive(session, id));
        loop {
            tokio::select! {
                received = &mut receiving => return received.map(Some),
                () = sleep(LOOK) => {}
            }
            // PROTOCOL 4: asking for no input has the broker say whether the client's queue is
            // still there.
            if !session.give(to.clone(), &nothing, properties.clone()).await? {
                return Ok(None);
            }
        }
    }

    /// The bytes of one input. The outer error is that of the connection.
    async fn receive(
        &mut self,
        session: &BrokerSession,
        id: ContentId,
    ) -> Result<Result<Vec<u8>, DeviceError>, DeviceError> {
        let mut bytes: Vec<u8> = Vec::new();
        loop {
            let delivery = match self.parts.next().await {
                Some(Ok(delivery)) => delivery,
                Some(Err(error)) => return Err(session.gone(error)),
                None => return Err(session.gone("no inputs come any more")),
            };
            // WHY: parts of others, or that do not go on where the last one ended, were sent for a
            // request that was given up.
            let part = match packet::read::<InputPart<'_>>(&delivery.data) {
                Ok(part) if part.input == id && part.offset == bytes.len() as u64 => part,
                _ => continue,
            };
            if part.total > self.largest {
                let (total, largest) = (part.total, self.largest);
                let why = format!("an input has {total} bytes, and may have {largest}");
                return Ok(Err(DeviceError::Invalid(why)));
            }
            bytes.extend_from_slice(part.bytes);
            if bytes.len() as u64 >= part.total {
                return Ok(Ok(bytes));
            }
        }
    }
}
