//! S23 a stepped actor handles what the test says, when it says so, in an order that S2 and S3
//! allow.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use odeon_core::*;
use odeon_testkit::{Bell, Deterministic, Faults, Ledger, Stepped, Ticket, yields};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Job {
    Urgent(u32),
    Ordinary(u32),
    Shut,
    Reopen,
    Again(u32),
    Quit,
}

impl Message for Job {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        match self {
            Self::Ordinary(_) => 1,
            _ => 0,
        }
    }
}

type Log = Arc<Mutex<Vec<Job>>>;

struct Worker(Log);

impl Actor for Worker {
    type Msg = Job;
    fn handle(&mut self, job: Job, ctx: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(job);
        match job {
            Job::Urgent(_) | Job::Ordinary(_) => {}
            Job::Shut => ctx.close(1),
            Job::Reopen => ctx.open(1),
            Job::Again(n) => ctx.send_self(Job::Urgent(n)),
            Job::Quit => ctx.stop(),
        }
    }
}

fn worker(run: &Deterministic) -> (Stepped<'_, Job>, Log) {
    let log = Log::default();
    (run.spawn_stepped(Worker(log.clone())), log)
}

fn send(to: &ActorRef<Job>, jobs: impl IntoIterator<Item = Job>) {
    jobs.into_iter().for_each(|job| to.send(job).unwrap());
}

/// What a panic of `code` says.
fn complaint(code: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(code)).expect_err("it must panic");
    panic.downcast_ref::<String>().expect("with a formatted text").clone()
}

#[test]
fn s23_only_what_is_asked_for_is_handled() {
    let run = Deterministic::new(1);
    let (worker, log) = worker(&run);
    send(&worker, [Job::Ordinary(1), Job::Ordinary(2), Job::Ordinary(3)]);
    run.run_until_idle();
    assert!(run.is_idle());
    assert_eq!((log.lock().unwrap().len(), worker.handled()), (0, 0));
    worker.expect(|job| *job == Job::Ordinary(1));
    assert!(!worker.allow(|job| *job == Job::Ordinary(3)));
    worker.disallow(|job| *job == Job::Ordinary(3));
    assert_eq!(worker.waiting(), ["Ordinary(2)", "Ordinary(3)"]);
    assert!(worker.allow(|job| *job == Job::Ordinary(2)));
    assert_eq!(*log.lock().unwrap(), [Job::Ordinary(1), Job::Ordinary(2)]);
    assert_eq!(worker.handled(), 2);
    worker.expect(|_| true);
    worker.expect_nothing();
}

#[test]
fn s23_the_next_message_is_the_one_that_guards_and_priorities_give() {
    let run = Deterministic::new(1);
    let (worker, log) = worker(&run);
    send(&worker, [Job::Ordinary(1), Job::Shut, Job::Ordinary(2), Job::Reopen, Job::Urgent(3)]);
    assert_eq!(worker.waiting()[..3], ["Shut", "Reopen", "Urgent(3)"]);
    worker.expect(|job| *job == Job::Shut);
    // Those of the closed mailbox are not selected, so they are not seen.
    assert_eq!(worker.waiting(), ["Reopen", "Urgent(3)"]);
    send(&worker, [Job::Again(4)]);
    worker.expect(|job| *job == Job::Reopen);
    worker.expect(|job| *job == Job::Urgent(3));
    worker.expect(|job| matches!(job, Job::Again(_)));
    // What it sends itself comes at the end of its mailbox, before the next one.
    worker.expect(|job| *job == Job::Urgent(4));
    worker.expect(|job| *job == Job::Ordinary(1));
    worker.expect(|job| *job == Job::Ordinary(2));
    assert_eq!(log.lock().unwrap().len(), 7);
}

#[test]
fn s23_messages_are_brought_forward_where_order_allows_it() {
    let run = Deterministic::new(1);
    let (worker, log) = worker(&run);
    send(&worker, [Job::Urgent(1), Job::Urgent(2), Job::Ordinary(3), Job::Ordinary(4)]);
    worker.bring_forward(|job| matches!(job, Job::Ordinary(_)));
    worker.bring_forward_past_other_senders(|job| *job == Job::Urgent(2));
    worker.expect(|job| *job == Job::Urgent(1));
    worker.expect(|job| *job == Job::Ordinary(4));
    let expected = [Job::Ordinary(3), Job::Urgent(2), Job::Urgent(1), Job::Ordinary(4)];
    assert_eq!(*log.lock().unwrap(), expected);

    send(&worker, [Job::Urgent(5), Job::Ordinary(6), Job::Ordinary(7)]);
    let said = complaint(|| worker.bring_forward(|job| *job == Job::Ordinary(7)));
    assert!(said.contains("a message of the same mailbox waits in front"), "{said}");
}

#[test]
fn s23_a_refusal_says_what_waits_and_which_seed() {
    let run = Deterministic::new(77);
    let (worker, _) = worker(&run);
    let said = complaint(|| worker.expect(|_| true));
    let none = "the next message is not the expected one; waiting: []; seed 77";
    assert!(said.ends_with(none), "{said}");

    send(&worker, [Job::Urgent(1), Job::Ordinary(2)]);
    let said = complaint(|| worker.disallow(|job| *job == Job::Urgent(1)));
    let two = "one that is not allowed; waiting: [Urgent(1), Ordinary(2)]; seed 77";
    assert!(said.ends_with(two), "{said}");

    send(&worker, [Job::Urgent(3)]);
    let said = complaint(|| worker.expect_nothing());
    let three = "no message was expected; waiting: [Urgent(1), Urgent(3), Ordinary(2)]; seed 77";
    assert!(said.ends_with(three), "{said}");

    let said = complaint(|| worker.bring_forward(|job| *job == Job::Quit));
    assert!(said.contains("no waiting message is the wanted one"), "{said}");

    send(&worker, [Job::Quit]);
    worker.bring_forward_past_other_senders(|job| *job == Job::Quit);
    let said = complaint(|| worker.expect(|_| true));
    assert!(said.contains("(it has ended)"), "{said}");
}

/// Failures point at the line that asked, not into the testkit.
#[test]
fn s23_a_refusal_is_reported_at_the_callers_line() {
    let place = Arc::new(Mutex::new(None));
    let noted = place.clone();
    let before = std::panic::take_hook();
    let this_thread = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == this_thread {
            let at = info.location().unwrap();
            *noted.lock().unwrap() = Some((at.file().to_owned(), at.line()));
        }
    }));
    let run = Deterministic::new(1);
    let (worker, _) = worker(&run);
    let line = line!() + 1;
    let said = complaint(|| worker.expect(|_| true));
    std::panic::set_hook(before);
    assert!(said.contains("not the expected one"));
    assert_eq!(place.lock().unwrap().take(), Some((file!().to_owned(), line)));
}

#[test]
fn s23_a_check_that_fails_loses_nothing() {
    let run = Deterministic::new(1);
    let (worker, log) = worker(&run);
    let jobs = [Job::Ordinary(1), Job::Ordinary(2)];
    send(&worker, jobs);
    complaint(|| worker.expect(|job| *job == Job::Ordinary(2)));
    complaint(|| worker.disallow(|_| true));
    complaint(|| worker.expect_nothing());
    complaint(|| worker.bring_forward(|job| *job == Job::Ordinary(2)));
    complaint(|| worker.expect(|job| panic!("cannot say of {job:?}")));
    assert_eq!(worker.waiting(), ["Ordinary(1)", "Ordinary(2)"]);
    jobs.iter().for_each(|job| worker.expect(|next| next == job));
    assert_eq!(*log.lock().unwrap(), jobs);
}

#[test]
fn s23_a_released_actor_goes_on_by_itself() {
    let run = Deterministic::new(1);
    let (worker, log) = worker(&run);
    send(&worker, [Job::Urgent(1), Job::Urgent(2)]);
    worker.expect(|_| true);
    let actor = worker.release();
    run.run_until_idle();
    actor.send(Job::Urgent(3)).unwrap();
    run.run_until_idle();
    assert_eq!(*log.lock().unwrap(), [Job::Urgent(1), Job::Urgent(2), Job::Urgent(3)]);
}

/// A stepped actor that is stopped, or its theater, accounts for what waits as any other (S4).
#[test]
fn s23_what_waits_at_the_end_is_not_lost() {
    struct Taker;
    impl Actor for Taker {
        type Msg = Ticket;
        fn handle(&mut self, ticket: Ticket, ctx: &mut Context<'_, Self>) {
            ticket.handled();
            ctx.stop();
        }
    }
    let ledger = Ledger::new();
    let builder = Theater::builder().on_dead_letter(ledger.dead_letter_hook::<Ticket>());
    let run = Deterministic::with(1, builder);
    let (one, other) = (run.spawn_stepped(Taker), run.spawn_stepped(Taker));
    for actor in [&one, &other] {
        (0..5).for_each(|_| assert!(ledger.send(actor, |ticket| ticket)));
    }
    assert_eq!((one.waiting().len(), other.waiting().len()), (5, 5));
    one.expect(|_| true);
    assert_eq!((ledger.account().handled, ledger.account().dead_lettered), (1, 4));
    ledger.take_leftovers::<Ticket>(run.shutdown());
    let account = ledger.check();
    assert_eq!((account.handled, account.dead_lettered), (1, 9));
}

#[test]
fn s23_what_waits_outlives_a_restart() {
    let run = Deterministic::new(1);
    let (log, faults) = (Log::default(), Faults::at([2]));
    let worker = {
        let (log, faults) = (log.clone(), faults.clone());
        let policy = Supervision::new();
        run.spawn_stepped_supervised(policy, move || faults.plain(Worker(log.clone())))
    };
    send(&worker, [Job::Shut, Job::Urgent(2), Job::Ordinary(3)]);
    worker.expect(|job| *job == Job::Shut);
    worker.expect(|job| *job == Job::Urgent(2));
    assert_eq!(faults.injected(), 1);
    // All mailboxes of the new state are open (S15).
    worker.expect(|job| *job == Job::Ordinary(3));
    assert_eq!(*log.lock().unwrap(), [Job::Shut, Job::Ordinary(3)]);
}

/// Waits for a bell, or for a timer by way of its own message.
struct Waiter(Arc<Mutex<Vec<&'static str>>>);

#[derive(Debug)]
enum Wait {
    For(Bell),
    Not,
}
impl Message for Wait {}

impl AsyncActor for Waiter {
    type Msg = Wait;
    async fn handle(&mut self, msg: Wait, ctx: &mut AsyncContext<'_, Self>) {
        match msg {
            Wait::For(bell) => {
                self.0.lock().unwrap().push("waits");
                bell.rings().await;
                self.0.lock().unwrap().push("goes on");
            }
            Wait::Not => {
                self.0.lock().unwrap().push("does not wait");
                ctx.stop();
            }
        }
    }
}

#[test]
fn s23_an_asynchronous_actor_has_no_next_message_while_it_waits() {
    let run = Deterministic::new(1);
    let log = Arc::default();
    let waiter = run.spawn_stepped(Waiter(Arc::clone(&log)));
    let bell = Bell::new();
    waiter.send(Wait::For(bell.clone())).unwrap();
    waiter.send(Wait::Not).unwrap();
    waiter.expect(|msg| matches!(msg, Wait::For(_)));
    assert!(waiter.is_handling());
    assert!(!waiter.allow(|_| true));
    let said = complaint(|| waiter.expect(|_| true));
    assert!(said.contains("(its handler waits)"), "{said}");
    assert_eq!(*log.lock().unwrap(), ["waits"]);
    bell.ring();
    run.run_until_idle();
    assert_eq!(*log.lock().unwrap(), ["waits"], "its turns are the test's");
    waiter.go_on();
    assert!(!waiter.is_handling());
    assert_eq!(*log.lock().unwrap(), ["waits", "goes on"]);
    waiter.expect(|msg| matches!(msg, Wait::Not));
    assert_eq!(*log.lock().unwrap(), ["waits", "goes on", "does not wait"]);
    assert!(waiter.is_stopped());
}

#[test]
fn s23_one_actor_goes_next_and_the_others_stay() {
    let run = Deterministic::new(1);
    let (logs, actors): (Vec<_>, Vec<_>) = (0..3)
        .map(|_| {
            let log = Log::default();
            (log.clone(), run.theater().spawn(Worker(log)))
        })
        .unzip();
    for actor in &actors {
        send(actor, [Job::Urgent(1), Job::Urgent(2)]);
    }
    // Its start and its first message.
    assert!(run.step_actor(&actors[1]) && run.step_actor(&actors[1]));
    let handled = || logs.iter().map(|log| log.lock().unwrap().len()).collect::<Vec<_>>();
    assert_eq!(handled(), [0, 1, 0]);
    run.run_until_idle();
    assert_eq!(handled(), [2, 2, 2]);
    assert!(!run.step_actor(&actors[1]));
}

#[test]
fn s23_a_probe_receives_in_virtual_time() {
    let run = Deterministic::new(1);
    let probe = run.probe::<u32>();
    probe.send_after(Duration::from_secs(10), 1);
    probe.expect_silence(Duration::from_secs(9));
    assert_eq!(probe.next(Duration::from_secs(2)), 1);
    assert_eq!(run.clock().now(), Duration::from_secs(10));
    let said = complaint(|| assert_eq!(probe.next(Duration::from_secs(5)), 0));
    assert!(said.contains("no message within 5s"), "{said}");
    assert_eq!(run.clock().now(), Duration::from_secs(15));
    probe.send(2).unwrap();
    let said = complaint(|| probe.expect_silence(Duration::from_secs(1)));
    assert!(said.contains("received Some(2)"), "{said}");
}

#[test]
fn s23_a_limit_may_be_as_long_as_a_duration() {
    let run = Deterministic::new(1);
    let probe = run.probe::<u32>();
    run.advance(Duration::from_secs(1));
    probe.send_after(Duration::from_secs(10), 1);
    assert_eq!(probe.next(Duration::MAX), 1);
    probe.send_after(Duration::from_secs(10), 2);
    run.run_through_timers(Duration::MAX);
    assert_eq!((run.clock().now(), probe.try_next()), (Duration::from_secs(21), Some(2)));
    let said = complaint(|| assert_eq!(probe.next(Duration::MAX), 0));
    assert!(said.contains("no message within"), "{said}");
}

/// Pipes go on with the actor itself, wrapped as it is: by steps and failures, plain and
/// asynchronous.
#[test]
fn s23_pipes_of_wrapped_actors_go_on() {
    struct Piping(Arc<Mutex<Vec<&'static str>>>);
    impl Actor for Piping {
        type Msg = Wait;
        fn handle(&mut self, _: Wait, ctx: &mut Context<'_, Self>) {
            ctx.pipe(yields(2), |this, (), _| this.0.lock().unwrap().push("plain"));
        }
    }
    impl AsyncActor for Piping {
        type Msg = Wait;
        async fn handle(&mut self, _: Wait, ctx: &mut AsyncContext<'_, Self>) {
            ctx.pipe(yields(2), |this, (), _| this.0.lock().unwrap().push("asynchronous"));
        }
    }
    let run = Deterministic::new(1);
    let log = Arc::<Mutex<Vec<_>>>::default();
    let plain = run.spawn_stepped(Faults::none().plain(Piping(log.clone())));
    let asynchronous = run.spawn_stepped(Faults::none().waiting(Piping(log.clone())));
    for (actor, name) in [(&plain, "plain"), (&asynchronous, "asynchronous")] {
        actor.send(Wait::Not).unwrap();
        actor.expect(|_| true);
        run.run_until_idle();
        assert_eq!(*log.lock().unwrap(), [""; 0], "its turns are the test's");
        actor.go_on();
        assert_eq!(std::mem::take(&mut *log.lock().unwrap()), [name]);
    }
}
