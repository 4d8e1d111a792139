//! Where requests come in and answers go out, by one connection.

use futures_util::{FutureExt, StreamExt};
use lapin::message::Delivery;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicNackOptions, BasicQosOptions,
};
use lapin::types::{AMQPValue, FieldTable, ShortString};
use lapin::{BasicProperties, Consumer};
use odeon_device::DeviceError;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use super::cache::Cache;
use super::fetching::{Fetched, Fetching};
use super::{Served, Serving, Stop};
use crate::broker::{Broker, BrokerSession};
use crate::failure::{RemoteFailure, cut};
use crate::packet::{self, MOST_TRIES, Reply, WorkRequest};
use crate::portable::Portable;
use crate::queue::Queue;

/// See the module.
pub(super) struct Desk {
    session: BrokerSession,
    queue: Queue,
    requests: Consumer,
    fetching: Fetching,
    /// Answers that the broker has not confirmed; each acknowledges its request then.
    answers: JoinSet<()>,
    on: Handle,
}

/// A request that is neither answered nor acknowledged.
pub(super) struct Receipt {
    delivery: Delivery,
    request: WorkRequest,
}

impl Desk {
    pub(super) async fn open(
        session: BrokerSession,
        broker: &Broker,
        most: usize,
        serving: &Serving,
    ) -> Result<Self, DeviceError> {
        let queue = broker.queue().clone();
        session.declare_dead(&queue).await?;
        let prefetch = u16::try_from(most).unwrap_or(u16::MAX).saturating_add(serving.ahead);
        let channel = session.channel();
        let gone = |error| session.gone(error);
        channel.basic_qos(prefetch, BasicQosOptions::default()).await.map_err(gone)?;
        let fetching = Fetching::open(&session, serving).await?;
        let (name, options) = (queue.name.as_str().into(), BasicConsumeOptions::default());
        let consuming = channel.basic_consume(name, "".into(), options, FieldTable::default());
        let requests = consuming.await.map_err(gone)?;
        let (answers, on) = (JoinSet::new(), broker.handle().clone());
        Ok(Self { session, queue, requests, fetching, answers, on })
    }

    /// The next request, and what more has come, up to `most`. None when it is to stop.
    pub(super) async fn next(
        &mut self,
        most: usize,
        stop: &Stop,
    ) -> Result<Vec<Delivery>, DeviceError> {
        while self.answers.try_join_next().is_some() {}
        if stop.is_asked() {
            return Ok(Vec::new());
        }
        let first = tokio::select! {
            first = self.requests.next() => first,
            () = stop.asked() => return Ok(Vec::new()),
        };
        let mut deliveries = vec![self.come(first)?];
        while deliveries.len() < most {
            let Some(another) = self.requests.next().now_or_never() else { break };
            deliveries.push(self.come(another)?);
        }
        Ok(deliveries)
    }

    fn come(&self, next: Option<lapin::Result<Delivery>>) -> Result<Delivery, DeviceError> {
        match next {
            Some(Ok(delivery)) => Ok(delivery),
            Some(Err(error)) => Err(self.session.gone(error)),
            None => Err(self.session.gone("no requests come any more")),
        }
    }

    /// Reads a request, and gets what it needs. `None` if it is not to be done here and all that is
    /// to be done for it has been.
    pub(super) async fn admit<W: Portable>(
        &mut self,
        delivery: Delivery,
        cache: &mut Cache<W::Input>,
        served: &mut Served,
    ) -> Result<Option<(Receipt, W)>, DeviceError> {
        let request = match self.read::<W>(&delivery) {
            Ok(request) => request,
            Err(error) => {
                self.refuse(delivery, &error, served).await?;
                return Ok(None);
            }
        };
        let receipt = Receipt { delivery, request };
        if receipt.delivery.redelivered {
            let why = "a worker process ended, or lost its broker, while it had the work";
            self.again(receipt, &DeviceError::Lost(why.to_owned()), served).await?;
            return Ok(None);
        }
        let inputs = match self
            .fetching
            .fetch(&self.session, &receipt.to(), cache, served, &receipt.request.inputs)
            .await?
        {
            Fetched::All(inputs) => inputs,
            Fetched::NobodyWaits => {
                self.acknowledge(&receipt.delivery).await?;
                return Ok(None);
            }
            Fetched::Not(error) => {
                self.again(receipt, &error, served).await?;
                return Ok(None);
            }
        };
        let work = postcard::from_bytes(&receipt.request.work)
            .map_err(|error| DeviceError::Invalid(format!("a request cannot be read: {error}")))
            .and_then(|request| W::again(request, inputs));
        match work {
            Ok(work) => Ok(Some((receipt, work))),
            Err(error) => {
                self.refuse(receipt.delivery, &error, served).await?;
                Ok(None)
            }
        }
    }

    /// PROTOCOL 2: answers, and acknowledges when the broker has the answer; meanwhile the next
    /// piece may be done.
    pub(super) async fn reply(&mut self, receipt: Receipt, body: &[u8]) -> Result<(), DeviceError> {
        self.answer(receipt, body, BasicNackOptions { requeue: true, ..Default::default() }).await
    }

    /// Tells the client that a piece cannot be done, after so many tries.
    pub(super) async fn give_up(
        &mut self,
        receipt: Receipt,
        error: &DeviceError,
        tries: u32,
    ) -> Result<(), DeviceError> {
        let body = self.failed(error, tries)?;
        // WHY: if the client's queue does not take even that, nobody can be told.
        self.answer(receipt, &body, BasicNackOptions::default()).await
    }

    /// What becomes of the request if the broker does not take the answer is said by `untaken`.
    async fn answer(
        &mut self,
        receipt: Receipt,
        body: &[u8],
        untaken: BasicNackOptions,
    ) -> Result<(), DeviceError> {
        let (to, properties) = receipt.to();
        let confirm = self.session.publish(to, body, properties).await?;
        let acker = receipt.delivery.acker;
        let acknowledging = async move {
            // WHY: whether anybody waits for it is no matter. Without a confirmation the connection
            // breaks, and it is done again.
            let _ = match confirm.await {
                Ok(confirmation) if confirmation.is_ack() => {
                    acker.ack(BasicAckOptions::default()).await
                }
                Ok(_) => acker.nack(untaken).await,
                Err(error) => Err(error),
            };
        };
        self.answers.spawn_on(acknowledging, &self.on);
        Ok(())
    }

    fn failed(&self, error: &DeviceError, tries: u32) -> Result<Vec<u8>, DeviceError> {
        let most_bytes = self.queue.largest_message.saturating_sub(AROUND);
        packet::write(&Reply::Failed { failure: RemoteFailure::of(error, most_bytes), tries })
    }

    /// PROTOCOL 5.
    pub(super) async fn again(
        &mut self,
        receipt: Receipt,
        error: &DeviceError,
        served: &mut Served,
    ) -> Result<(), DeviceError> {
        let Receipt { delivery, mut request } = receipt;
        let largest = self.queue.largest_message;
        request.tries = request.tries.saturating_add(1);
        if request.tries < request.most_tries.min(MOST_TRIES) {
            request.failure = Some(RemoteFailure::of(error, largest));
            let mut body = packet::write(&request)?;
            if body.len() > largest {
                request.failure = None;
                body = packet::write(&request)?;
            }
            // What is too large even so cannot be tried again.
            if body.len() <= largest {
                served.again += 1;
                return self.put_back(&delivery, &body).await;
            }
        }
        served.failed += 1;
        let tries = request.tries;
        self.give_up(Receipt { delivery, request }, error, tries).await
    }

    /// Puts a request to the end of the queue.
    async fn put_back(&self, delivery: &Delivery, body: &[u8]) -> Result<(), DeviceError> {
        let name = self.queue.name.as_str().into();
        let (_, mut properties) = addressed(delivery);
        properties = properties.with_delivery_mode(self.delivery_mode());
        // WHY these alone: a broker acts by some of the others (`user_id`, and `CC` among the
        // headers), which are of who sent it.
        if let Some(to) = delivery.properties.reply_to() {
            properties = properties.with_reply_to(to.clone());
        }
        if let Some(within) = delivery.properties.expiration() {
            properties = properties.with_expiration(within.clone());
        }
        if !self.session.give(name, body, properties).await? {
            return Err(self.session.gone("the queue is gone"));
        }
        self.acknowledge(delivery).await
    }

    /// PROTOCOL 6.
    async fn refuse(
        &mut self,
        delivery: Delivery,
        error: &DeviceError,
        served: &mut Served,
    ) -> Result<(), DeviceError> {
        served.unreadable += 1;
        // WHY not those that it came with: a broker acts by some of them (`CC`), and together they
        // have to fit into one frame.
        let mut headers = FieldTable::default();
        let reason = cut(&error.to_string(), LONGEST_REASON).to_owned();
        headers.insert(REASON.into(), AMQPValue::LongString(reason.into()));
        // WHY no expiration: it is for somebody to look at.
        let properties = BasicProperties::default()
            .with_headers(headers)
            .with_delivery_mode(self.delivery_mode());
        let dead = self.queue.dead().into();
        // WHY: strangers may send more than a message of ours has; then it is gone, but not in the
        // way of others.
        if delivery.data.len() <= self.queue.largest_message {
            self.session.give(dead, &delivery.data, properties).await?;
        }
        let (to, properties) = addressed(&delivery);
        if !to.as_str().is_empty() {
            let body = self.failed(error, 0)?;
            self.session.give(to, &body, properties).await?;
        }
        self.acknowledge(&delivery).await
    }

    async fn acknowledge(&self, delivery: &Delivery) -> Result<(), DeviceError> {
        let acknowledged = delivery.ack(BasicAckOptions::default()).await;
        acknowledged.map(|_| ()).map_err(|error| self.session.gone(error))
    }

    fn read<W: Portable>(&self, delivery: &Delivery) -> Result<WorkRequest, DeviceError> {
        let (size, largest) = (delivery.data.len(), self.queue.largest_message);
        if size > largest {
            let why = format!("a request has {size} bytes, and a message may have {largest}");
            return Err(DeviceError::Invalid(why));
        }
        let request: WorkRequest = packet::read(&delivery.data)?;
        if request.kind != W::KIND {
            let (kind, mine) = (cut(&request.kind, LONGEST_KIND), W::KIND);
            let why = format!("a request is for `{kind}`, and who serves the queue does `{mine}`");
            return Err(DeviceError::Invalid(why));
        }
        Ok(request)
    }

    fn delivery_mode(&self) -> u8 {
        if self.queue.durable { 2 } else { 1 }
    }

    /// Waits for the answers, and puts back what waits here as if it had not been.
    pub(super) async fn end(mut self) -> Result<(), DeviceError> {
        let tag = self.requests.tag();
        let cancelled = self.session.channel().basic_cancel(tag, BasicCancelOptions::default());
        cancelled.await.map_err(|error| self.session.gone(error))?;
        while let Some(Some(Ok(delivery))) = self.requests.next().now_or_never() {
            // What is too large is put back by the broker, when the connection ends.
            if delivery.data.len() <= self.queue.largest_message {
                self.put_back(&delivery, &delivery.data).await?;
            }
        }
        while self.answers.join_next().await.is_some() {}
        self.session.close().await;
        Ok(())
    }
}

impl Receipt {
    fn to(&self) -> (ShortString, BasicProperties) {
        addressed(&self.delivery)
    }
}

/// Of dead letters: why they are.
const REASON: &str = "x-odeon-reason";

/// Bytes of texts that come from strangers, or that they can make long.
const LONGEST_REASON: usize = 1_000;
const LONGEST_KIND: usize = 100;

/// Bytes around the text of a failure.
const AROUND: usize = 64;

/// Where answers to a request go, and the number that they have.
fn addressed(delivery: &Delivery) -> (ShortString, BasicProperties) {
    let to = delivery.properties.reply_to().clone().unwrap_or_default();
    let mut properties = BasicProperties::default();
    if let Some(id) = delivery.properties.correlation_id() {
        properties = properties.with_correlation_id(id.clone());
    }
    (to, properties)
}
