//! How a device actor comes to be, and what its maker holds.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use odeon_core::{ActorRef, Message, StageError, Supervision, Theater};

use crate::batching::Batching;
use crate::device_actor::DeviceActor;
use crate::device_actor::on_device::DevicePlan;
use crate::error::DeviceError;
use crate::stats::{DeviceStats, DeviceTally};

/// How device actors are supervised by default: made anew, the first time at once, and then after
/// 10 ms, 20 ms and so on up to 2 s. That goes on for two minutes, in which a driver or a broker
/// has been started again; if all else takes no time, that is 68 times, counted over ten minutes.
pub fn device_supervision() -> Supervision {
    let (shortest, longest) = (Duration::from_millis(10), Duration::from_secs(2));
    Supervision::new().restarts(68, Duration::from_secs(600)).pauses(shortest, longest)
}

/// Creates device actors in a theater, each with a thread of its own, which ends with it.
pub trait SpawnOnDevice {
    /// Creates a device actor that is made anew when it fails, as [`device_supervision`] says.
    /// `make` makes the actor and its session with the device, on the actor's thread: at first, and
    /// for each restart.
    ///
    /// # Errors
    /// If the thread cannot be started. A session that cannot be opened is a failure of the actor.
    fn spawn_device<A: DeviceActor>(
        &self,
        name: &str,
        batching: Batching,
        make: impl Fn() -> Result<(A, A::Device), DeviceError> + Send + Sync + 'static,
    ) -> Result<DeviceRef<A::Msg>, StageError> {
        self.spawn_device_supervised(name, device_supervision(), batching, make)
    }

    /// As [`spawn_device`](Self::spawn_device), with a supervision that decides what a failure
    /// leads to. Its pauses are kept: the thread waits, and messages wait.
    ///
    /// # Errors
    /// As [`spawn_device`](Self::spawn_device).
    fn spawn_device_supervised<A: DeviceActor>(
        &self,
        name: &str,
        supervision: Supervision,
        batching: Batching,
        make: impl Fn() -> Result<(A, A::Device), DeviceError> + Send + Sync + 'static,
    ) -> Result<DeviceRef<A::Msg>, StageError>;
}

impl SpawnOnDevice for Theater {
    fn spawn_device_supervised<A: DeviceActor>(
        &self,
        name: &str,
        supervision: Supervision,
        batching: Batching,
        make: impl Fn() -> Result<(A, A::Device), DeviceError> + Send + Sync + 'static,
    ) -> Result<DeviceRef<A::Msg>, StageError> {
        let plan = DevicePlan::new(batching, make);
        let tally = plan.tally();
        let actor =
            self.actor().dedicated(name).supervised(supervision).spawn(move || plan.actor())?;
        Ok(DeviceRef { actor, tally })
    }
}

/// The address of a device actor, and the way to see what it does. It is an [`ActorRef`] in all
/// other respects.
pub struct DeviceRef<M: Message> {
    actor: ActorRef<M>,
    tally: Arc<DeviceTally>,
}

impl<M: Message> DeviceRef<M> {
    /// The plain address.
    pub fn actor_ref(&self) -> ActorRef<M> {
        self.actor.clone()
    }

    /// What the actor has done so far.
    pub fn stats(&self) -> DeviceStats {
        self.tally.stats()
    }
}

impl<M: Message> Deref for DeviceRef<M> {
    type Target = ActorRef<M>;

    fn deref(&self) -> &ActorRef<M> {
        &self.actor
    }
}

impl<M: Message> Clone for DeviceRef<M> {
    fn clone(&self) -> Self {
        Self { actor: self.actor.clone(), tally: self.tally.clone() }
    }
}

impl<M: Message> fmt::Debug for DeviceRef<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceRef").field(&self.actor.id()).finish()
    }
}
