//! S40: what strangers send, and what cannot be done for ever, keeps no worker process from its
//! work.

use crate::support::job::{Does, Job, What, numbers};
use crate::support::stranger::{Stranger, request};
use crate::support::{LONG, broker, until};
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use odeon_device::{DeviceError, Worker};
use odeon_rabbitmq::{Asking, Portable, Queue, RabbitWorker, Served, Serving, Stop, serve};
use std::thread;
use std::time::Duration;

/// Longer than anything here takes; shorter than worker processes wait for inputs.
const SHORTER: Duration = Duration::from_secs(40);

fn client(queue: &Queue) -> RabbitWorker<Job> {
    let asking = Asking { answer_within: SHORTER, ..Asking::default() };
    RabbitWorker::connect(queue, asking).unwrap()
}

/// Serves the queue meanwhile, one piece at a time.
fn while_served(queue: &Queue, serving: Serving, what: impl FnOnce()) -> Served {
    /// Also if `what` panics.
    struct AtTheEnd<'a>(&'a Stop);
    impl Drop for AtTheEnd<'_> {
        fn drop(&mut self) {
            self.0.ask();
        }
    }
    let stop = Stop::default();
    thread::scope(|scope| {
        let served = scope.spawn(|| serve(queue, &serving, Does { at_once: 1 }, &stop));
        let end = AtTheEnd(&stop);
        what();
        drop(end);
        served.join().unwrap().unwrap()
    })
}

fn properties(answers: &str) -> BasicProperties {
    BasicProperties::default().with_reply_to(answers.into()).with_correlation_id("1".into())
}

/// Has what is published go to another queue, too.
fn copied(to: &str) -> FieldTable {
    let mut headers = FieldTable::default();
    headers
        .insert("CC".into(), AMQPValue::FieldArray(vec![AMQPValue::LongString(to.into())].into()));
    headers
}

fn says(answer: &[u8]) -> String {
    String::from_utf8_lossy(answer).into_owned()
}

#[test]
fn s40_what_is_long_or_copied_breaks_no_connection() {
    const NAME: &str = "s40_what_is_long_or_copied_breaks_no_connection";
    let Some(broker) = broker::shared(NAME) else { return };
    let mut queue = broker.queue("long");
    queue.largest_message = 300_000;
    let mut client = client(&queue);
    let stranger = Stranger::at(&queue);
    let answers = stranger.own_queue();
    // What is wrong with it does not fit into a frame of headers.
    let kind = "k".repeat(200_000);
    stranger.publishes("long", &request(&kind, 0, 3, &[], &[]), BasicProperties::default());
    // A dead letter that would come back to the queue.
    let copied = BasicProperties::default().with_headers(copied("long"));
    stranger.publishes("long", b"hello", copied);
    // Larger than a message may be.
    let kind = "k".repeat(400_000);
    stranger.publishes("long", &request(&kind, 0, 3, &[], &[]), properties(&answers));
    // Asking for its inputs is larger than a message may be.
    let mut inputs = vec![[7; 32]; 9_374];
    inputs.iter_mut().zip(0u16..).for_each(|(id, n)| id[..2].copy_from_slice(&n.to_le_bytes()));
    let many = request(Job::KIND, 0, 1, &inputs, &[]);
    assert!(many.len() <= 300_000 && many.len() + 17 > 300_000, "{}", many.len());
    stranger.publishes("long", &many, properties(&answers));
    // Or the client's request may come before them.
    until("all are there", || stranger.waiting("long") == 4);

    let served = while_served(&queue, Serving::default(), || {
        let mut job = [Job::sum(&numbers(10), 3)];
        client.work(&mut job).unwrap();
        job[0].is_right();
    });
    assert_eq!((served.done, served.failed, served.unreadable), (1, 1, 3));
    assert_eq!(served.connections, 1);
    for _ in 0..2 {
        let (answer, _) = stranger.takes(&answers).expect("who says where is answered");
        assert!(says(&answer).contains("may have 300000"), "{}", says(&answer));
    }
    assert_eq!((stranger.waiting("long"), stranger.waiting("long.dead")), (0, 2));
}

#[test]
fn s40_tries_have_a_limit_whatever_a_request_says() {
    const NAME: &str = "s40_tries_have_a_limit_whatever_a_request_says";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("tries");
    let _declares_it = client(&queue);
    let stranger = Stranger::at(&queue);
    let answers = stranger.own_queue();
    // With an input that nobody sends.
    for tries in [u32::MAX, 998] {
        let request = request(Job::KIND, tries, u32::MAX, &[[7; 32]], &[]);
        stranger.publishes("tries", &request, properties(&answers));
    }
    let serving = Serving { inputs_within: Duration::from_millis(20), ..Serving::default() };
    // What it asks for, three times; and two answers.
    let served = while_served(&queue, serving, || {
        until("both have been given up", || stranger.waiting(&answers) == 5);
    });
    assert_eq!((served.again, served.failed, served.connections), (1, 2, 1));
}

#[test]
fn s40_a_request_that_grows_by_its_failure_comes_back_as_others_do() {
    const NAME: &str = "s40_a_request_that_grows_by_its_failure_comes_back_as_others_do";
    let Some(broker) = broker::shared(NAME) else { return };
    let mut queue = broker.queue("grows");
    queue.largest_message = 10_000;
    let mut client = client(&queue);
    let served = while_served(&queue, Serving::default(), || {
        let log = What::Fails("line 3".repeat(1_600));
        let error = client.work(&mut [Job::new(&numbers(3), log)]).unwrap_err();
        assert!(matches!(error, DeviceError::Kernel(_)), "{error:?}");
        assert!(error.to_string().contains("tried 3 times"), "{error}");
        client.work(&mut [Job::sum(&numbers(3), 1)]).unwrap();
    });
    let counts = (served.again, served.failed, served.done, served.connections);
    assert_eq!(counts, (2, 1, 1, 1));
}

#[test]
fn s40_a_queue_that_cannot_be_served_ends_serving() {
    const NAME: &str = "s40_a_queue_that_cannot_be_served_ends_serving";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("unserved");
    let stranger = Stranger::at(&queue);
    stranger.declares_for_all("unserved.dead");
    let served = serve(&queue, &Serving::default(), Does { at_once: 1 }, &Stop::default());
    let error = served.unwrap_err();
    assert!(matches!(error, DeviceError::Invalid(_)), "{error:?}");
    assert!(error.to_string().contains("`unserved.dead`"), "{error}");

    // Another one may let it go: that is waited for.
    let queue = broker.queue("kept");
    let _declares_it = client(&queue);
    let _kept = stranger.keeps_for_itself("kept");
    // Time for one attempt at least.
    let serving = Serving { patience: Duration::from_secs(5), ..Serving::default() };
    let error = serve(&queue, &serving, Does { at_once: 1 }, &Stop::default()).unwrap_err();
    assert!(error.to_string().contains("ACCESS_REFUSED"), "{error}");
}

#[test]
fn s40_what_is_left_of_a_call_that_failed_is_not_waited_for() {
    const NAME: &str = "s40_what_is_left_of_a_call_that_failed_is_not_waited_for";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("left");
    let asking = Asking { answer_within: SHORTER, most_tries: 1, ..Asking::default() };
    let mut client = RabbitWorker::<Job>::connect(&queue, asking).unwrap();
    let serving = Serving { inputs_within: LONG, ..Serving::default() };
    let served = while_served(&queue, serving, || {
        let mut batch: Vec<_> = (1..9).map(|count| Job::sum(&numbers(count), 1)).collect();
        batch[0].what = What::Fails("line 3".to_owned());
        client.work(&mut batch).unwrap_err();
        let mut job = [Job::sum(&numbers(20), 1)];
        client.work(&mut job).unwrap();
        job[0].is_right();
    });
    assert_eq!((served.again, served.connections), (0, 1));
}

#[test]
fn s40_an_answer_that_the_broker_does_not_take_keeps_no_place() {
    const NAME: &str = "s40_an_answer_that_the_broker_does_not_take_keeps_no_place";
    let Some(broker) = broker::shared(NAME) else { return };
    let queue = broker.queue("untaken");
    let mut client = client(&queue);
    let stranger = Stranger::at(&queue);
    let (full, other) = (stranger.full_queue(), stranger.own_queue());
    let input = numbers(10);
    // One place alone.
    let served = while_served(&queue, Serving { ahead: 0, ..Serving::default() }, || {
        client.work(&mut [Job::sum(&input, 1)]).unwrap();
        let id = postcard::to_allocvec(&input.id()).unwrap().try_into().unwrap();
        let work = postcard::to_allocvec(&What::Sum { factor: 2 }).unwrap();
        let request = request(Job::KIND, 0, 2, &[id], &work);
        stranger.publishes("untaken", &request, properties(&full).with_headers(copied(&other)));
        let mut job = [Job::sum(&input, 3)];
        // Long enough for the other one to be tried, put back and given up.
        for _ in 0..50 {
            client.work(&mut job).unwrap();
            job[0].is_right();
        }
    });
    assert_eq!((served.again, served.failed, served.connections), (1, 1, 1));
    assert_eq!(stranger.waiting("untaken"), 0);
    assert_eq!(stranger.waiting(&other), 1, "what is put back is not copied");
}
