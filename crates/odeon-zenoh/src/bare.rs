//! Zenoh with nothing above it, so that what is above it can be measured beside it.
//!
//! ```
//! use odeon_zenoh::ZenohSettings;
//! use odeon_zenoh::bare::{Bare, Batching};
//! use std::sync::mpsc::channel;
//!
//! let alone = Bare::open(&ZenohSettings::default())?;
//! let (heard, hears) = channel();
//! let _subscription = alone.subscribe("example", move |bytes| heard.send(bytes.to_vec()).unwrap())?;
//! alone.publisher("example", Batching::Off)?.put(b"hello".to_vec())?;
//! assert_eq!(hears.recv()?, b"hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;

use odeon_sync::contained::Theirs;
use zenoh::Wait;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::CongestionControl;

use crate::called::called_by_zenoh;
use crate::session::{OpenSession, open_session};
use crate::settings::LARGEST_INCOMING;
use crate::{ZenohError, ZenohSettings};

/// A session of Zenoh. When it is dropped, publishers and subscriptions that are left fall silent.
pub struct Bare(OpenSession);

/// Whether Zenoh may wait for more payloads, to send them together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Batching {
    /// It may.
    On,
    /// Each goes at once.
    Off,
}

/// Puts payloads under one key.
pub struct BarePublisher(Publisher<'static>);

/// Listens under one key until it is dropped.
pub struct BareSubscription(#[expect(dead_code, reason = "is there to be dropped")] Subscriber<()>);

impl Bare {
    /// Opens a session.
    ///
    /// # Errors
    /// If a setting is none that Zenoh knows, or it cannot listen or connect as it is told to.
    pub fn open(settings: &ZenohSettings) -> Result<Self, ZenohError> {
        let mut settings = settings.clone();
        // Payloads are as long as who publishes them likes.
        settings.more.insert(0, (LARGEST_INCOMING.into(), (1_usize << 30).to_string()));
        open_session(&settings).map(Self)
    }

    /// A publisher that waits while a receiver is slow.
    ///
    /// # Errors
    /// If Zenoh knows no such key.
    pub fn publisher(&self, key: &str, batching: Batching) -> Result<BarePublisher, ZenohError> {
        let publisher = self.0.declare_publisher(key.to_owned());
        let publisher = publisher.congestion_control(CongestionControl::Block);
        let publisher = publisher.express(batching == Batching::Off).wait();
        publisher.map(BarePublisher).map_err(|error| ZenohError::of("making a publisher", error))
    }

    /// Has `hear` called, on a thread of Zenoh's, with each payload. What it panics with concerns
    /// nobody.
    ///
    /// # Errors
    /// If Zenoh knows no such key.
    pub fn subscribe(
        &self,
        key: &str,
        hear: impl Fn(&[u8]) + Send + Sync + 'static,
    ) -> Result<BareSubscription, ZenohError> {
        let subscriber = self.0.declare_subscriber(key.to_owned());
        // Zenoh drops it among things of its own.
        let hear = Theirs::of(hear);
        let subscriber = subscriber.callback(move |sample| {
            called_by_zenoh(|| (*hear)(&sample.payload().to_bytes()));
        });
        let subscriber = subscriber.wait();
        subscriber.map(BareSubscription).map_err(|error| ZenohError::of("subscribing", error))
    }
}

impl BarePublisher {
    /// Hands a payload to Zenoh.
    ///
    /// # Errors
    /// If the session is closed.
    pub fn put(&self, payload: Vec<u8>) -> Result<(), ZenohError> {
        self.0.put(payload).wait().map_err(|error| ZenohError::of("sending", error))
    }
}

impl fmt::Debug for Bare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bare").finish_non_exhaustive()
    }
}

impl fmt::Debug for BarePublisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BarePublisher").finish_non_exhaustive()
    }
}

impl fmt::Debug for BareSubscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BareSubscription").finish_non_exhaustive()
    }
}
