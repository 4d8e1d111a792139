//! S40 by a real broker: work that is done in processes elsewhere.

use crate::support::job::{Does, Job, What, numbers};
use crate::support::process::{self, WorkerProcess};
use crate::support::stranger::Stranger;
use crate::support::{LONG, Numbers, broker, until};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use odeon_device::{DeviceError, Worker};
use odeon_rabbitmq::{Asking, Queue, RabbitWorker, Served, Serving, Stop, serve};
use std::cell::RefCell;
use std::thread;
use std::time::Duration;

fn asking() -> Asking {
    Asking { answer_within: LONG, ..Asking::default() }
}

fn client(queue: &Queue) -> RabbitWorker<Job> {
    RabbitWorker::connect(queue, asking()).unwrap()
}

#[test]
fn s40_results_come_and_inputs_go_once_to_each_process() {
    const NAME: &str = "s40_results_come_and_inputs_go_once_to_each_process";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("results");
    let mut client = client(&queue);
    assert_eq!(client.served_by(), Ok(0));
    let _processes = [1, 3].map(|at_once| WorkerProcess::start(NAME, &queue, at_once));
    until("both serve", || client.served_by() == Ok(2));
    // One of no bytes, a small one, one that goes in several parts.
    let inputs = [numbers(0), numbers(100), numbers(1_500_000)];
    let mut asked = 0;
    odeon_testkit::for_seeds(20, |seed| {
        let mut random = Numbers::from_seed(seed);
        let pieces = 1 + random.below(client_at_once());
        let mut batch: Vec<_> = (0..pieces)
            .map(|_| Job::sum(&inputs[random.below(3) as usize], random.below(1_000)))
            .collect();
        let mut client = RabbitWorker::connect(&queue, asking()).unwrap();
        client.work(&mut batch).unwrap();
        batch.iter().for_each(Job::is_right);
        let counts = client.counts();
        assert_eq!((counts.sent, counts.answered, counts.dropped), (pieces, pieces, 0));
    });
    // The same client for all: what the processes do not have by now they ask for once.
    for _ in 0..10 {
        let mut batch: Vec<_> =
            (0..16).map(|factor| Job::sum(&inputs[factor as usize % 3], factor)).collect();
        client.work(&mut batch).unwrap();
        batch.iter().for_each(Job::is_right);
        asked = client.counts().inputs;
    }
    assert!(asked <= 2 * 3, "{asked} inputs for two processes and three inputs");
    let again = numbers(1_500_000);
    client.work(&mut [Job::sum(&again, 2)]).unwrap();
    assert!(client.counts().inputs <= 6, "equal inputs are one");
}

fn client_at_once() -> u64 {
    Asking::default().at_once as u64
}

#[test]
fn s40_processes_that_are_killed_leave_their_work_to_others() {
    const NAME: &str = "s40_processes_that_are_killed_leave_their_work_to_others";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("killed");
    let asking = Asking { most_tries: 20, ..asking() };
    let input = numbers(1_000);
    let client = RabbitWorker::connect(&queue, asking).unwrap();
    let processes = [1, 2].map(|at_once| WorkerProcess::start(NAME, &queue, at_once));
    let state = RefCell::new((client, processes));
    odeon_testkit::for_seeds(6, |seed| {
        let (client, processes) = &mut *state.borrow_mut();
        let mut random = Numbers::from_seed(seed);
        let mut batch: Vec<_> = (0..16)
            .map(|factor| Job::new(&input, What::Slowly { factor, ms: random.below(40) }))
            .collect();
        let (kills, which) = (random.below(400), random.below(2) as usize);
        let before = client.counts();
        thread::scope(|scope| {
            let working = scope.spawn(|| client.work(&mut batch));
            thread::sleep(Duration::from_millis(kills));
            processes[which].kill();
            processes[which] = WorkerProcess::start(NAME, &queue, 1);
            working.join().unwrap().unwrap();
        });
        batch.iter().for_each(Job::is_right);
        assert_eq!(client.counts().answered - before.answered, 16);
        println!("seed {seed}: {:?}", client.counts());
    });
}

#[test]
fn s40_a_broker_that_is_gone_is_told_and_one_that_is_back_is_found() {
    const NAME: &str = "s40_a_broker_that_is_gone_is_told_and_one_that_is_back_is_found";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::start(NAME) else { return };
    let queue = broker.queue("gone and back");
    let input = numbers(1_000);
    let mut client = client(&queue);
    let mut process = WorkerProcess::start(NAME, &queue, 1);
    client.work(&mut [Job::sum(&input, 1)]).unwrap();

    let mut batch: Vec<_> =
        (0..4).map(|factor| Job::new(&input, What::Slowly { factor, ms: 2_000 })).collect();
    let error = thread::scope(|scope| {
        let working = scope.spawn(|| client.work(&mut batch));
        thread::sleep(Duration::from_millis(300));
        broker.kill();
        working.join().unwrap().unwrap_err()
    });
    assert!(matches!(error, DeviceError::Disconnected(_)) && error.is_transient(), "{error:?}");
    assert!(error.to_string().contains(&broker.place()), "{error}");
    // There is none: the work stays with the caller.
    let error = client.work(&mut batch).unwrap_err();
    assert!(matches!(error, DeviceError::Disconnected(_)), "{error:?}");
    assert!(error.to_string().contains(&format!("no broker at {}", broker.place())), "{error}");

    broker.begin().unwrap();
    until("the broker lets the client in", || match client.work(&mut batch) {
        Ok(()) => true,
        Err(DeviceError::Disconnected(_)) => false,
        Err(error) => panic!("{error}"),
    });
    batch.iter().for_each(Job::is_right);
    assert!(client.counts().connections >= 2);
    assert!(!process.has_ended(), "it has found the broker again, too");
}

#[test]
fn s40_what_cannot_be_done_comes_back_after_some_tries() {
    const NAME: &str = "s40_what_cannot_be_done_comes_back_after_some_tries";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("poison");
    let input = numbers(10);
    let mut client = client(&queue);
    let mut processes = [1, 2, 1, 2].map(|at_once| WorkerProcess::start(NAME, &queue, at_once));
    client.work(&mut [Job::sum(&input, 1)]).unwrap();

    let fails = What::Fails("line 3".to_owned());
    let error = client.work(&mut [Job::sum(&input, 1), Job::new(&input, fails)]).unwrap_err();
    let said = "the kernel does not compile: line 3 (tried 3 times in worker processes)";
    assert_eq!(error.to_string(), said);
    let error = client.work(&mut [Job::new(&input, What::LosesItsDevice)]).unwrap_err();
    assert!(matches!(error, DeviceError::Lost(_)), "{error:?}");
    assert!(error.to_string().contains("pulled out (tried 3 times"), "{error}");
    assert!(!processes.iter_mut().any(WorkerProcess::has_ended));

    // Each process that gets it ends: three of the four.
    let error = client.work(&mut [Job::new(&input, What::Dies)]).unwrap_err();
    assert!(error.to_string().contains("a worker process ended"), "{error}");
    assert!(error.to_string().contains("tried 3 times"), "{error}");
    // The broker may have noticed before the system has.
    let mut ended = || processes.iter_mut().filter_map(|it| it.has_ended().then_some(())).count();
    until("three have ended", || ended() >= 3);
    assert_eq!(ended(), 3);
    let mut job = [Job::sum(&input, 7)];
    client.work(&mut job).unwrap();
    job[0].is_right();
}

#[test]
fn s40_what_strangers_send_is_put_aside() {
    const NAME: &str = "s40_what_strangers_send_is_put_aside";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("strangers");
    let mut client = client(&queue);
    let stranger = Stranger::at(&queue);
    let mut random = Numbers::from_seed(1);
    for length in [0, 1, 2, 3, 40, 500] {
        // The last ones look like requests at their beginning.
        let mut bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        bytes
            .iter_mut()
            .zip([0x0d, 1])
            .take(if length > 3 { 2 } else { 0 })
            .for_each(|(a, b)| *a = b);
        stranger.publishes("strangers", &bytes, BasicProperties::default());
    }
    let answers = stranger.own_queue();
    let properties = BasicProperties::default()
        .with_reply_to(answers.as_str().into())
        .with_correlation_id("mine".into());
    stranger.publishes("strangers", b"hello", properties);
    // Or the client's request may come before it.
    until("all are there", || stranger.waiting("strangers") == 7);

    let _process = WorkerProcess::start(NAME, &queue, 2);
    let mut job = [Job::sum(&numbers(10), 3)];
    client.work(&mut job).unwrap();
    job[0].is_right();
    assert_eq!(stranger.waiting("strangers.dead"), 7);
    let (_, properties) = stranger.takes("strangers.dead").unwrap();
    let reason = match properties.headers().as_ref().unwrap().inner().get("x-odeon-reason") {
        Some(AMQPValue::LongString(reason)) => reason.to_string(),
        other => panic!("{other:?}"),
    };
    assert!(reason.contains("not one of Odeon's"), "{reason}");
    let (_, properties) = stranger.takes(&answers).expect("who says where is answered");
    assert_eq!(properties.correlation_id().as_ref().unwrap().as_str(), "mine");
    assert_eq!(stranger.waiting("strangers"), 0);
}

#[test]
fn s40_results_that_come_twice_count_once() {
    const NAME: &str = "s40_results_that_come_twice_count_once";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("twice");
    let mut client = client(&queue);
    let stranger = Stranger::at(&queue);
    let mut batch = [1, 2].map(|factor| Job::sum(&numbers(4), factor));
    // `Reply::Done` of a list with the one number 6: each as an answer of its own.
    let answer = |_: &[u8]| vec![0x0d, 1, 0, 2, 1, 6];
    thread::scope(|scope| {
        scope.spawn(|| stranger.answers("twice", 2, 3, answer));
        client.work(&mut batch).unwrap();
    });
    assert_eq!(batch.each_ref().map(|job| job.result[0]), [6, 6]);
    // Those that came late come now.
    thread::scope(|scope| {
        let mut more = [Job::sum(&numbers(4), 1)];
        scope.spawn(|| stranger.answers("twice", 1, 1, answer));
        client.work(&mut more).unwrap();
    });
    let counts = client.counts();
    assert_eq!((counts.answered, counts.dropped), (3, 4));
}

#[test]
fn s40_sizes_have_limits() {
    const NAME: &str = "s40_sizes_have_limits";
    if process::is_one() {
        return process::run();
    }
    let Some(broker) = broker::shared(NAME) else { return };
    let mut queue = broker.queue("sizes");
    queue.largest_message = 10_000;
    let stop = Stop::default();
    thread::scope(|scope| {
        let serving =
            scope.spawn(|| serve(&queue, &Serving::default(), Does { at_once: 2 }, &stop));
        let mut client = client(&queue);
        let input = numbers(20_000);
        let error = client.work(&mut [Job::new(&input, What::Bytes(vec![1; 10_000]))]).unwrap_err();
        assert!(matches!(error, DeviceError::Invalid(_)), "{error:?}");
        assert!(error.to_string().contains("may have 10000"), "{error}");
        let error = client.work(&mut [Job::new(&input, What::Zeros(10_000))]).unwrap_err();
        assert!(error.to_string().contains("a result has 1000"), "{error}");
        // Inputs are not limited by that.
        let mut jobs = [Job::sum(&input, 1), Job::new(&input, What::Bytes(vec![1; 9_000]))];
        client.work(&mut jobs).unwrap();
        jobs[0].is_right();
        assert_eq!(jobs[1].result, [9_000]);
        stop.ask();
        let served = serving.join().unwrap().unwrap();
        assert_eq!((served.done, served.failed, served.inputs), (2, 1, 1));
    });
}

#[test]
fn s40_a_process_that_is_stopped_puts_back_what_it_has_not_begun() {
    const NAME: &str = "s40_a_process_that_is_stopped_puts_back_what_it_has_not_begun";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("stopped");
    let (input, first, second) = (numbers(10), Stop::default(), Stop::default());
    // One try only: what is put back must not count as tried.
    let mut client = RabbitWorker::connect(&queue, Asking { most_tries: 1, ..asking() }).unwrap();
    let slow = |factor| Job::new(&input, What::Slowly { factor, ms: 300 });
    let mut batch = [0, 1, 2, 3].map(slow);
    let serving = Serving { ahead: 3, ..Serving::default() };
    let served = thread::scope(|scope| {
        let working = scope.spawn(|| client.work(&mut batch));
        let serve = |stop| {
            let (queue, serving) = (&queue, &serving);
            scope.spawn(move || serve(queue, serving, Does { at_once: 1 }, stop))
        };
        let one = serve(&first);
        thread::sleep(Duration::from_millis(100));
        first.ask();
        let one = one.join().unwrap().unwrap();
        let two = serve(&second);
        working.join().unwrap().unwrap();
        second.ask();
        [one, two.join().unwrap().unwrap()]
    });
    batch.iter().for_each(Job::is_right);
    assert_eq!(served.iter().map(|served: &Served| served.done).sum::<u64>(), 4);
    assert!(served.iter().all(|served| served.again == 0), "{served:?}");
}

#[test]
fn s40_a_queue_that_nobody_serves_is_told() {
    const NAME: &str = "s40_a_queue_that_nobody_serves_is_told";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("nobody");
    let asking = Asking { answer_within: Duration::from_millis(200), ..Asking::default() };
    let mut client = RabbitWorker::<Job>::connect(&queue, asking).unwrap();
    let error = client.work(&mut [Job::sum(&numbers(1), 1)]).unwrap_err();
    assert!(matches!(error, DeviceError::Lost(_)), "{error:?}");
    assert!(error.to_string().contains("in the queue `nobody` at 127.0.0.1:"), "{error}");
    // Without a connection, too, it ends where nothing may wait.
    tokio::runtime::Runtime::new().unwrap().block_on(async { drop(client) });
    // It has been dropped by the broker as well.
    let stranger = Stranger::at(&queue);
    until("the request has expired", || stranger.waiting("nobody") == 0);
}

#[test]
fn s40_a_broker_that_lets_nobody_in_says_so() {
    const NAME: &str = "s40_a_broker_that_lets_nobody_in_says_so";
    let Some(broker) = broker::shared(NAME) else { return };
    let uri = format!("amqp://guest:hunter2@{}/%2f", broker.place());
    let error = RabbitWorker::<Job>::connect(&Queue::new(&uri, "q"), asking()).err().unwrap();
    let said = error.to_string();
    assert!(matches!(error, DeviceError::Unavailable(_)), "{error:?}");
    assert!(said.contains(&broker.place()) && said.contains("refuses user `guest`"), "{said}");
    assert!(!format!("{error:?}").contains("hunter2"), "{said}");
    let served =
        serve(&Queue::new(&uri, "q"), &Serving::default(), Does { at_once: 1 }, &Stop::default());
    assert_eq!(served, Err(error), "it does not try for long");

    let _durable = client(&broker.queue("other kind"));
    let other = Queue { durable: false, ..broker.queue("other kind") };
    let error = RabbitWorker::<Job>::connect(&other, asking()).err().unwrap();
    assert!(matches!(error, DeviceError::Invalid(_)), "{error:?}");
}
