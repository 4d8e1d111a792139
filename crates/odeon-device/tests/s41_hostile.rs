//! S41 with users' code that panics wherever it runs, also in destructors, and with settings of
//! extreme sizes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use odeon_core::{Access, Message, Supervision, Theater};
use odeon_device::*;

use crate::support::{Bomb, explode, in_time, wait_for};

/// What explodes, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Nothing,
    Memory,
    Started,
    StartedError,
    Handler,
    Error,
    Alone,
    Stopped,
}

struct Exploding {
    at: At,
    done: Arc<AtomicUsize>,
    armed: Arc<AtomicBool>,
    _bomb: Option<Bomb>,
}

/// A device that explodes when it is dropped.
struct Unstable {
    host: HostDevice,
    at: At,
    armed: Arc<AtomicBool>,
    _bomb: Option<Bomb>,
}

impl Device for Unstable {
    type Buffer = HostBuffer;
    fn name(&self) -> &str {
        "unstable"
    }
    fn memory(&self) -> &Memory {
        if self.at == At::Memory && self.armed.swap(false, SeqCst) {
            explode();
        }
        self.host.memory()
    }
    fn allocate(&mut self, bytes: usize) -> Result<HostBuffer, DeviceError> {
        self.host.allocate(bytes)
    }
    fn upload(&mut self, bytes: &[u8]) -> Result<HostBuffer, DeviceError> {
        self.host.upload(bytes)
    }
    fn write(&mut self, buffer: &mut HostBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
        self.host.write(buffer, bytes)
    }
    fn download(&mut self, buffer: &HostBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
        self.host.download(buffer, into)
    }
    fn synchronize(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}

enum To {
    One,
    Loud(Arc<AtomicBool>),
    #[allow(dead_code, reason = "for its end")]
    Armed(Bomb),
}

impl Message for To {
    fn access(&self) -> Access {
        match self {
            Self::Loud(armed) if armed.swap(false, SeqCst) => explode(),
            _ => Access::Update,
        }
    }
}

impl DeviceActor for Exploding {
    type Msg = To;
    type Device = Unstable;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, To>,
        _: &mut Unstable,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        if self.at == At::Handler && self.armed.swap(false, SeqCst) {
            explode();
        }
        if self.at == At::Error && self.armed.swap(false, SeqCst) {
            return Err(DeviceError::Lost("it is gone".into()));
        }
        while let Some(message) = batch.take() {
            self.done.fetch_add(1, SeqCst);
            drop(message);
        }
        Ok(())
    }

    fn started(
        &mut self,
        _: &mut Unstable,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        match self.at {
            At::Started if self.armed.swap(false, SeqCst) => explode(),
            At::StartedError if self.armed.swap(false, SeqCst) => {
                Err(DeviceError::Lost("it does not start".into()))
            }
            _ => Ok(()),
        }
    }

    fn stopped(&mut self, _: &mut Unstable) {
        if self.at == At::Stopped {
            explode();
        }
    }
}

struct Lab {
    actor: DeviceRef<To>,
    done: Arc<AtomicUsize>,
}

fn lab(theater: &Theater, at: At, batching: Batching) -> Lab {
    let (done, armed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
    let counts = done.clone();
    let supervision = Supervision::new().restarts(5, Duration::from_secs(600));
    let actor = theater
        .spawn_device_supervised("unstable", supervision, batching, move || {
            let bomb = || (at != At::Nothing).then(|| Bomb);
            let device =
                Unstable { host: HostDevice::new(100), at, armed: armed.clone(), _bomb: bomb() };
            let (done, armed) = (counts.clone(), armed.clone());
            Ok((Exploding { at, done, armed, _bomb: bomb() }, device))
        })
        .unwrap();
    Lab { actor, done }
}

#[test]
fn s41_an_actor_and_its_device_may_explode_together() {
    use At::*;
    for at in [Memory, Started, StartedError, Handler, Error, Alone, Stopped] {
        in_time(move || {
            let theater = Theater::new().unwrap();
            let Lab { actor, done } = lab(&theater, at, Batching::new().at_most(4));
            if at == Alone {
                actor.send(To::Loud(Arc::new(AtomicBool::new(true)))).unwrap();
            }
            for _ in 0..10 {
                actor.send(To::One).unwrap();
            }
            wait_for(|| done.load(SeqCst) >= 10);
            actor.stop();
            wait_for(|| actor.is_stopped());
            let report = theater.shutdown(Duration::from_secs(20));
            assert!(report.leftovers.is_empty(), "{at:?}");
        });
    }
}

#[test]
fn s41_messages_that_explode_are_done_once() {
    in_time(|| {
        let theater = Theater::new().unwrap();
        let Lab { actor, done } = lab(&theater, At::Nothing, Batching::new().at_most(8));
        for _ in 0..4 {
            actor.send(To::Armed(Bomb)).unwrap();
            actor.send(To::One).unwrap();
        }
        wait_for(|| done.load(SeqCst) == 8);
        for _ in 0..50 {
            actor.send(To::Armed(Bomb)).unwrap();
        }
        wait_for(|| actor.is_stopped());
    });
}

#[test]
fn s41_windows_and_batches_of_extreme_size() {
    let (most, long) = (usize::MAX, Duration::MAX);
    for batching in [
        Batching::new().at_most(most).window(Duration::ZERO).awake(Duration::ZERO),
        Batching::new().at_most(1).window(long),
        Batching::new().at_most(most).window(Duration::ZERO).awake(long),
        Batching::new().at_most(4).window(long).awake(long),
    ] {
        in_time(move || {
            let theater = Theater::new().unwrap();
            let Lab { actor, done } = lab(&theater, At::Nothing, batching.clone());
            for _ in 0..8 {
                actor.send(To::One).unwrap();
            }
            wait_for(|| done.load(SeqCst) == 8);
            actor.send(To::One).unwrap();
            actor.stop();
            wait_for(|| actor.is_stopped());
            let Lab { actor, .. } = lab(&theater, At::Nothing, batching);
            actor.send(To::One).unwrap();
            drop(theater.shutdown(Duration::from_secs(2)));
            assert!(actor.is_stopped());
        });
    }
}
