//! S40 where there is no broker.

use crate::support::job::{Does, Job};
use odeon_device::DeviceError;
use odeon_rabbitmq::{Asking, Queue, RabbitWorker, Serving, Stop, serve};
use std::net::TcpListener;
use std::thread;
use std::time::Duration;

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn s40_no_broker_is_told_with_its_place_and_without_the_password() {
    let port = free_port();
    let queue = Queue::new(format!("amqp://me:hunter2@127.0.0.1:{port}/%2f"), "q");
    let error = RabbitWorker::<Job>::connect(&queue, Asking::default()).err().unwrap();
    let said = error.to_string();
    assert!(matches!(error, DeviceError::Unavailable(_)), "{error:?}");
    assert!(said.contains(&format!("no broker at 127.0.0.1:{port}")), "{said}");
    assert!(!said.contains("hunter2") && !said.contains("me:"), "{said}");

    // Time for one attempt at least.
    let serving = Serving { patience: Duration::from_secs(2), ..Serving::default() };
    let served = serve(&queue, &serving, Does { at_once: 1 }, &Stop::default());
    assert_eq!(served, Err(error));
}

#[test]
fn s40_one_that_says_nothing_is_not_waited_for_long() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut queue = Queue::new(format!("amqp://127.0.0.1:{port}/%2f"), "q");
    queue.connect_within = Duration::from_millis(200);
    let error = RabbitWorker::<Job>::connect(&queue, Asking::default()).err().unwrap();
    assert!(error.to_string().contains("answers within 200ms"), "{error}");
}

#[test]
fn s40_whoever_looks_for_a_broker_can_be_stopped() {
    let queue = Queue::new(format!("amqp://127.0.0.1:{}/%2f", free_port()), "q");
    let stop = Stop::default();
    thread::scope(|scope| {
        let serving =
            scope.spawn(|| serve(&queue, &Serving::default(), Does { at_once: 1 }, &stop));
        thread::sleep(Duration::from_millis(50));
        stop.ask();
        assert_eq!(serving.join().unwrap().unwrap().connections, 0);
    });
}
