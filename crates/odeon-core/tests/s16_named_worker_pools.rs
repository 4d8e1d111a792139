//! S16: worker pools with names, and questions to worker pools with deadlines.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::s10_replies::block_on;
use odeon_core::*;

const SOON: Duration = Duration::from_secs(20);

struct Clerk(usize);

enum Work {
    Who(Reply<usize>),
    Wait(Arc<AtomicBool>, Reply<usize>),
}

impl Message for Work {}

impl Actor for Clerk {
    type Msg = Work;
    fn handle(&mut self, work: Work, _ctx: &mut Context<'_, Self>) {
        match work {
            Work::Who(reply) => reply.send(self.0),
            Work::Wait(go, reply) => {
                reply.send(self.0);
                while !go.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
            }
        }
    }
}

#[test]
fn s16_a_worker_pool_is_found_by_its_name_which_keeps_its_members() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let pool = theater.actor().supervised(Supervision::new()).pool(2, Routing::RoundRobin, Clerk);
    let members = pool.members();
    theater.register_worker_pool("clerks", &pool).unwrap();
    let taken = theater.register_worker_pool("clerks", &pool).unwrap_err();
    assert_eq!((taken.name(), taken.by()), ("clerks", None));
    assert_eq!(taken.to_string(), "the name `clerks` is taken by a worker pool");
    assert!(theater.lookup::<Work>("clerks").is_err(), "actors have names of their own");
    theater.register("clerks", &members[0]).unwrap();
    assert!(theater.unregister("clerks"));
    drop((pool, members));

    let Err(LookupError::OtherType(other)) = theater.worker_pool::<u8>("clerks") else {
        panic!("found")
    };
    assert_eq!((other.named(), other.asked()), (std::any::type_name::<Work>(), "u8"));
    let found = theater.worker_pool::<Work>("clerks").unwrap();
    assert_eq!(found.len(), 2);
    assert!(found.ask(Work::Who).wait().is_ok());

    let weak: Vec<_> = found.members().iter().map(ActorRef::downgrade).collect();
    assert!(theater.unregister_worker_pool("clerks"));
    assert!(!theater.unregister_worker_pool("clerks"));
    assert!(theater.worker_pool::<Work>("clerks").is_err());
    drop(found);
    let begun = Instant::now();
    while weak.iter().any(|member| member.upgrade().is_some()) {
        assert!(begun.elapsed() < SOON, "nobody has the pool any more");
        std::thread::yield_now();
    }
}

#[test]
fn s16_a_name_does_not_keep_a_worker_pool_behind_the_end_of_its_theater() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let kept = Arc::new(());
    let held = kept.clone();
    let pool = theater.actor().supervised(Supervision::new()).pool(
        1,
        Routing::RoundRobin,
        move |number| {
            let _ = &held;
            Clerk(number)
        },
    );
    theater.register_worker_pool("clerks", &pool).unwrap();
    drop(pool);
    let _ = theater.shutdown(SOON);
    assert_eq!(Arc::strong_count(&kept), 1, "what makes its members is gone");
}

#[test]
fn s16_a_question_to_a_worker_pool_can_have_a_deadline() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let pool = theater.actor().supervised(Supervision::new()).pool(1, Routing::LeastLoaded, Clerk);
    assert_eq!(block_on(pool.ask_within(SOON, Work::Who)), Ok(0));
    let go = Arc::new(AtomicBool::new(false));
    let busy = pool.ask(|reply| Work::Wait(go.clone(), reply));
    let late = block_on(pool.ask_within(Duration::from_millis(20), Work::Who));
    go.store(true, Ordering::SeqCst);
    assert_eq!((busy.wait(), late), (Ok(0), Err(AskError::Timeout)));
    pool.stop();
    assert_eq!(block_on(pool.ask_within(SOON, Work::Who)), Err(AskError::Stopped));
}
