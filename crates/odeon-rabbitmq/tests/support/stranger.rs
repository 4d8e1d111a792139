//! Somebody else at the broker, who does not keep to the protocol.

use futures_util::StreamExt;
use lapin::options::{
    BasicAckOptions, BasicCancelOptions, BasicConsumeOptions, BasicGetOptions, BasicPublishOptions,
    QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties, Consumer};
use odeon_rabbitmq::Queue;
use std::future::Future;
use tokio::runtime::Runtime;

/// A request, as its fields are written: for `kind`, tried so often.
pub fn request(
    kind: &str,
    tries: u32,
    most_tries: u32,
    inputs: &[[u8; 32]],
    work: &[u8],
) -> Vec<u8> {
    let fields = (kind, tries, most_tries, None::<()>, inputs, work);
    let mut bytes = vec![0x0d, 1];
    bytes.extend(postcard::to_allocvec(&fields).unwrap());
    bytes
}

pub struct Stranger {
    runtime: Runtime,
    channel: Channel,
    _connection: Connection,
}

impl Stranger {
    pub fn at(queue: &Queue) -> Self {
        let runtime = Runtime::new().unwrap();
        let (connection, channel) = runtime.block_on(async {
            let connection = Connection::connect(&queue.uri, ConnectionProperties::default());
            let connection = connection.await.unwrap();
            let channel = connection.create_channel().await.unwrap();
            (connection, channel)
        });
        Self { runtime, channel, _connection: connection }
    }

    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub fn publishes(&self, to: &str, body: &[u8], properties: BasicProperties) {
        let options = BasicPublishOptions::default();
        let published = self.block_on(self.channel.basic_publish(
            "".into(),
            to.into(),
            options,
            body,
            properties,
        ));
        published.unwrap();
    }

    /// Takes a message out of a queue.
    pub fn takes(&self, from: &str) -> Option<(Vec<u8>, BasicProperties)> {
        let options = BasicGetOptions { no_ack: true };
        let got = self.block_on(self.channel.basic_get(from.into(), options)).unwrap();
        got.map(|message| (message.delivery.data, message.delivery.properties))
    }

    /// How many messages wait in a queue.
    pub fn waiting(&self, name: &str) -> u32 {
        let options = QueueDeclareOptions { passive: true, ..Default::default() };
        let declared =
            self.block_on(self.channel.queue_declare(name.into(), options, FieldTable::default()));
        declared.unwrap().message_count()
    }

    /// A queue of its own.
    pub fn own_queue(&self) -> String {
        self.declares("", FieldTable::default())
    }

    /// A queue of its own that takes no message.
    pub fn full_queue(&self) -> String {
        let mut arguments = FieldTable::default();
        arguments.insert("x-max-length".into(), AMQPValue::LongInt(1));
        arguments.insert("x-overflow".into(), AMQPValue::LongString("reject-publish".into()));
        let name = self.declares("", arguments);
        self.publishes(&name, b"full", BasicProperties::default());
        name
    }

    /// A queue that ends with this stranger. The broker names it if nobody does.
    pub fn declares(&self, name: &str, arguments: FieldTable) -> String {
        let options = QueueDeclareOptions { exclusive: true, ..Default::default() };
        let declared = self.block_on(self.channel.queue_declare(name.into(), options, arguments));
        declared.unwrap().name().to_string()
    }

    /// A queue as the one of dead letters, but for what it is to hold.
    pub fn declares_for_all(&self, name: &str) {
        let options = QueueDeclareOptions { durable: true, ..Default::default() };
        let declaring = self.channel.queue_declare(name.into(), options, FieldTable::default());
        self.block_on(declaring).unwrap();
    }

    /// Has a queue that nobody else may read.
    pub fn keeps_for_itself(&self, name: &str) -> Consumer {
        let options = BasicConsumeOptions { exclusive: true, ..Default::default() };
        let consuming =
            self.channel.basic_consume(name.into(), "".into(), options, FieldTable::default());
        self.block_on(consuming).unwrap()
    }

    /// Answers so many requests of a queue, each as often as it says, with what `answer` makes of
    /// the request.
    pub fn answers(
        &self,
        queue: &str,
        requests: usize,
        times: usize,
        answer: impl Fn(&[u8]) -> Vec<u8>,
    ) {
        self.block_on(async {
            let consuming = self.channel.basic_consume(
                queue.into(),
                "".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            );
            let mut consumer = consuming.await.unwrap();
            for _ in 0..requests {
                let delivery = consumer.next().await.unwrap().unwrap();
                let to = delivery.properties.reply_to().clone().unwrap();
                let id = delivery.properties.correlation_id().clone().unwrap();
                let body = answer(&delivery.data);
                for _ in 0..times {
                    let properties = BasicProperties::default().with_correlation_id(id.clone());
                    let options = BasicPublishOptions::default();
                    let publishing = self.channel.basic_publish(
                        "".into(),
                        to.clone(),
                        options,
                        &body,
                        properties,
                    );
                    publishing.await.unwrap();
                }
                delivery.ack(BasicAckOptions::default()).await.unwrap();
            }
            // Or the broker may give this one what comes for the next.
            let (tag, options) = (consumer.tag(), BasicCancelOptions::default());
            self.channel.basic_cancel(tag, options).await.unwrap();
        });
    }
}
