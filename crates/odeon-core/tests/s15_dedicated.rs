//! S15 on a thread of an actor's own: restarts, their pauses, and failures that are errors.

use std::error::Error;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::ThreadId;
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::silent_panic;

const SOON: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

#[derive(Debug, PartialEq, Eq)]
struct OutOfPaper(u32);

impl fmt::Display for OutOfPaper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} sheets are missing", self.0)
    }
}

impl Error for OutOfPaper {}

enum Print {
    Page(Reply<ThreadId>),
    Jam(u32),
}
impl Message for Print {}

struct Printer;
impl Actor for Printer {
    type Msg = Print;
    fn handle(&mut self, msg: Print, _: &mut Context<'_, Self>) {
        match msg {
            Print::Page(reply) => reply.send(std::thread::current().id()),
            Print::Jam(sheets) => extend::fail_with(OutOfPaper(sheets)),
        }
    }
}

/// A printer of its own thread, and a note for each time that it is made.
fn printer(theater: &Theater, supervision: Supervision) -> (ActorRef<Print>, Receiver<()>) {
    let (made, times): (Sender<()>, _) = channel();
    let make = move || {
        made.send(()).unwrap();
        Printer
    };
    (theater.actor().dedicated("printer").supervised(supervision).spawn(make).unwrap(), times)
}

#[test]
fn s15_a_dedicated_actor_is_made_anew_on_its_thread_and_keeps_its_messages() {
    let theater = Theater::new().unwrap();
    let policy = Supervision::new().restarts(10, HOUR).pauses(Duration::ZERO, Duration::ZERO);
    let (printer, times) = printer(&theater, policy);
    let first = printer.ask(Print::Page);
    for sheets in 1..=5 {
        printer.send(Print::Jam(sheets)).unwrap();
    }
    let last = printer.ask(Print::Page);
    let (first, last) = (first.wait_timeout(SOON).unwrap(), last.wait_timeout(SOON).unwrap());
    assert_eq!((first, times.try_iter().count()), (last, 6));
}

#[test]
fn s15_a_dedicated_actor_pauses_before_it_is_made_anew_and_a_stop_ends_the_pause() {
    let theater = Theater::new().unwrap();
    let pause = Duration::from_millis(20);
    let (brief, times) = printer(&theater, Supervision::new().pauses(pause, pause));
    let begun = std::time::Instant::now();
    brief.send(Print::Jam(1)).unwrap();
    brief.send(Print::Jam(2)).unwrap();
    assert!(brief.ask(Print::Page).wait_timeout(SOON).is_ok());
    assert!(begun.elapsed() >= pause, "it has paused before the second restart");
    assert_eq!(times.try_iter().count(), 3);

    let (long, times) = printer(&theater, Supervision::new().pauses(HOUR, HOUR));
    long.send(Print::Jam(1)).unwrap();
    long.send(Print::Jam(2)).unwrap();
    let page = long.ask(Print::Page);
    for _ in 0..2 {
        times.recv_timeout(SOON).unwrap();
    }
    let mut ended = long.ended();
    assert_eq!(ended.wait_timeout(Duration::from_millis(30)), Err(Elapsed));
    long.stop();
    assert_eq!(ended.wait_timeout(SOON).unwrap().reason(), EndReason::Stopped);
    assert_eq!(page.wait_timeout(SOON), Err(AskError::NoReply));
    assert!(times.try_recv().is_err(), "it was not made anew for that");
}

#[test]
fn s15_a_failure_may_be_an_error() {
    struct Hears(Sender<String>);
    impl Observer for Hears {
        fn actor_failed(&self, _: ActorId, panic: &(dyn std::any::Any + Send)) {
            self.0.send(extend::text_of(panic).unwrap().into()).unwrap();
        }
    }
    let (out, heard) = channel();
    let theater = Theater::builder().observer(std::sync::Arc::new(Hears(out))).build().unwrap();
    let policy = Supervision::new().decide(|failure| {
        let error = failure.error().and_then(|error| error.downcast_ref::<OutOfPaper>());
        match error {
            Some(OutOfPaper(1)) => Directive::Restart,
            Some(_) => Directive::Stop,
            None => unreachable!("it fails by nothing else"),
        }
    });
    let (printer, _times) = printer(&theater, policy);
    let mut ended = printer.ended();
    printer.send(Print::Jam(1)).unwrap();
    printer.send(Print::Jam(3)).unwrap();
    let ended = ended.wait_timeout(SOON).unwrap();
    assert_eq!(
        (ended.reason(), ended.failure()),
        (EndReason::Failed, Some("3 sheets are missing"))
    );
    assert_eq!(
        heard.try_iter().collect::<Vec<_>>(),
        ["1 sheets are missing", "3 sheets are missing"]
    );
}

#[test]
fn s15_an_actor_that_is_never_made_leaves_no_thread_behind() {
    let theater = Theater::builder().stats(true).build().unwrap();
    let stages = || theater.stats().expect("switched on").stages.len();
    let before = stages();
    let make = || -> Printer { silent_panic("no paper") };
    let spawn = || theater.actor().dedicated("printer").supervised(Supervision::new()).spawn(make);
    assert!(catch_unwind(AssertUnwindSafe(spawn)).is_err());
    assert_eq!(stages(), before);
}
