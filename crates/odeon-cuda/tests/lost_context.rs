//! A kernel that does what the device forbids: everything is told as lost from then on, and a new session finds the device again.
//! Each test is in a process of its own, and says what it has found even if it passes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::{Directive, Message, Reply, Theater};
use odeon_cuda::{Argument, CudaDevice, Function, Grid};
use odeon_device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, DeviceFailure, DeviceRef,
    DeviceStats, SpawnOnDevice, device_supervision,
};
use odeon_testkit::OwnProcess;

mod support;
use support::{kernel, launch, open, plus_one, say, works};

/// Compilers, contexts and a card that others use too: far more than all of it takes.
const LONG: Duration = Duration::from_secs(150);

fn is_lost<T: std::fmt::Debug>(what: &str, result: Result<T, DeviceError>) {
    assert!(
        matches!(&result, Err(error @ DeviceError::Lost(_)) if error.is_transient()),
        "{what}: {result:?}"
    );
}

/// Launches a kernel that ends in a fault, and answers what a session is told then.
fn fault(device: &mut CudaDevice, name: &str) -> DeviceError {
    let wrong = kernel(device, name).expect("it compiles");
    let mut words = device.upload(&[0; 64]).expect("there is room");
    // WHY: nothing is known of it yet, or it has failed already.
    let told = launch(device, &wrong, &mut words).and_then(|()| device.synchronize());
    told.expect_err("the device forbids that")
}

/// Has a session lose its device, and asks it for everything afterwards.
fn lose(mut device: CudaDevice, name: &str) {
    works(&mut device);
    let add_one = kernel(&mut device, "add_one").expect("it compiles");
    let module = device.compile("failing.cu", support::FAILING, &[]).expect("it compiles");
    let mut kept = device.upload(&[0; 12]).expect("there is room");
    let mark = device.mark().expect("it is not lost");
    let told = fault(&mut device, name);
    say(&format!("found: {name}: {told}"));
    is_lost("what was launched", Err::<(), _>(told));
    is_lost("launch", launch(&mut device, &add_one, &mut kept));
    is_lost("allocate", device.allocate(4));
    is_lost("allocate more than there is", device.allocate(1 << 50));
    is_lost("allocate nothing", device.allocate(0));
    is_lost("upload", device.upload(&[1]));
    is_lost("write", device.write(&mut kept, &[1]));
    is_lost("write nothing", device.write(&mut kept, &[]));
    is_lost("download", device.download(&kept, &mut [0; 12]));
    is_lost("synchronize", device.synchronize());
    is_lost("compile", device.compile("failing.cu", support::FAILING, &[]));
    is_lost("mark", device.mark());
    is_lost("between", device.between(&mark, &mark));
    is_lost("synchronize again", device.synchronize());
    let memory = device.memory().clone();
    drop(kept);
    assert_eq!(memory.used(), 0);
    // In any order.
    drop((add_one, device, mark, module));
}

/// What becomes of a new session, which must work.
fn finds_it_again(when: &str) -> CudaDevice {
    let opened = CudaDevice::open(0, None).and_then(|mut device| {
        let sums = plus_one(&mut device, &[1, 2])?;
        Ok((device, sums))
    });
    match opened {
        Ok((mut device, sums)) => {
            assert_eq!(sums, [2, 3]);
            works(&mut device);
            say(&format!("found: {when}: a new session works"));
            device
        }
        Err(error) => {
            say(&format!("found: {when}: NO new session works in this process: {error}"));
            panic!("{when}: {error}");
        }
    }
}

fn a_fault(test: &str, name: &str) {
    OwnProcess::run(test, LONG, || {
        let Some(device) = open(test) else { return };
        lose(device, name);
        // Twice, since the second one finds what the first has left.
        let device = finds_it_again(&format!("after {name}, all sessions dropped"));
        lose(device, name);
        finds_it_again(&format!("after {name} again, all sessions dropped"));
    });
}

#[test]
fn after_a_trap_a_new_session_works() {
    a_fault("after_a_trap_a_new_session_works", "trap");
}

#[test]
fn after_an_illegal_address_a_new_session_works() {
    a_fault("after_an_illegal_address_a_new_session_works", "stray");
}

#[test]
fn after_a_misaligned_address_a_new_session_works() {
    a_fault("after_a_misaligned_address_a_new_session_works", "misaligned");
}

/// One that does not know of the fault yet, with memory and a kernel.
#[test]
fn a_session_that_nobody_uses_does_not_keep_others_from_the_device() {
    const NAME: &str = "a_session_that_nobody_uses_does_not_keep_others_from_the_device";
    OwnProcess::run(NAME, LONG, || {
        let Some(mut idle) = open(NAME) else { return };
        let device = CudaDevice::open(0, None).expect("one is open");
        let mut words = idle.upload(&[0; 12]).expect("there is room");
        let add_one = kernel(&mut idle, "add_one").expect("it compiles");
        lose(device, "stray");
        let mut own = finds_it_again("after stray, an idle session has the broken context");
        let mut other = finds_it_again("once more, beside that one");
        // What happens to the idle one does not reach them.
        let told = launch(&mut idle, &add_one, &mut words).and_then(|()| idle.synchronize());
        say(&format!("found: the idle session: {told:?}"));
        is_lost("the idle session", told);
        works(&mut own);
        drop((words, add_one, idle));
        works(&mut own);
        works(&mut other);
        drop(own);
        works(&mut other);
        let mut shared = finds_it_again("after the idle session has gone");
        works(&mut other);
        // A fault in a context of its own is nothing to who has the shared one.
        let told = fault(&mut other, "stray");
        say(&format!("found: a fault in a context of its own: {told}"));
        is_lost("a context of its own", Err::<(), _>(told));
        works(&mut shared);
        drop(other);
        works(&mut shared);
    });
}

/// A number and one more. One of them ends in a fault, once.
struct Add(u32, Reply<u32>);
impl Message for Add {}

struct Adder {
    add_one: Function,
    faults: Arc<AtomicU32>,
}

impl DeviceActor for Adder {
    type Msg = Add;
    type Device = CudaDevice;

    fn handle(
        &mut self,
        batch: &mut Batch<'_, Add>,
        device: &mut CudaDevice,
        _: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let numbers: Vec<u32> = batch.messages().iter().map(|Add(number, _)| *number).collect();
        let mut there = device.upload(&support::words(&numbers))?;
        let kernel = match self.faults.swap(0, Ordering::SeqCst) {
            0 => self.add_one.clone(),
            _ => kernel(device, "stray")?,
        };
        let grid = Grid::of(numbers.len() as u32, 128);
        device.launch(&kernel, grid, &mut [Argument::Write(&mut there)])?;
        let mut sums = vec![0; 4 * numbers.len()];
        device.download(&there, &mut sums)?;
        let mut sums = sums.chunks_exact(4).map(|it| u32::from_ne_bytes(it.try_into().unwrap()));
        batch.finish(|Add(_, reply)| reply.send(sums.next().expect("one for each")));
        Ok(())
    }
}

type Told = Arc<Mutex<Vec<String>>>;

fn adder(theater: &Theater, faults: &Arc<AtomicU32>, told: &Told) -> DeviceRef<Add> {
    let (faults, told) = (faults.clone(), told.clone());
    let make = move || {
        let mut device = CudaDevice::open(0, None)?;
        let add_one = kernel(&mut device, "add_one")?;
        Ok((Adder { add_one, faults: faults.clone() }, device))
    };
    // The default, which also notes what it is told.
    let policy = device_supervision().decide(move |failure| {
        let failure = DeviceFailure::of(failure).expect("the error itself");
        told.lock().unwrap().push(format!("{}, {} left", failure.error(), failure.left()));
        Directive::Restart
    });
    let batching = Batching::new().window(Duration::from_millis(1));
    theater.spawn_device_supervised("adder", policy, batching, make).unwrap()
}

fn ask(adder: &DeviceRef<Add>, numbers: std::ops::Range<u32>, told: &Told) {
    let asks: Vec<_> = numbers.clone().map(|n| (n, adder.ask(|reply| Add(n, reply)))).collect();
    for (n, ask) in asks {
        let answer = ask.wait_timeout(Duration::from_secs(60));
        let told = told.lock().unwrap();
        assert_eq!(answer.ok(), Some(n + 1), "told: {told:?}; {}", adder.stats());
    }
}

/// What is counted of an actor, once it has counted that many messages: that is after their answers.
fn stats(adder: &DeviceRef<Add>, messages: u64) -> DeviceStats {
    let until = Instant::now() + Duration::from_secs(30);
    while adder.stats().messages != messages && Instant::now() < until {
        thread::yield_now();
    }
    adder.stats()
}

#[test]
fn an_actor_is_made_anew_and_handles_what_was_kept() {
    const NAME: &str = "an_actor_is_made_anew_and_handles_what_was_kept";
    OwnProcess::run(NAME, LONG, || {
        if open(NAME).is_none() {
            return;
        }
        let theater = Theater::new().unwrap();
        let (faults, told) = (Arc::new(AtomicU32::new(0)), Told::default());
        let adder = adder(&theater, &faults, &told);
        for round in 0..3 {
            faults.store(1, Ordering::SeqCst);
            ask(&adder, 20 * round..20 * (round + 1), &told);
        }
        let stats = stats(&adder, 60);
        say(&format!("found: an actor: {stats}; told {:?}", told.lock().unwrap()));
        assert_eq!((stats.messages, stats.sessions, stats.failures), (60, 4, 3));
    });
}

/// Of two actors one has the fault; the other one learns of it by its next message.
#[test]
fn actors_that_share_a_context_are_all_made_anew() {
    const NAME: &str = "actors_that_share_a_context_are_all_made_anew";
    OwnProcess::run(NAME, LONG, || {
        if open(NAME).is_none() {
            return;
        }
        let theater = Theater::new().unwrap();
        let (faults, never) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (told, told_other) = (Told::default(), Told::default());
        let (one, other) = (adder(&theater, &faults, &told), adder(&theater, &never, &told_other));
        ask(&one, 0..10, &told);
        ask(&other, 0..10, &told_other);
        faults.store(1, Ordering::SeqCst);
        ask(&one, 10..30, &told);
        ask(&other, 10..30, &told_other);
        ask(&one, 30..40, &told);
        let [one, other] = [stats(&one, 40), stats(&other, 30)];
        say(&format!("found: the one with the fault: {one}; told {:?}", told.lock().unwrap()));
        say(&format!("found: the other one: {other}; told {:?}", told_other.lock().unwrap()));
        assert_eq!((one.messages, other.messages), (40, 30));
        assert_eq!((one.failures, other.failures), (1, 1));
    });
}
