//! S14 a link to an actor that has ended already leaves nothing behind.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

use odeon_core::*;
use odeon_testkit::Deterministic;

/// Knows how many bytes are allocated.
struct Counting;

static BYTES: AtomicIsize = AtomicIsize::new(0);

// SAFETY: all is left to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // ORDERING: Relaxed: a number for the test's own thread.
        BYTES.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // ORDERING: Relaxed: as above.
        BYTES.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: passed on.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

struct Linker(Option<ActorRef<u32>>);

impl Actor for Linker {
    type Msg = u32;
    fn handle(&mut self, links: u32, ctx: &mut Context<'_, Self>) {
        let other = self.0.get_or_insert_with(|| ctx.actor_ref());
        (0..links).for_each(|_| drop(ctx.link(other)));
    }
}

#[test]
fn s14_a_link_to_an_actor_that_has_ended_leaves_nothing() {
    let run = Deterministic::new(1);
    let ended = run.theater().spawn(Linker(None));
    ended.stop();
    run.run_until_idle();
    let linker = run.theater().spawn(Linker(Some(ended)));
    let link = || {
        linker.send(1_000).unwrap();
        run.run_until_idle();
        BYTES.load(Ordering::Relaxed)
    };
    let before = link();
    let more = link() - before;
    assert!(more < 10_000, "{more} bytes for 1,000 links that are gone");
}
