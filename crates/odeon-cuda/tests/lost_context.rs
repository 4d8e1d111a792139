//! A kernel that does what the device forbids: everything is told as lost from then on. A new
//! session finds the device again, or is told that the driver lets this process have it no more;
//! another process has it in any case. What the driver itself makes of it: `after_a_fault.rs`.
//!
//! Each test is in a process of its own, and says what it has found even if it passes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use odeon_core::{Ask, AskError, Directive, Message, Reply, Theater};
use odeon_cuda::{Argument, CudaDevice, Function, Grid};
use odeon_device::{
    Batch, Batching, Device, DeviceActor, DeviceContext, DeviceError, DeviceFailure, DeviceRef,
    DeviceStats, SpawnOnDevice, device_supervision,
};
use odeon_testkit::OwnProcess;

mod support;
use support::{fresh_session_works, kernel, launch, open, plus_one, say, works};

/// Compilers, contexts and a card that others use too: far more than all of it takes.
const LONG: Duration = Duration::from_secs(60);

/// Does a test in a process of its own, and sees then that another process has the device.
fn in_a_process(test: &str, body: impl FnOnce()) {
    let begun = Instant::now();
    OwnProcess::run(test, LONG, body);
    if OwnProcess::is_of(test) {
        return;
    }
    say(&format!("found: {test}: a process for {:?}", begun.elapsed()));
    match fresh_session_works(LONG) {
        // It is said by the test.
        Err(DeviceError::Unavailable(_)) => {}
        other => say(&format!("found: another process after that: {:?}", other.expect("it works"))),
    }
}

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

/// A new session, which must work; nothing if it is told that the process has to be another one.
fn finds_it_again(when: &str) -> Option<CudaDevice> {
    let opened = CudaDevice::open(0, None).and_then(|mut device| {
        let sums = plus_one(&mut device, &[1, 2])?;
        Ok((device, sums))
    });
    match opened {
        Ok((mut device, sums)) => {
            assert_eq!(sums, [2, 3]);
            works(&mut device);
            say(&format!("found: {when}: a new session works"));
            Some(device)
        }
        Err(error) => {
            say(&format!("found: {when}: NO new session works in this process: {error}"));
            assert!(is_for_good(&error.to_string()), "{when}: {error}");
            is_lost(when, Err::<(), _>(error));
            None
        }
    }
}

/// Whether an error says that a new process is needed.
fn is_for_good(error: &str) -> bool {
    error.contains("opening CUDA device 0") && error.contains("a new process has the device")
}

fn a_fault(test: &str, name: &str) {
    in_a_process(test, || {
        let Some(device) = open(test) else { return };
        lose(device, name);
        // Twice, since the second one finds what the first has left.
        let when = format!("after {name}, all sessions dropped");
        match finds_it_again(&when) {
            Some(device) => lose(device, name),
            // It is told again, however often somebody asks.
            None => assert!(finds_it_again(&when).is_none(), "it was for good"),
        }
        finds_it_again(&format!("after {name} again, all sessions dropped"));
    });
}

#[test]
fn after_a_trap_a_new_session_works_or_says_why_not() {
    a_fault("after_a_trap_a_new_session_works_or_says_why_not", "trap");
}

#[test]
fn after_an_illegal_address_a_new_session_works_or_says_why_not() {
    a_fault("after_an_illegal_address_a_new_session_works_or_says_why_not", "stray");
}

#[test]
fn after_a_misaligned_address_a_new_session_works_or_says_why_not() {
    a_fault("after_a_misaligned_address_a_new_session_works_or_says_why_not", "misaligned");
}

/// One that does not know of the fault yet, with memory and a kernel.
#[test]
fn a_session_that_nobody_uses_does_not_keep_others_from_the_device() {
    const NAME: &str = "a_session_that_nobody_uses_does_not_keep_others_from_the_device";
    in_a_process(NAME, || {
        let Some(mut idle) = open(NAME) else { return };
        let device = CudaDevice::open(0, None).expect("one is open");
        let mut words = idle.upload(&[0; 12]).expect("there is room");
        let add_one = kernel(&mut idle, "add_one").expect("it compiles");
        lose(device, "stray");
        let own = finds_it_again("after stray, an idle session has the broken context");
        let other = finds_it_again("once more, beside that one");
        // What happens to the idle one does not reach them.
        let told = launch(&mut idle, &add_one, &mut words).and_then(|()| idle.synchronize());
        say(&format!("found: the idle session: {told:?}"));
        is_lost("the idle session", told);
        let (Some(mut own), Some(mut other)) = (own, other) else {
            drop((words, add_one, idle));
            finds_it_again("after the idle session has gone");
            return;
        };
        works(&mut own);
        drop((words, add_one, idle));
        works(&mut own);
        works(&mut other);
        drop(own);
        works(&mut other);
        let shared = finds_it_again("after the idle session has gone");
        let mut shared = shared.expect("others work");
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

/// With the pauses between them long enough for another actor to let go of what is broken.
const MOST_REFUSALS: usize = 8;

fn adder(theater: &Theater, faults: &Arc<AtomicU32>, told: &Told) -> DeviceRef<Add> {
    let (faults, told) = (faults.clone(), told.clone());
    let make = move || {
        let mut device = CudaDevice::open(0, None)?;
        let add_one = kernel(&mut device, "add_one")?;
        Ok((Adder { add_one, faults: faults.clone() }, device))
    };
    // The default, which also notes what it is told, and does not go on for two minutes if the
    // driver lets nobody have the device again.
    let policy = device_supervision().decide(move |failure| {
        let failure = DeviceFailure::of(failure).expect("the error itself");
        let mut told = told.lock().unwrap();
        told.push(format!("{}, {} left", failure.error(), failure.left()));
        let refusals = told.iter().rev().take_while(|told| is_for_good(told)).count();
        if refusals < MOST_REFUSALS { Directive::Restart } else { Directive::Stop }
    });
    let batching = Batching::new().window(Duration::from_millis(1));
    theater.spawn_device_supervised("adder", policy, batching, make).unwrap()
}

/// Asks an actor; `answers` waits for what it says to that.
fn ask(adder: &DeviceRef<Add>, numbers: std::ops::Range<u32>) -> Asked {
    numbers.map(|n| (n, adder.ask(|reply| Add(n, reply)))).collect()
}

type Asked = Vec<(u32, Ask<u32>)>;

/// How many were answered: all, or, if the driver lets nobody have the device again, those before.
/// Nobody waits for ever.
fn answers(asked: Asked, adder: &DeviceRef<Add>, told: &Told) -> usize {
    let mut answered = 0;
    for (n, ask) in asked {
        let answer = ask.wait_timeout(Duration::from_secs(20));
        let told = told.lock().unwrap();
        match answer {
            Ok(sum) => assert_eq!(sum, n + 1),
            Err(error) => {
                let is_for_good = told.last().is_some_and(|told| is_for_good(told));
                let state = format!("{n}: {error:?}; told: {told:?}; {}", adder.stats());
                assert!(is_for_good && error != AskError::Timeout, "{state}");
                continue;
            }
        }
        answered += 1;
    }
    answered
}

/// What is counted of an actor, once it has counted that many messages: that is after their
/// answers.
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
    in_a_process(NAME, || {
        if open(NAME).is_none() {
            return;
        }
        let theater = Theater::new().unwrap();
        let (faults, told) = (Arc::new(AtomicU32::new(0)), Told::default());
        let adder = adder(&theater, &faults, &told);
        assert_eq!(answers(ask(&adder, 0..20), &adder, &told), 20);
        let mut answered = 20;
        for round in 1..4 {
            faults.store(1, Ordering::SeqCst);
            answered += answers(ask(&adder, 20 * round..20 * (round + 1)), &adder, &told);
        }
        let stats = stats(&adder, answered as u64);
        say(&format!(
            "found: an actor: {answered} answers, {stats}; told {:?}",
            told.lock().unwrap()
        ));
        assert_eq!(stats.messages, answered as u64);
        match answered {
            80 => assert_eq!((stats.sessions, stats.failures, stats.refused), (4, 3, 0)),
            _ => assert_eq!((stats.sessions, stats.failures), (1, 1)),
        }
        let report = theater.shutdown(Duration::from_secs(5));
        assert_eq!(report.stuck, 0);
    });
}

/// Of two actors one has the fault; the other one learns of it by its next message.
#[test]
fn actors_that_share_a_context_are_all_made_anew() {
    const NAME: &str = "actors_that_share_a_context_are_all_made_anew";
    in_a_process(NAME, || {
        if open(NAME).is_none() {
            return;
        }
        let theater = Theater::new().unwrap();
        let (faults, never) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let (told, told_other) = (Told::default(), Told::default());
        let (one, other) = (adder(&theater, &faults, &told), adder(&theater, &never, &told_other));
        assert_eq!(answers(ask(&one, 0..10), &one, &told), 10);
        assert_eq!(answers(ask(&other, 0..10), &other, &told_other), 10);
        faults.store(1, Ordering::SeqCst);
        let asked = ask(&one, 10..30);
        while faults.load(Ordering::SeqCst) == 1 {
            thread::yield_now();
        }
        // It learns of the fault now, so that the broken context is let go of.
        thread::sleep(Duration::from_millis(50));
        let asked_other = ask(&other, 10..30);
        let answered = 10 + answers(asked, &one, &told);
        let answered_other = 10 + answers(asked_other, &other, &told_other);
        let [one, other] = [stats(&one, answered as u64), stats(&other, answered_other as u64)];
        say(&format!("found: the one with the fault: {one}; told {:?}", told.lock().unwrap()));
        say(&format!("found: the other one: {other}; told {:?}", told_other.lock().unwrap()));
        assert_eq!((one.messages, other.messages), (answered as u64, answered_other as u64));
        assert_eq!((one.failures, other.failures), (1, 1));
        assert_eq!(
            answered == 30,
            answered_other == 30,
            "the device is there for both, or for none"
        );
        let report = theater.shutdown(Duration::from_secs(5));
        assert_eq!(report.stuck, 0);
    });
}
