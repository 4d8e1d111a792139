use super::depot::MAGAZINE;
use super::*;

/// Memory that one thread frees beyond a magazine is what another thread gets next.
#[test]
fn full_magazines_travel_between_threads() {
    // Of a size that comes one piece at a time, so that magazines hold only what was freed.
    const CLASS: usize = CLASSES - 1;
    let depot = Arc::new(Depot::new());
    let (one, other) = (ThreadMemory::new(depot.clone()), ThreadMemory::new(depot));
    let freed: Vec<_> = (0..=MAGAZINE).map(|_| one.take(CLASS)).collect();
    for memory in &freed {
        // SAFETY: unused, and of this class.
        unsafe { one.put(CLASS, *memory) };
    }
    let received: Vec<_> = (0..MAGAZINE).map(|_| other.take(CLASS)).collect();
    assert!(received.iter().all(|memory| freed.contains(memory)));
    for memory in received {
        // SAFETY: as above.
        unsafe { other.put(CLASS, memory) };
    }
}

#[test]
fn small_types_are_recycled_and_large_ones_boxed() {
    assert_eq!(class_of::<u8>(), Some(0));
    assert_eq!(class_of::<[u8; 48]>(), Some(0));
    assert_eq!(class_of::<[u8; 49]>(), Some(1));
    assert_eq!(class_of::<[u8; 4080]>(), Some(63));
    assert_eq!(class_of::<[u8; 4081]>(), None);
    let large = reserve::<[u8; 5000]>();
    // SAFETY: ours; bytes need no more than to be written.
    unsafe {
        large.write([7u8; 5000]);
        remove(large);
    }
}

/// Memory from a thread outlives the thread, and may be taken and freed while a thread exits.
#[test]
fn memory_outlives_the_thread_that_took_it() {
    struct AtExit(NonNull<[u64; 20]>);
    impl Drop for AtExit {
        fn drop(&mut self) {
            let more = reserve::<[u64; 20]>();
            // SAFETY: ours both; the numbers were written.
            unsafe {
                more.write([2; 20]);
                assert_eq!(self.0.read(), [1; 20]);
                remove(self.0);
                remove(more);
            }
        }
    }
    thread_local!(static AT_EXIT: std::cell::RefCell<Vec<AtExit>> = const { std::cell::RefCell::new(Vec::new()) });

    fn numbers() -> NonNull<[u64; 20]> {
        let place = reserve::<[u64; 20]>();
        // SAFETY: fresh memory.
        unsafe { place.write([1; 20]) };
        place
    }
    // The order in which a thread's values are destroyed is not ours to choose: both ways round.
    for own_memory_first in [true, false] {
        let left = std::thread::spawn(move || {
            if own_memory_first {
                let place = numbers();
                // SAFETY: ours, and initialised.
                unsafe { remove(place) };
            }
            AT_EXIT.with_borrow_mut(|at_exit| at_exit.push(AtExit(numbers())));
            numbers().as_ptr().expose_provenance()
        });
        let left = left.join().expect("the thread ends well");
        let left = NonNull::new(ptr::with_exposed_provenance_mut::<[u64; 20]>(left));
        let left = left.expect("an address of memory");
        // SAFETY: the thread left it to us, initialised.
        unsafe {
            assert_eq!(left.read(), [1; 20]);
            remove(left);
        }
    }
}

/// What a theater leaves serves the next one of the same thread.
#[test]
fn theaters_of_one_thread_share_spare_memory() {
    if !SLABS {
        return;
    }
    let spare = || OUTSIDE.with(|memory| memory.spare().count());
    let theater = || {
        let memory = ThreadMemory::new(Arc::new(Depot::new()));
        let pieces: Vec<_> = (0..1_000).map(|_| memory.take(2)).collect();
        assert_eq!(spare(), 0);
        for piece in pieces {
            // SAFETY: unused, and of this class.
            unsafe { memory.put(2, piece) };
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            theater();
            let left = spare();
            assert!(left * spare::SLAB >= 1_000 * 3 * LINE);
            theater();
            assert_eq!(spare(), left);
        });
    });
}
