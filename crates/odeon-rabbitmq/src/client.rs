//! The side that has work.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::time::Duration;

use futures_util::StreamExt;
use lapin::message::Delivery;
use lapin::types::ShortString;
use lapin::{BasicProperties, Consumer};
use odeon_device::{DeviceError, Place, Worker};
use tokio::time::timeout;

use crate::broker::{Broker, BrokerSession, NotConnected};
use crate::packet::{self, Reply, WorkRequest};
use crate::portable::Portable;
use crate::queue::Queue;

mod inputs;

/// How a [`RabbitWorker`] asks. Plain data, to be changed field by field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// Pieces that it takes at once, and that may be with worker processes at once. 16.
    pub at_once: usize,
    /// How long all pieces of one call may take together. 60 s. What still waits then is dropped by
    /// the broker, too.
    pub answer_within: Duration,
    /// How often a piece is given to a worker process that fails, or ends, before the error comes
    /// back. 3; 1,000 at most.
    pub most_tries: u32,
}

impl Default for Asking {
    fn default() -> Self {
        Self { at_once: 16, answer_within: Duration::from_secs(60), most_tries: 3 }
    }
}

/// What a [`RabbitWorker`] has done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Requests.
    pub sent: u64,
    /// Of them, those that were answered with a result.
    pub answered: u64,
    /// Answers that nobody waited for any more: doubled ones, and of calls that had failed.
    pub dropped: u64,
    /// Inputs that worker processes have asked for.
    pub inputs: u64,
    /// Connections, the first one included.
    pub connections: u64,
}

/// A worker whose work is done by processes elsewhere: whoever [serves](crate::serve) the same
/// queue.
///
/// Each call waits for all its pieces. If the broker is gone, it returns
/// [`DeviceError::Disconnected`]; the next call connects anew. Each piece is done by one worker
/// process, or by another one if that ends; only one result of it counts.
///
/// # Panics
/// [`work`](Worker::work) within an asynchronous task of tokio: it waits. Handlers of `Actor`s may
/// call it.
pub struct RabbitWorker<W> {
    /// Taken when this is dropped.
    broker: Option<Broker>,
    asking: Asking,
    link: Option<ReplyLink>,
    /// The correlation id of the next request. PROTOCOL 1: no other one of this client has it.
    next: u64,
    counts: Counts,
    _work: PhantomData<fn() -> W>,
}

/// A connection, and the queue where answers come.
struct ReplyLink {
    session: BrokerSession,
    replies: Consumer,
    reply_to: ShortString,
}

impl<W: Portable> RabbitWorker<W> {
    /// Connects to the broker. Whether anybody serves the queue is seen when there is work.
    ///
    /// # Errors
    /// [`DeviceError::Unavailable`] if there is no broker, or it does not let one in;
    /// [`DeviceError::Invalid`] if the settings make no sense or the queue is there in another way.
    pub fn connect(queue: &Queue, asking: Asking) -> Result<Self, DeviceError> {
        let broker = Broker::new(queue)?;
        let link = broker.block_on(ReplyLink::open(&broker)).map_err(|refused| refused.error)?;
        let counts = Counts { connections: 1, ..Counts::default() };
        let (broker, link) = (Some(broker), Some(link));
        Ok(Self { broker, asking, link, next: 0, counts, _work: PhantomData })
    }

    /// What it has done.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// How many worker processes serve the queue at this moment, as the broker counts them.
    ///
    /// # Errors
    /// [`DeviceError::Disconnected`] if the broker is gone.
    ///
    /// # Panics
    /// As [`work`](Worker::work).
    pub fn served_by(&mut self) -> Result<u32, DeviceError> {
        let link = self.linked()?;
        let broker = self.broker.as_ref().expect(THERE);
        let within = broker.queue().connect_within;
        let asking = async { timeout(within, link.session.consumers(broker.queue())).await };
        let consumers = broker.block_on(asking).unwrap_or_else(|_| {
            Err(link.session.gone(format!("it does not answer within {within:?}")))
        })?;
        self.link = Some(link);
        Ok(consumers)
    }

    /// The connection, or a new one if it is gone.
    fn linked(&mut self) -> Result<ReplyLink, DeviceError> {
        if let Some(link) = self.link.take().filter(|link| link.session.is_up()) {
            return Ok(link);
        }
        let broker = self.broker.as_ref().expect(THERE);
        let opened = broker.block_on(ReplyLink::open(broker));
        self.counts.connections += u64::from(opened.is_ok());
        // WHY: there was a broker; that there is none now may pass.
        opened.map_err(|refused| match refused {
            NotConnected { error: DeviceError::Unavailable(why), may_pass: true } => {
                DeviceError::Disconnected(why)
            }
            refused => refused.error,
        })
    }
}

const THERE: &str = "the broker is there until the end";

impl ReplyLink {
    async fn open(broker: &Broker) -> Result<Self, NotConnected> {
        let session = broker.connect().await?;
        match session.own_queue().await {
            Ok((reply_to, replies)) => Ok(Self { session, replies, reply_to }),
            Err(error) => Err(NotConnected { error, may_pass: true }),
        }
    }
}

impl<W: Portable> Worker for RabbitWorker<W> {
    type Work = W;

    fn place(&self) -> Place {
        Place::Device
    }

    fn most_at_once(&self) -> usize {
        self.asking.at_once.max(1)
    }

    fn work(&mut self, batch: &mut [W]) -> Result<(), DeviceError> {
        let mut link = self.linked()?;
        let broker = self.broker.as_ref().expect(THERE);
        let within = self.asking.answer_within;
        let mut exchange = Exchange {
            link: &mut link,
            queue: broker.queue(),
            asking: &self.asking,
            next: &mut self.next,
            counts: &mut self.counts,
            waiting: HashMap::with_capacity(batch.len()),
        };
        let outcome = broker.block_on(async {
            let done = timeout(within, exchange.run(batch)).await;
            done.unwrap_or_else(|_| Err(exchange.late(broker.place())))
        });
        // WHY: with a new connection there is a new queue for answers. Late ones of this call do
        // not come there; and that the old one is gone tells worker processes that nobody waits for
        // its other pieces, nor sends their inputs.
        if outcome.is_ok() {
            self.link = Some(link);
        }
        outcome
    }
}

impl<W> Drop for RabbitWorker<W> {
    fn drop(&mut self) {
        if let Some(broker) = self.broker.take() {
            broker.end(self.link.take().map(|link| link.session));
        }
    }
}

/// One call: its pieces, on their way.
struct Exchange<'a> {
    link: &'a mut ReplyLink,
    queue: &'a Queue,
    asking: &'a Asking,
    next: &'a mut u64,
    counts: &'a mut Counts,
    /// Which piece waits for the answer of this number.
    waiting: HashMap<u64, usize>,
}

impl Exchange<'_> {
    async fn run<W: Portable>(&mut self, batch: &mut [W]) -> Result<(), DeviceError> {
        let mut confirms = Vec::with_capacity(batch.len());
        for (place, piece) in batch.iter().enumerate() {
            let body = self.request(piece)?;
            let id = *self.next;
            *self.next += 1;
            let publishing = self.link.session.publish(
                self.queue.name.as_str().into(),
                &body,
                self.properties(id),
            );
            confirms.push(publishing.await?);
            self.waiting.insert(id, place);
            self.counts.sent += 1;
        }
        for confirm in confirms {
            if !self.link.session.taken(confirm).await? {
                return Err(self.link.session.gone("the queue is gone"));
            }
        }
        while !self.waiting.is_empty() {
            let delivery = match self.link.replies.next().await {
                Some(Ok(delivery)) => delivery,
                Some(Err(error)) => return Err(self.link.session.gone(error)),
                None => return Err(self.link.session.gone("no answers come any more")),
            };
            self.take(delivery, batch).await?;
        }
        Ok(())
    }

    fn request<W: Portable>(&self, piece: &W) -> Result<Vec<u8>, DeviceError> {
        let work = postcard::to_allocvec(&piece.request())
            .map_err(|error| DeviceError::Invalid(format!("work cannot be written: {error}")))?;
        packet::write(&WorkRequest {
            kind: W::KIND.to_owned(),
            tries: 0,
            most_tries: self.asking.most_tries.max(1),
            failure: None,
            inputs: piece.inputs().iter().map(|input| input.id()).collect(),
            work,
        })
    }

    fn properties(&self, id: u64) -> BasicProperties {
        let persistent = if self.queue.durable { 2 } else { 1 };
        let within_ms = self.asking.answer_within.as_millis().clamp(1, u128::from(u32::MAX));
        BasicProperties::default()
            .with_reply_to(self.link.reply_to.clone())
            .with_correlation_id(id.to_string().into())
            .with_expiration(within_ms.to_string().into())
            .with_delivery_mode(persistent)
    }

    /// PROTOCOL 3.
    async fn take<W: Portable>(
        &mut self,
        delivery: Delivery,
        batch: &mut [W],
    ) -> Result<(), DeviceError> {
        let id = delivery.properties.correlation_id().as_ref();
        let id = id.and_then(|id| id.as_str().parse().ok());
        let Some((id, place)) = id.and_then(|id| Some((id, *self.waiting.get(&id)?))) else {
            self.counts.dropped += 1;
            return Ok(());
        };
        match packet::read(&delivery.data)? {
            Reply::Done(answer) => {
                let answer = postcard::from_bytes(&answer).map_err(|error| {
                    DeviceError::Invalid(format!("a result cannot be read: {error}"))
                })?;
                batch[place].accept(answer)?;
                self.waiting.remove(&id);
                self.counts.answered += 1;
                Ok(())
            }
            Reply::Failed { failure, tries } => Err(failure.to_error(tries)),
            Reply::Missing { inputs, to } => {
                self.counts.inputs += inputs.len() as u64;
                inputs::send(&self.link.session, self.queue, &batch[place], &inputs, &to).await
            }
        }
    }

    /// That time is up.
    fn late(&self, place: &str) -> DeviceError {
        let (left, name) = (self.waiting.len(), &self.queue.name);
        let within = self.asking.answer_within;
        // It may be by the piece that nobody serves any more: for a pool it counts as a try.
        DeviceError::Lost(format!(
            "{left} pieces of work in the queue `{name}` at {place} were not answered within {within:?}: \
             nobody serves it, or those who do are busy"
        ))
    }
}
