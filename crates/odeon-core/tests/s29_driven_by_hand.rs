//! S29: the functions by which the core gives an actor its turns are safe. Who calls them out of
//! turn gets a panic, and nobody gets the state to write while somebody reads it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use odeon_core::extend::Behavior;
use odeon_core::*;

/// Who is at the state of one actor, and how often two were that must not be.
#[derive(Default)]
struct Gauge {
    readers: AtomicUsize,
    writes: AtomicBool,
    clashes: AtomicUsize,
    reads: AtomicUsize,
}

struct Watched(Arc<Gauge>);

struct Look;
struct Change(Work);
type Work = Box<dyn FnOnce(&mut WriteContext<'_, Watched>) + Send>;
impl Message for Look {}
impl Message for Change {}

fn spend() {
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_micros(100) {
        std::hint::spin_loop();
    }
}

impl Watched {
    fn write_alone(&mut self) {
        let Gauge { readers, writes, clashes, .. } = &*self.0;
        let clash = writes.swap(true, SeqCst) || readers.load(SeqCst) > 0;
        spend();
        clashes.fetch_add(usize::from(clash || readers.load(SeqCst) > 0), SeqCst);
        writes.store(false, SeqCst);
    }
}

impl ReadWriteActor for Watched {
    type Read = Look;
    type Write = Change;

    fn started(&mut self, _: &mut WriteContext<'_, Self>) {
        self.write_alone();
    }

    fn stopped(&mut self) {
        self.write_alone();
    }

    fn read(&self, Look: Look, _: &mut ReadContext<'_, Self>) {
        let Gauge { readers, writes, clashes, reads } = &*self.0;
        readers.fetch_add(1, SeqCst);
        spend();
        clashes.fetch_add(usize::from(writes.load(SeqCst)), SeqCst);
        readers.fetch_sub(1, SeqCst);
        reads.fetch_add(1, SeqCst);
    }

    fn write(&mut self, Change(change): Change, ctx: &mut WriteContext<'_, Self>) {
        self.write_alone();
        change(ctx);
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.write_alone();
    }
}

fn reading(gauge: &Arc<Gauge>) -> ReadWriting<Watched> {
    let actor = ReadWriting::new(Watched(gauge.clone()), ReadWritePolicy::ArrivalOrder);
    actor.sharing(ReadSharing::Always)
}

type Own<'a> = &'a mut ReadWriting<Watched>;

/// What is done out of turn, in the context of another actor of the same type.
const MISCHIEF: [fn(Own<'_>, &mut WriteContext<'_, Watched>); 7] = [
    |own, ctx| Behavior::started(own, ctx),
    |own, _| Behavior::stopped(own),
    |own, _| {
        let _ = Behavior::shed(own);
    },
    |own, _| Behavior::renew(own, reading(&Arc::default())),
    |own, ctx| Behavior::handle(own, ReadWrite::Write(Change(Box::new(|_| {}))), ctx),
    |own, ctx| {
        let _ = Behavior::handle_deferred(own, ctx);
    },
    |own, ctx| {
        Behavior::give_back(own, &mut drop);
        // It has ended: readers may still be under way, and the state is the last one's.
        let _ = Behavior::is_made(own);
        Behavior::give_back(own, &mut drop);
        Behavior::stopped(own);
        Behavior::handle(own, ReadWrite::Read(Look), ctx);
    },
];

#[test]
fn s29_who_gives_turns_by_hand_gets_no_state_that_is_read() {
    let theater = Theater::builder().workers(3).build().unwrap();
    let outer = theater.spawn(reading(&Arc::default()));
    let mut reads = 0;
    for mischief in MISCHIEF {
        for _ in 0..10 {
            let gauge = Arc::new(Gauge::default());
            let within = gauge.clone();
            let (tell, told) = std::sync::mpsc::channel();
            let work = move |ctx: &mut WriteContext<'_, Watched>| {
                let mut own = reading(&within);
                Behavior::started(&mut own, ctx);
                for _ in 0..200 {
                    Behavior::handle(&mut own, ReadWrite::Read(Look), ctx);
                }
                let begun = Instant::now();
                let limit = Duration::from_millis(50);
                while within.readers.load(SeqCst) == 0 && begun.elapsed() < limit {
                    std::thread::yield_now();
                }
                // Refused or not: nothing clashes.
                let refused = catch_unwind(AssertUnwindSafe(|| mischief(&mut own, ctx)));
                drop((refused, own));
                tell.send(()).unwrap();
            };
            outer.write(Change(Box::new(work))).unwrap();
            told.recv_timeout(Duration::from_secs(30)).unwrap();
            // Readers that are still under way end the state.
            let begun = Instant::now();
            while Arc::strong_count(&gauge) > 1 && begun.elapsed() < Duration::from_secs(30) {
                std::thread::yield_now();
            }
            assert_eq!(gauge.clashes.load(SeqCst), 0, "somebody read what was written");
            reads += gauge.reads.load(SeqCst);
        }
    }
    assert!(reads > 0, "nothing was read");
}
