//! A theater that the others of its run reach.

use super::seat::Seat;
use super::{created, echo, keeper, ring_member, tally, wanderer};
use crate::error::BenchError;
use crate::theater::{runtime, theater_with};
use odeon::prelude::*;
use odeon_theater::{LinkConfig, Network, TheaterId, Transport};
use odeon_zenoh::{ZenohError, ZenohSettings, ZenohTransport};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// TUNE: s, guessed 2026-11: what a run waits for comes in milliseconds, or in seconds with the
/// largest parameters; a run that has lost something must not hang a night of measuring.
pub(super) const LIMIT: Duration = Duration::from_secs(120);

/// See the module. Dropped, it leaves.
pub(super) struct JoinedTheater {
    // In this order: who goes says so first, then the way is closed, then the theater.
    pub(super) network: Network,
    _transport: Closing,
    pub(super) theater: Arc<Theater>,
}

/// Closed when it is dropped.
struct Closing(Arc<ZenohTransport>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl JoinedTheater {
    pub(super) fn open(seat: &Seat, workers: usize) -> Result<Self, BenchError> {
        let theater = Arc::new(theater_with(workers)?);
        let settings = settings(seat);
        let made = OnceLock::new();
        let id = id(seat.number);
        let config = LinkConfig {
            // A member that ends is noticed by its process. One that is only slow, on a loaded
            // machine, shall not end a run.
            suspect_after: Duration::from_secs(2),
            dead_after: Duration::from_secs(5),
            ..LinkConfig::new(&seat.cluster, LARGEST_PACKET)
        };
        let network = Network::join(&theater, id, config, |id, listener| {
            let transport = ZenohTransport::open(&settings, &seat.cluster, id, listener)?;
            let _ = made.set(Closing(transport.clone()));
            Ok::<_, ZenohError>(transport as Arc<dyn Transport>)
        });
        let network = network.map_err(runtime)?;
        let _transport = made.into_inner().expect("it was made when the theater joined");
        tally::register(&network, &theater);
        echo::register(&network, &theater);
        ring_member::register(&network, &theater);
        created::register(&network, &theater);
        keeper::register(&network, &theater);
        wanderer::register(&network);
        Ok(Self { network, _transport, theater })
    }

    /// Waits until this theater knows so many others.
    pub(super) fn meet(
        &self,
        others: usize,
        mut check: impl FnMut() -> Result<(), BenchError>,
    ) -> Result<(), BenchError> {
        let begun = Instant::now();
        while self.network.members().len() < others {
            check()?;
            if begun.elapsed() > LIMIT {
                return Err(BenchError::Unfinished { limit: LIMIT });
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    /// Has an actor created at a member.
    pub(super) fn spawn_at<T, M>(
        &self,
        member: u64,
        kind: &str,
        arguments: &T,
    ) -> Result<ActorRef<M>, BenchError>
    where
        T: serde::Serialize,
        M: Message + serde::Serialize + serde::de::DeserializeOwned,
    {
        let created = self.network.at(id(member)).spawn(kind, arguments).map_err(runtime)?;
        created.wait_timeout(LIMIT).map_err(runtime)?.map_err(runtime)
    }
}

/// The identity of a member's theater.
pub(super) fn id(number: u64) -> TheaterId {
    TheaterId::from_bits(u128::from(number) + 1)
}

/// How a member's Zenoh finds the others, with a theater above it or without.
pub(super) fn settings(seat: &Seat) -> ZenohSettings {
    ZenohSettings {
        listen: seat.listen.clone(),
        connect: seat.connect.clone(),
        // A member that is only slow, on a loaded machine, shall not end a run.
        lease: Some(Duration::from_secs(10)),
        ..ZenohSettings::default()
    }
}

/// What the transport takes at once.
pub(super) const LARGEST_PACKET: usize = 60_000;
