//! Packets by Zenoh.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use odeon_sync::Mutex;
use odeon_theater::{Listener, TheaterId, Transport};
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::{CongestionControl, Priority};
use zenoh::sample::SampleKind;
use zenoh::{Session, Wait};

use crate::ZenohSettings;
use crate::keys::{Keys, last_theater};

/// How many bytes a packet may have.
// TUNE: what Zenoh puts into one batch of 64 kB, with room for its own heads: a longer packet would be cut and put together again.
pub const LARGEST_PACKET: usize = 60_000;

/// A way to other theaters by Zenoh.
///
/// Packets are handed to Zenoh at once and may be dropped there, so `send` does not wait for a slow peer; they come on Zenoh's own
/// threads.
pub struct ZenohTransport {
    me: TheaterId,
    keys: Keys,
    publishers: Mutex<HashMap<TheaterId, Arc<Publisher<'static>>>>,
    /// In the order in which they are given up.
    _here: LivelinessToken,
    _others: Subscriber<()>,
    _packets: Subscriber<()>,
    session: Session,
}

/// Zenoh cannot be used as it is told to.
#[derive(Debug)]
pub struct ZenohError {
    what: String,
    because: String,
}

impl ZenohError {
    pub(crate) fn of(what: &str, error: zenoh::Error) -> Self {
        Self { what: what.into(), because: error.to_string() }
    }

    pub(crate) fn settings(key: &str, error: &(dyn Error + Send + Sync)) -> Self {
        Self { what: format!("the setting {key}"), because: error.to_string() }
    }
}

impl fmt::Display for ZenohError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.because)
    }
}

impl Error for ZenohError {}

impl ZenohTransport {
    /// Opens a way for the theater `me` of a cluster, and tells `listener` what comes.
    ///
    /// Theaters of other clusters are not seen. That is no protection: use [`Tls`](crate::Tls) for that.
    ///
    /// # Errors
    /// If a setting is none that Zenoh knows, or it cannot listen or connect as it is told to.
    pub fn open(
        settings: &ZenohSettings,
        cluster: &str,
        me: TheaterId,
        listener: Arc<dyn Listener>,
    ) -> Result<Arc<Self>, ZenohError> {
        let session = zenoh::open(settings.to_config()?)
            .wait()
            .map_err(|error| ZenohError::of("opening a session", error))?;
        let keys = Keys::of_cluster(cluster);
        let listens = listener.clone();
        let packets = session
            .declare_subscriber(keys.all_packets(me))
            .callback(move |sample| {
                if let Some(from) = last_theater(sample.key_expr().as_str()) {
                    listens.packet(from, &sample.payload().to_bytes());
                }
            })
            .wait()
            .map_err(|error| ZenohError::of("waiting for packets", error))?;
        let others = session
            .liveliness()
            .declare_subscriber(keys.all_here())
            .history(true)
            .callback(move |sample| {
                let theater = last_theater(sample.key_expr().as_str());
                match (theater.filter(|&other| other != me), sample.kind()) {
                    (Some(other), SampleKind::Put) => listener.appeared(other),
                    (Some(other), SampleKind::Delete) => listener.vanished(other),
                    (None, _) => {}
                }
            })
            .wait()
            .map_err(|error| ZenohError::of("looking for others", error))?;
        let here = session
            .liveliness()
            .declare_token(keys.here(me))
            .wait()
            .map_err(|error| ZenohError::of("being found by others", error))?;
        Ok(Arc::new(Self {
            me,
            keys,
            publishers: Mutex::default(),
            _here: here,
            _others: others,
            _packets: packets,
            session,
        }))
    }

    /// Closes it: what is sent from here on is dropped, and nothing comes any more.
    pub fn close(&self) {
        // A session that is closed twice is closed.
        let _ = self.session.close().wait();
    }

    /// The publisher for packets to a theater, made when it is first needed.
    fn publisher(&self, to: TheaterId) -> Option<Arc<Publisher<'static>>> {
        let mut publishers = self.publishers.lock().expect("nothing panics under this lock");
        if let Some(publisher) = publishers.get(&to) {
            return Some(publisher.clone());
        }
        let publisher = self
            .session
            .declare_publisher(self.keys.packets(to, self.me))
            .congestion_control(CongestionControl::Drop)
            .priority(Priority::RealTime)
            .express(true)
            .wait()
            .ok()?;
        let publisher = Arc::new(publisher);
        publishers.insert(to, publisher.clone());
        Some(publisher)
    }
}

impl Transport for ZenohTransport {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        if let Some(publisher) = self.publisher(to) {
            // A packet that Zenoh does not take is lost, as others are.
            let _ = publisher.put(packet).wait();
        }
    }

    fn largest_packet(&self) -> usize {
        LARGEST_PACKET
    }
}

impl fmt::Debug for ZenohTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZenohTransport").field("me", &self.me).finish_non_exhaustive()
    }
}
