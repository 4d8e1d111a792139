//! Packets by Zenoh.

mod others;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use odeon_sync::contained::Theirs;
use odeon_theater::{Listener, TheaterId, Transport};
use zenoh::Wait;
use zenoh::liveliness::LivelinessToken;
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::{CongestionControl, Priority};
use zenoh::sample::SampleKind;

use self::others::{Others, Way};
use crate::called::called_by_zenoh;
use crate::keys::{Keys, last_theater};
use crate::session::{OpenSession, open_session};
use crate::{LARGEST_PACKET, ZenohError, ZenohSettings};

/// A way to other theaters by Zenoh.
///
/// Packets are handed to Zenoh at once and may be dropped there, so `send` does not wait for a slow
/// peer; they come on Zenoh's own threads.
pub struct ZenohTransport {
    me: TheaterId,
    keys: Keys,
    others: Arc<Others>,
    /// In the order in which they are given up.
    _here: LivelinessToken,
    _who_is_there: Subscriber<()>,
    _packets: Subscriber<()>,
    session: OpenSession,
}

impl ZenohTransport {
    /// Opens a way for the theater `me` of a cluster, and tells `listener` what comes.
    ///
    /// What `listener` panics with concerns nobody; it is told what comes next.
    ///
    /// Theaters of other clusters get nothing and send nothing; that they are there is
    /// [told](Listener::foreign). That is no protection: use [`Tls`](crate::Tls) for that.
    ///
    /// # Errors
    /// If a setting is none that Zenoh knows, or it cannot listen or connect as it is told to: if
    /// the port is taken, that is said. If there are [certificates](ZenohSettings::tls), and a file
    /// of them is not there or holds none, or there is an endpoint by which none are shown. If
    /// there is a [secret](ZenohSettings::secret), which only [`join`](crate::join) heeds: packets
    /// are sealed by links.
    pub fn open(
        settings: &ZenohSettings,
        cluster: &str,
        me: TheaterId,
        listener: Arc<dyn Listener>,
    ) -> Result<Arc<Self>, ZenohError> {
        if settings.secret.is_some() {
            let because = "a link has it: LinkConfig::secret, with Network::join";
            return Err(ZenohError::refused("the setting secret".into(), because));
        }
        let session = open_session(settings)?;
        let keys = Keys::of_cluster(cluster);
        // Zenoh drops it among things of its own.
        let listens = Theirs::of(listener.clone());
        let listener = Theirs::of(listener);
        let packets = session
            .declare_subscriber(keys.all_packets(me))
            .callback(move |sample| {
                if let Some(from) = last_theater(sample.key_expr().as_str()) {
                    called_by_zenoh(|| listens.packet(from, &sample.payload().to_bytes()));
                }
            })
            .wait()
            .map_err(|error| ZenohError::of("waiting for packets", error))?;
        let others = Arc::new(Others::default());
        let known = others.clone();
        let ours = keys.clone();
        let who_is_there = session
            .liveliness()
            .declare_subscriber(Keys::everybody_here())
            .history(true)
            .callback(move |sample| {
                let key = sample.key_expr().as_str();
                let Some(other) = last_theater(key).filter(|&other| other != me) else { return };
                match (sample.kind(), ours.are_of(key)) {
                    (SampleKind::Put, true) => {
                        known.appeared(other);
                        called_by_zenoh(|| listener.appeared(other));
                    }
                    (SampleKind::Put, false) => called_by_zenoh(|| listener.foreign(other)),
                    (SampleKind::Delete, _) => {
                        known.vanished(other);
                        called_by_zenoh(|| listener.vanished(other));
                    }
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
            others,
            _here: here,
            _who_is_there: who_is_there,
            _packets: packets,
            session,
        }))
    }

    /// Closes it: what is sent from here on is dropped, and nothing comes any more. So does a drop.
    /// A [`Listener`] that is just being told something does not wait for that.
    pub fn close(&self) {
        self.session.close();
    }

    /// A publisher for packets to a theater that is there.
    fn publisher(&self, to: TheaterId) -> Option<Arc<Publisher<'static>>> {
        let publisher = self
            .session
            .declare_publisher(self.keys.packets(to, self.me))
            .congestion_control(CongestionControl::Drop)
            .priority(Priority::RealTime)
            .express(true)
            .wait()
            .ok()?;
        let publisher = Arc::new(publisher);
        self.others.publishes(to, &publisher);
        Some(publisher)
    }

    fn put(&self, to: TheaterId, packet: Vec<u8>) -> zenoh::Result<()> {
        let publisher = match self.others.way(to) {
            Way::Publisher(publisher) => Some(publisher),
            Way::NotYet => self.publisher(to),
            Way::Absent => None,
        };
        if let Some(publisher) = publisher {
            return publisher.put(packet).wait();
        }
        let put = self.session.put(self.keys.packets(to, self.me), packet);
        put.congestion_control(CongestionControl::Drop)
            .priority(Priority::RealTime)
            .express(true)
            .wait()
    }
}

impl Transport for ZenohTransport {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        // A packet that Zenoh does not take is lost, as others are.
        let _ = self.put(to, packet);
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
