//! S3 mailboxes: priority, guards; a closed mailbox waits. The stage suite has the rest.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use odeon_core::*;
use odeon_testkit::{Deterministic, for_seeds};

/// Mailbox 0 sets the guards of 1 to 63; those carry numbers.
enum Mail {
    Guards { mailbox: usize, open: bool },
    Number { mailbox: usize, n: u64 },
}

impl Message for Mail {
    const MAILBOXES: usize = 64;
    fn mailbox(&self) -> usize {
        match self {
            Self::Guards { .. } => 0,
            Self::Number { mailbox, .. } => *mailbox,
        }
    }
}

type Seen = Arc<Mutex<Vec<(usize, u64)>>>;

struct Clerk(Seen);

impl Actor for Clerk {
    type Msg = Mail;
    fn handle(&mut self, msg: Mail, ctx: &mut Context<'_, Self>) {
        match msg {
            Mail::Guards { mailbox, open: true } => ctx.open(mailbox),
            Mail::Guards { mailbox, open: false } => ctx.close(mailbox),
            Mail::Number { mailbox, n } => {
                assert!(ctx.is_open(mailbox));
                self.0.lock().unwrap().push((mailbox, n));
            }
        }
    }
}

#[test]
fn s3_sixty_four_mailboxes_are_served_by_priority() {
    let run = Deterministic::new(0);
    let seen = Seen::default();
    let clerk = run.theater().spawn(Clerk(seen.clone()));
    for n in 0..3 {
        for mailbox in (1..64).rev() {
            clerk.send(Mail::Number { mailbox, n }).unwrap();
        }
    }
    run.run_until_idle();
    let expected: Vec<_> = (1..64).flat_map(|mailbox| (0..3).map(move |n| (mailbox, n))).collect();
    assert_eq!(*seen.lock().unwrap(), expected);
}

/// A plain model: one queue per mailbox, the lowest open one first. The actor runs only when it is
/// told to, so that model and actor see the same backlogs.
#[test]
fn s3_any_sequence_of_guards_and_messages_agrees_with_the_model() {
    for_seeds(300, |seed| {
        let run = Deterministic::new(seed);
        let seen = Seen::default();
        let clerk = run.theater().spawn(Clerk(seen.clone()));
        let mut random = Random::from_seed(seed);
        let mut queues = vec![VecDeque::new(); 64];
        let mut open = [true; 64];
        let mut expected = Vec::new();
        for n in 0..200 {
            let mailbox = 1 + random.below(63).min(random.below(63));
            if random.below(3) == 0 {
                open[mailbox] = random.below(2) == 0;
                clerk.send(Mail::Guards { mailbox, open: open[mailbox] }).unwrap();
            } else {
                queues[mailbox].push_back(n);
                clerk.send(Mail::Number { mailbox, n }).unwrap();
            }
            if random.below(4) == 0 {
                run.run_until_idle();
                for mailbox in (1..64).filter(|&mailbox| open[mailbox]) {
                    expected.extend(queues[mailbox].drain(..).map(|n| (mailbox, n)));
                }
                assert_eq!(*seen.lock().unwrap(), expected);
            }
        }
        // What waits in closed mailboxes is not lost.
        run.run_until_idle();
        let handled = seen.lock().unwrap().len();
        let sent = expected.len() + queues.iter().map(VecDeque::len).sum::<usize>();
        assert_eq!(handled + run.shutdown().leftovers.len(), sent);
    });
}

#[test]
#[should_panic(expected = "message for mailbox 64, but its type has 64 (numbered from 0)")]
fn s3_a_message_for_a_mailbox_that_does_not_exist_is_refused() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let clerk = theater.spawn(Clerk(Seen::default()));
    let _ = clerk.send(Mail::Number { mailbox: 64, n: 0 });
}

/// A message for a mailbox that does not exist panics in whoever sends it, also by timers.
#[test]
fn s3_s12_timers_for_a_mailbox_that_does_not_exist_panic_at_the_caller() {
    #[derive(Clone)]
    struct Lost(usize);
    impl Message for Lost {
        const MAILBOXES: usize = 2;
        fn mailbox(&self) -> usize {
            self.0
        }
    }
    struct Finder(Vec<usize>);
    impl Actor for Finder {
        type Msg = Lost;
        fn handle(&mut self, Lost(mailbox): Lost, ctx: &mut Context<'_, Self>) {
            self.0.push(mailbox);
            if self.0.len() == 3 {
                ctx.stop();
            }
        }
    }
    let day = std::time::Duration::from_secs(86_400);
    let run = Deterministic::new(1);
    let finder = run.theater().spawn(Finder(Vec::new()));
    let panics: [Box<dyn FnOnce() + std::panic::UnwindSafe + '_>; 2] = [
        Box::new(std::panic::AssertUnwindSafe(|| drop(finder.send_after(day, Lost(2))))),
        Box::new(std::panic::AssertUnwindSafe(|| drop(finder.send_every(day, || Lost(2))))),
    ];
    let panics = panics.map(|arm| std::panic::catch_unwind(arm).is_err());
    assert_eq!(panics, [true, true]);
    assert_eq!(run.theater().pending_timers(), 0);

    // What names one of them is made once for each time that it is sent.
    let mut made = 0;
    let (tell, told) = std::sync::mpsc::channel();
    finder.send_every(day, move || {
        made += 1;
        let _ = tell.send(made);
        Lost(made % 2)
    });
    run.run_through_timers(10 * day);
    assert!(finder.is_stopped());
    assert_eq!(told.iter().take(3).collect::<Vec<_>>(), [1, 2, 3]);
}
