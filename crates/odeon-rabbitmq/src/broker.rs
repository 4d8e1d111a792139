//! Connecting to a broker, and publishing so that it is known whether the broker has it.

use std::fmt::Display;
use std::future::Future;
use std::thread;
use std::time::Duration;

use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::uri::AMQPUri;
use lapin::{
    BasicProperties, Channel, Confirmation, Connection, ConnectionProperties, Consumer, ErrorKind,
    PublisherConfirm,
};
use odeon_device::DeviceError;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::time::timeout;

use crate::queue::{Queue, place};

/// How long a farewell may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Dead letters are kept for people to look at: not more than these.
const MOST_DEAD: i32 = 10_000;
const MOST_DEAD_BYTES: i32 = 256 << 20;

/// A broker that can be connected to, and the thread on which what comes from it is noticed, and
/// heartbeats are sent, while others work.
pub(crate) struct Broker {
    /// Taken when this is dropped.
    runtime: Option<Runtime>,
    queue: Queue,
    uri: AMQPUri,
    place: String,
}

/// Why there is no connection.
pub(crate) struct NotConnected {
    pub(crate) error: DeviceError,
    /// Whether trying again may help: not if the broker refuses the user.
    pub(crate) may_pass: bool,
}

impl From<DeviceError> for NotConnected {
    /// What a broker says that has let one in.
    fn from(error: DeviceError) -> Self {
        let may_pass = !matches!(error, DeviceError::Invalid(_));
        Self { error, may_pass }
    }
}

/// A connection with a channel on which all that is published is confirmed.
pub(crate) struct BrokerSession {
    connection: Connection,
    channel: Channel,
    place: String,
    largest_message: usize,
}

impl Broker {
    pub(crate) fn new(queue: &Queue) -> Result<Self, DeviceError> {
        let uri = queue.parsed()?;
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("odeon-rabbitmq")
            .enable_all()
            .build()
            .map_err(|error| DeviceError::Unavailable(format!("no thread: {error}")))?;
        let place = place(&uri);
        Ok(Self { runtime: Some(runtime), queue: queue.clone(), uri, place })
    }

    pub(crate) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime().block_on(future)
    }

    pub(crate) fn handle(&self) -> &Handle {
        self.runtime().handle()
    }

    fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().expect("the runtime is there until the end")
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Host and port.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// A connection, on which the queue is there.
    pub(crate) async fn connect(&self) -> Result<BrokerSession, NotConnected> {
        let may_pass = |error| NotConnected { error, may_pass: true };
        let name = LongString::from(format!("odeon {}", self.queue.name));
        let properties = ConnectionProperties::default().with_connection_name(name);
        let connecting = Connection::connect_uri(self.uri.clone(), properties);
        let within = self.queue.connect_within;
        let connection = match timeout(within, connecting).await {
            Ok(connection) => connection.map_err(|error| self.refusal(&error))?,
            Err(_) => {
                let why = format!("no broker at {} answers within {within:?}", self.place);
                return Err(may_pass(DeviceError::Unavailable(why)));
            }
        };
        match timeout(within, self.open(connection)).await {
            Ok(opened) => opened.map_err(NotConnected::from),
            Err(_) => {
                let why = format!("the broker at {} does not answer within {within:?}", self.place);
                Err(may_pass(DeviceError::Unavailable(why)))
            }
        }
    }

    async fn open(&self, connection: Connection) -> Result<BrokerSession, DeviceError> {
        let gone = |error| gone(&self.place, error);
        let channel = connection.create_channel().await.map_err(gone)?;
        channel.confirm_select(ConfirmSelectOptions::default()).await.map_err(gone)?;
        let place = self.place.clone();
        let largest_message = self.queue.largest_message;
        let session = BrokerSession { connection, channel, place, largest_message };
        let Queue { name, durable, .. } = &self.queue;
        session.declare(name, *durable, FieldTable::default()).await?;
        Ok(session)
    }

    fn refusal(&self, error: &lapin::Error) -> NotConnected {
        let (place, uri) = (&self.place, &self.uri);
        let (why, may_pass) = match error.kind() {
            ErrorKind::ProtocolError(refusal) => {
                let user = &uri.authority.userinfo.username;
                let said = refusal.get_message();
                // WHY not the others: a broker that is just starting or ending refuses everybody.
                let may_pass = !matches!(refusal.get_id(), ACCESS_REFUSED | NOT_ALLOWED);
                (format!("the broker at {place} refuses user `{user}`: {said}"), may_pass)
            }
            _ => (format!("no broker at {place}: {error}"), true),
        };
        NotConnected { error: DeviceError::Unavailable(why), may_pass }
    }

    /// Closes a connection, and ends; without keeping anybody waiting.
    pub(crate) fn end(mut self, session: Option<BrokerSession>) {
        // WHY first: without one nobody has to wait, and `drop` ends the runtime in a way that may
        // be done anywhere.
        let Some(session) = session else { return };
        let Some(runtime) = self.runtime.take() else { return };
        // WHY a thread: this may be called where nothing may wait for a future.
        let farewell = move || {
            let _ = runtime.block_on(async { timeout(FAREWELL, session.close()).await });
            runtime.shutdown_background();
        };
        // If there can be no thread, the connection is cut.
        let _ = thread::Builder::new().name("odeon-rabbitmq-end".to_owned()).spawn(farewell);
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl BrokerSession {
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    pub(crate) fn is_up(&self) -> bool {
        self.connection.status().connected() && self.channel.status().connected()
    }

    /// As all errors of this connection are told.
    pub(crate) fn gone(&self, error: impl Display) -> DeviceError {
        gone(&self.place, error)
    }

    async fn declare(
        &self,
        name: &str,
        durable: bool,
        arguments: FieldTable,
    ) -> Result<(), DeviceError> {
        let options = QueueDeclareOptions { durable, ..Default::default() };
        let declared = self.channel.queue_declare(name.into(), options, arguments).await;
        let different = |error: &lapin::Error| match error.kind() {
            ErrorKind::ProtocolError(why) => why.get_id() == PRECONDITION_FAILED,
            _ => false,
        };
        match declared {
            Ok(_) => Ok(()),
            Err(error) if different(&error) => {
                let is = format!("the queue `{name}` at {} is there, of another kind", self.place);
                Err(DeviceError::Invalid(format!("{is}: {error}")))
            }
            Err(error) => Err(self.gone(error)),
        }
    }

    /// The queue of dead letters, of which the oldest go when it is full.
    pub(crate) async fn declare_dead(&self, queue: &Queue) -> Result<(), DeviceError> {
        let mut arguments = FieldTable::default();
        arguments.insert("x-max-length".into(), AMQPValue::LongInt(MOST_DEAD));
        arguments.insert("x-max-length-bytes".into(), AMQPValue::LongInt(MOST_DEAD_BYTES));
        self.declare(&queue.dead(), queue.durable, arguments).await
    }

    /// How many worker processes wait at the queue.
    pub(crate) async fn consumers(&self, queue: &Queue) -> Result<u32, DeviceError> {
        let options = QueueDeclareOptions { passive: true, ..Default::default() };
        let name = queue.name.as_str().into();
        let declared = self.channel.queue_declare(name, options, FieldTable::default()).await;
        declared.map(|queue| queue.consumer_count()).map_err(|error| self.gone(error))
    }

    /// A queue that ends with this connection and that only it reads; and what comes there.
    pub(crate) async fn own_queue(&self) -> Result<(ShortString, Consumer), DeviceError> {
        let options = QueueDeclareOptions { exclusive: true, ..Default::default() };
        let declared = self.channel.queue_declare("".into(), options, FieldTable::default()).await;
        let name = declared.map_err(|error| self.gone(error))?.name().clone();
        let options = BasicConsumeOptions { no_ack: true, exclusive: true, ..Default::default() };
        let consumer = self
            .channel
            .basic_consume(name.clone(), "".into(), options, FieldTable::default())
            .await
            .map_err(|error| self.gone(error))?;
        Ok((name, consumer))
    }

    /// Gives a message to the broker, for the queue of that name. Whether it has taken it, see
    /// [`taken`](Self::taken).
    pub(crate) async fn publish(
        &self,
        to: ShortString,
        body: &[u8],
        properties: BasicProperties,
    ) -> Result<PublisherConfirm, DeviceError> {
        if body.len() > self.largest_message {
            let (size, limit) = (body.len(), self.largest_message);
            let why = format!("a message would have {size} bytes, and may have {limit}");
            return Err(DeviceError::Invalid(why));
        }
        let options = BasicPublishOptions { mandatory: true, ..Default::default() };
        self.channel
            .basic_publish("".into(), to, options, body, properties)
            .await
            .map_err(|error| self.gone(error))
    }

    /// Waits until the broker has taken a message. `false` if there is no such queue.
    pub(crate) async fn taken(&self, confirm: PublisherConfirm) -> Result<bool, DeviceError> {
        match confirm.await {
            Ok(Confirmation::Ack(returned)) => Ok(returned.is_none()),
            Ok(_) => Err(self.gone("it did not take a message")),
            Err(error) => Err(self.gone(error)),
        }
    }

    /// Both.
    pub(crate) async fn give(
        &self,
        to: ShortString,
        body: &[u8],
        properties: BasicProperties,
    ) -> Result<bool, DeviceError> {
        let confirm = self.publish(to, body, properties).await?;
        self.taken(confirm).await
    }

    pub(crate) async fn close(self) {
        // Errors mean that it is closed, or will be cut.
        let _ = self.channel.close(SUCCESS, "".into()).await;
        let _ = self.connection.close(SUCCESS, "".into()).await;
    }
}

/// Codes of AMQP.
const SUCCESS: u16 = 200;
const ACCESS_REFUSED: u16 = 403;
const PRECONDITION_FAILED: u16 = 406;
const NOT_ALLOWED: u16 = 530;

fn gone(place: &str, error: impl Display) -> DeviceError {
    DeviceError::Disconnected(format!("the broker at {place}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lapin::protocol::AMQPError;

    #[test]
    fn only_a_refusal_of_the_user_is_for_ever() {
        let broker = Broker::new(&Queue::new("amqp://me:secret@host:1/%2f", "q")).unwrap();
        // Refused, no such virtual host; the broker is ended, the virtual host is down.
        for (code, may_pass) in [(403, false), (530, false), (320, true), (541, true)] {
            let said = AMQPError::from_id(code, "why".into()).unwrap();
            let refusal = broker.refusal(&ErrorKind::ProtocolError(said).into());
            assert_eq!(refusal.may_pass, may_pass, "{code}");
            assert!(matches!(refusal.error, DeviceError::Unavailable(_)));
        }
    }
}
