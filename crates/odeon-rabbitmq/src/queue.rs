//! Where work waits for those that do it.

use std::fmt;
use std::time::Duration;

use lapin::uri::AMQPUri;
use odeon_device::DeviceError;

/// A queue of a broker: both sides name the same one, in the same way. Plain data, to be changed
/// field by field.
///
/// ```
/// use odeon_rabbitmq::Queue;
///
/// let queue = Queue::new("amqp://worker:secret@broker.example:5672/%2f", "kmeans");
/// assert!(!format!("{queue:?}").contains("secret"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Queue {
    /// The broker, the user and the virtual host: `amqp://USER:PASSWORD@HOST:PORT/VHOST`, `%2f`
    /// being the usual `VHOST`. `amqps` needs a program that has switched on one of lapin's
    /// features for TLS. Without `?heartbeat=`, which is in seconds, it is 10: two of them are
    /// missed when a connection is given up.
    pub uri: String,
    /// What the queue is called, in at most 200 bytes. Beside it there is one with `.dead` behind
    /// the name.
    pub name: String,
    /// Whether the queue and what waits in it outlive the broker, on its disk. True. Both sides
    /// must agree, for as long as the queue is there.
    pub durable: bool,
    /// Bytes that one message may have. 64 MiB; brokers refuse more than 128 MiB, if not told
    /// otherwise. Inputs go in parts and may be larger.
    pub largest_message: usize,
    /// How long connecting may take. 5 s.
    pub connect_within: Duration,
}

impl Queue {
    /// A durable queue.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            uri: uri.into(),
            name: name.into(),
            durable: true,
            largest_message: 64 << 20,
            connect_within: Duration::from_secs(5),
        }
    }

    /// Where requests go that cannot be read.
    pub(crate) fn dead(&self) -> String {
        format!("{}.dead", self.name)
    }

    /// Its address, in parts.
    pub(crate) fn parsed(&self) -> Result<AMQPUri, DeviceError> {
        // WHY: what the parser says may have a part of the address in it, and so of the password.
        let unreadable = || {
            let shape = "amqp://USER:PASSWORD@HOST:PORT/VHOST, with %2f for `/` and the like";
            DeviceError::Invalid(format!("the address of the broker is not of the form {shape}"))
        };
        // WHY: with a `/`, `?` or `#` in the password the user is taken for the host, and the
        // beginning of the password for its port.
        let (_, address) = self.uri.split_once("://").ok_or_else(unreadable)?;
        let behind = address.split_once(['/', '?', '#']).map_or("", |(_, behind)| behind);
        if behind.contains('@') {
            return Err(unreadable());
        }
        let mut uri: AMQPUri = self.uri.parse().map_err(|_| unreadable())?;
        uri.query.heartbeat.get_or_insert(HEARTBEAT_S);
        if self.name.is_empty() || self.name.len() > LONGEST_NAME {
            let length = self.name.len();
            let limits = format!("1 to {LONGEST_NAME} bytes, not {length}");
            return Err(DeviceError::Invalid(format!("the name of a queue has {limits}")));
        }
        Ok(uri)
    }
}

const HEARTBEAT_S: u16 = 10;

/// AMQP has 255; something is to be left for what is appended.
const LONGEST_NAME: usize = 200;

/// The host and the port, for people.
pub(crate) fn place(uri: &AMQPUri) -> String {
    format!("{}:{}", uri.authority.host, uri.authority.port)
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let broker = self.parsed().map_or_else(|_| "unreadable".to_owned(), |uri| place(&uri));
        f.debug_struct("Queue")
            .field("broker", &broker)
            .field("name", &self.name)
            .field("durable", &self.durable)
            .field("largest_message", &self.largest_message)
            .field("connect_within", &self.connect_within)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_errors_nor_debug_tell_the_password() {
        let unreadable = [
            "amqp://me:hunter2@ho st:1/",
            "ftp://me:hunter2@h/%2f",
            "me:hunter2@h",
            "amqp://me:4711/hunter2@h/%2f",
            "amqp://me:4711?hunter2@h/%2f",
            "amqp://me:4711#hunter2@h/%2f",
        ];
        for uri in unreadable {
            let queue = Queue::new(uri, "q");
            let said = format!("{} {queue:?}", queue.parsed().unwrap_err());
            assert!(!said.contains("hunter2") && !said.contains("4711"), "{said}");
            assert!(said.contains("amqp://USER"), "{said}");
        }
        let good = Queue::new("amqp://me:hunter2@host:1234/%2f", "q");
        let said = format!("{good:?}");
        assert!(said.contains("host:1234") && !said.contains("hunter2"), "{said}");
    }

    #[test]
    fn names_have_limits_and_heartbeats_a_default() {
        let uri = "amqp://localhost/%2f";
        for bad in [String::new(), "q".repeat(201)] {
            assert!(matches!(Queue::new(uri, bad).parsed(), Err(DeviceError::Invalid(_))));
        }
        let heartbeat = |uri: &str| Queue::new(uri, "q").parsed().unwrap().query.heartbeat;
        assert_eq!(heartbeat(uri), Some(10));
        assert_eq!(heartbeat("amqp://localhost/%2f?heartbeat=3"), Some(3));
    }
}
