//! S41: device memory belongs to the actor, and is freed with it, however it ends.

use std::time::Duration;

use crate::support::{self, Maker, PATIENCE, To};
use odeon_core::{Directive, EndReason, Supervision, Theater};
use odeon_device::*;

fn stops() -> Supervision {
    Supervision::new().always(Directive::Stop)
}

#[test]
fn s41_data_stays_on_the_device_between_messages() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let actor = theater.spawn_device("stays", Batching::new(), make).unwrap();
    for number in 1..=100 {
        actor.send(To::Number(number)).unwrap();
    }
    assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(5_050));
    assert_eq!((maker.used(), actor.stats().memory), (4, Some((4, 1_000))));
    assert_eq!(maker.faults.count(Step::Allocate), 1, "nothing but the sum was ever allocated");
}

#[test]
fn s41_too_much_memory_is_an_error_that_the_handler_gets() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let actor = theater.spawn_device("greedy", Batching::new(), make).unwrap();
    let allocate = |bytes| actor.ask(|reply| To::Allocate(bytes, reply)).wait_timeout(PATIENCE);
    assert_eq!(allocate(900), Ok(Ok(())));
    let asked = Err(DeviceError::OutOfMemory { asked: 97, available: 96 });
    assert_eq!(allocate(97), Ok(asked));
    let asked = 1 << 45;
    let too_much = Err(DeviceError::OutOfMemory { asked, available: 96 });
    assert_eq!(allocate(asked as usize), Ok(too_much));
    assert_eq!(allocate(96), Ok(Ok(())));
    assert_eq!((maker.used(), maker.book.opened()), (1_000, 1), "and the actor goes on");
    support::stop_and_wait(&actor);
    assert_eq!(maker.used(), 0);
}

/// By a stop from outside or from inside, an error, a panic, the last reference, the end of the
/// theater.
#[test]
fn s41_memory_is_freed_however_the_actor_ends() {
    let panics = || Fault::Panic("as the script says".into());
    let ends: [(&str, Faults, EndReason); 5] = [
        ("stop", Faults::new(), EndReason::Stopped),
        ("stops itself", Faults::new(), EndReason::Stopped),
        ("lost", Faults::new().lost_at(Step::Launch, 2), EndReason::Failed),
        ("panic", Faults::new().at(Step::Launch, 2, panics()), EndReason::Failed),
        ("unreachable", Faults::new(), EndReason::Stopped),
    ];
    for (how, faults, reason) in ends {
        let theater = Theater::new().unwrap();
        let maker = Maker::new(faults);
        let make = {
            let maker = maker.clone();
            move || maker.make()
        };
        let actor =
            theater.spawn_device_supervised("ends", stops(), Batching::new(), make).unwrap();
        let filled = actor.ask(|reply| To::Allocate(500, reply)).wait_timeout(PATIENCE);
        assert_eq!((filled, maker.used()), (Ok(Ok(())), 504));
        let mut ended = actor.ended();
        match how {
            "stop" => actor.stop(),
            "stops itself" => actor.send(To::Stop).unwrap(),
            "unreachable" => {}
            _ => actor.send(To::Number(1)).unwrap(),
        }
        drop(actor);
        let ended = ended.wait_timeout(PATIENCE).expect("it ends");
        assert_eq!((ended.reason(), maker.used()), (reason, 0), "{how}");
    }
    let maker = Maker::new(Faults::new());
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let theater = Theater::new().unwrap();
    let actor = theater.spawn_device("shut down", Batching::new(), make).unwrap();
    assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(0));
    assert!(theater.shutdown(Duration::from_secs(5)).drained);
    assert_eq!(maker.used(), 0);
}

#[test]
fn s41_a_restart_frees_what_the_lost_session_had() {
    let theater = Theater::new().unwrap();
    let maker = Maker::new(Faults::new().lost_at(Step::Launch, 3));
    let make = {
        let maker = maker.clone();
        move || maker.make()
    };
    let batching = Batching::new().at_most(1);
    let actor = theater.spawn_device("again", batching, make).unwrap();
    let filled = actor.ask(|reply| To::Allocate(500, reply)).wait_timeout(PATIENCE);
    assert_eq!((filled, maker.used()), (Ok(Ok(())), 504));
    actor.send(To::Number(1)).unwrap();
    actor.send(To::Number(2)).unwrap();
    assert_eq!(actor.ask(To::Sum).wait_timeout(PATIENCE), Ok(2), "a new session begins anew");
    assert_eq!((maker.used(), maker.book.opened()), (4, 2));
}

/// The order is that of the fields of a session: buffers before their device, also if an actor's
/// drop panics.
#[test]
fn s41_buffers_are_dropped_before_their_device_also_by_a_panic() {
    use std::sync::{Arc, Mutex};
    type Log = Arc<Mutex<Vec<&'static str>>>;
    struct Tells(HostDevice, Log);
    impl Drop for Tells {
        fn drop(&mut self) {
            self.1.lock().unwrap().push("device");
        }
    }
    impl Device for Tells {
        type Buffer = HostBuffer;
        fn name(&self) -> &str {
            self.0.name()
        }
        fn memory(&self) -> &Memory {
            self.0.memory()
        }
        fn allocate(&mut self, bytes: usize) -> Result<HostBuffer, DeviceError> {
            self.0.allocate(bytes)
        }
        fn upload(&mut self, bytes: &[u8]) -> Result<HostBuffer, DeviceError> {
            self.0.upload(bytes)
        }
        fn write(&mut self, buffer: &mut HostBuffer, bytes: &[u8]) -> Result<(), DeviceError> {
            self.0.write(buffer, bytes)
        }
        fn download(&mut self, buffer: &HostBuffer, into: &mut [u8]) -> Result<(), DeviceError> {
            self.0.download(buffer, into)
        }
        fn synchronize(&mut self) -> Result<(), DeviceError> {
            self.0.synchronize()
        }
    }
    struct Holds(Option<HostBuffer>, Log);
    impl Drop for Holds {
        fn drop(&mut self) {
            drop(self.0.take());
            self.1.lock().unwrap().push("buffers");
            odeon_testkit::silent_panic("in a destructor");
        }
    }
    impl DeviceActor for Holds {
        type Msg = ();
        type Device = Tells;
        fn handle(
            &mut self,
            batch: &mut Batch<'_, ()>,
            _: &mut Tells,
            _: &mut DeviceContext<'_, Self>,
        ) -> Result<(), DeviceError> {
            batch.finish(drop);
            Ok(())
        }
    }
    let theater = Theater::new().unwrap();
    let log = Log::default();
    let make = {
        let log = log.clone();
        move || {
            let mut device = Tells(HostDevice::new(8), log.clone());
            Ok((Holds(Some(device.allocate(8)?), log.clone()), device))
        }
    };
    let actor = theater.spawn_device("drops", Batching::new(), make).unwrap();
    support::wait_for(|| actor.stats().memory == Some((8, 8)));
    support::stop_and_wait(&actor);
    assert_eq!(*log.lock().unwrap(), ["buffers", "device"]);
    assert_eq!(actor.stats().memory, Some((0, 8)));
}
