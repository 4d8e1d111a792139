use std::collections::HashMap;
use std::thread;

use super::super::spare::MAX_SPARE;
use super::*;

/// A piece of memory that is out, with its content.
struct Held {
    piece: NonNull<u8>,
    class: usize,
    content: u8,
}

// SAFETY: a piece belongs to no thread.
unsafe impl Send for Held {}

impl Held {
    /// Takes one piece, returns it filled, and the rest of the batch to the slabs.
    fn take(slabs: &Arc<Slabs>, class: usize, content: u8) -> Self {
        let mut rest = Magazine::EMPTY;
        let piece = slabs.take(class, &mut rest);
        assert!(piece.addr().get().is_multiple_of(LINE));
        // SAFETY: all from this class; the piece is ours and as long as its class says.
        unsafe {
            give_back(class, rest);
            piece.write_bytes(content, stride(class) - HEADER);
        }
        Self { piece, class, content }
    }

    fn give_back(self) {
        for at in 0..stride(self.class) - HEADER {
            // SAFETY: within the piece, which is ours and was filled.
            assert_eq!(unsafe { self.piece.add(at).read() }, self.content, "nobody else wrote");
        }
        // SAFETY: it is of this class, and not used again.
        unsafe { give_back(self.class, Magazine::of(self.piece)) };
    }
}

/// How many slabs live: each counts one reference.
fn live(slabs: &Arc<Slabs>) -> usize {
    Arc::strong_count(slabs) - 1
}

/// A choice below `n`.
fn choose(seed: &mut u64, n: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 33) as usize % n
}

#[test]
fn a_slab_holds_many_pieces_and_goes_with_the_last_one() {
    for class in 0..CLASSES {
        let slabs = Slabs::new(Spare::new());
        let capacity = capacity(class) as usize;
        assert!(capacity >= 10);
        let held: Vec<_> = (0..3 * capacity).map(|n| Held::take(&slabs, class, n as u8)).collect();
        assert_eq!(live(&slabs), 3);
        held.into_iter().for_each(Held::give_back);
        assert_eq!(live(&slabs), 0);
    }
}

/// Spare memory serves any size, and no more of it is kept than the bound says.
#[test]
fn emptied_slabs_are_kept_within_a_bound() {
    let slabs = Slabs::new(Spare::new());
    let [few, many] = [10, MAX_SPARE + 10].map(|wanted| {
        let held: Vec<_> = (0..wanted * capacity(CLASSES - 1) as usize)
            .map(|_| Held::take(&slabs, CLASSES - 1, 0))
            .collect();
        assert_eq!((live(&slabs), slabs.spare.count()), (wanted, 0));
        held.into_iter().for_each(Held::give_back);
        slabs.spare.count()
    });
    assert_eq!((few, many), (10, MAX_SPARE));
    let one = Held::take(&slabs, 3, 1);
    assert_eq!(slabs.spare.count(), MAX_SPARE - 1);
    one.give_back();
}

#[test]
fn a_batch_is_of_one_slab_and_at_most_a_page() {
    let slabs = Slabs::new(Spare::new());
    let mut batch = Magazine::EMPTY;
    let piece = slabs.take(2, &mut batch);
    assert_eq!(batch.count() + 1, BATCH / stride(2));
    // SAFETY: all of this class, and unused.
    unsafe {
        batch.push(piece);
        give_back(2, batch);
    }
    assert_eq!(live(&slabs), 0);
}

#[test]
fn freed_pieces_are_used_before_a_new_slab() {
    let slabs = Slabs::new(Spare::new());
    let mut held: Vec<_> = (0..300).map(|_| Held::take(&slabs, 2, 1)).collect();
    let before = live(&slabs);
    for _ in 0..5 {
        let (kept, freed): (Vec<_>, Vec<_>) =
            held.into_iter().enumerate().partition(|(n, _)| n % 3 == 0);
        let count = freed.len();
        freed.into_iter().for_each(|(_, one)| one.give_back());
        held = kept.into_iter().map(|(_, one)| one).collect();
        held.extend((0..count).map(|_| Held::take(&slabs, 2, 2)));
        assert_eq!(live(&slabs), before);
    }
    held.into_iter().for_each(Held::give_back);
    assert_eq!(live(&slabs), 0);
}

#[test]
fn pieces_outlive_their_owner() {
    let slabs = Slabs::new(Spare::new());
    let watch = Arc::downgrade(&slabs);
    let held = [Held::take(&slabs, 4, 1), Held::take(&slabs, 5, 2)];
    drop(slabs);
    assert_eq!(watch.strong_count(), 2);
    held.into_iter().for_each(Held::give_back);
    assert_eq!(watch.strong_count(), 0);
}

/// Pieces of several owners that met in one magazine find their slabs.
#[test]
fn a_magazine_may_mix_owners() {
    let owners = [Slabs::new(Spare::new()), Slabs::new(Spare::new())];
    let mut mixed = Magazine::EMPTY;
    for n in 0..100 {
        let held = Held::take(&owners[n % 7 % 2], 1, 0);
        // SAFETY: unused.
        unsafe { mixed.push(held.piece) };
    }
    // SAFETY: all of this class, and unused.
    unsafe { give_back(1, mixed) };
    assert_eq!(owners.each_ref().map(live), [0, 0]);
}

/// Random takes and returns, judged by a model: no piece is out twice, contents stay.
#[test]
fn random_histories_agree_with_a_model() {
    for seed in 1..=if cfg!(miri) { 2 } else { 30 } {
        let mut random = seed;
        let slabs = Slabs::new(Spare::new());
        let mut held = Vec::new();
        let mut out = HashMap::new();
        for step in 0..if cfg!(miri) { 300 } else { 4_000 } {
            // Growing and shrinking by turns.
            let grows = choose(&mut random, 10) < if step / 500 % 2 == 0 { 7 } else { 3 };
            if grows || held.is_empty() {
                let one = Held::take(&slabs, choose(&mut random, CLASSES), step as u8);
                assert!(out.insert(one.piece, one.class).is_none(), "seed {seed}");
                held.push(one);
            } else {
                let one = held.swap_remove(choose(&mut random, held.len()));
                assert_eq!(out.remove(&one.piece), Some(one.class), "seed {seed}");
                one.give_back();
            }
        }
        let mut extents: Vec<_> = out
            .iter()
            .map(|(piece, class)| (piece.addr().get(), stride(*class) - HEADER))
            .collect();
        extents.sort_unstable();
        assert!(extents.windows(2).all(|two| two[0].0 + two[0].1 <= two[1].0), "seed {seed}");
        held.into_iter().for_each(Held::give_back);
        assert_eq!(live(&slabs), 0, "seed {seed}");
    }
}

/// Threads take from their own slabs and give back what others took, until all are gone.
#[test]
fn pieces_come_back_from_other_threads() {
    const THREADS: usize = 4;
    let rounds = if cfg!(miri) { 30 } else { 20_000 };
    let (to, from): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| std::sync::mpsc::channel()).unzip();
    let threads: Vec<_> = from
        .into_iter()
        .enumerate()
        .map(|(n, from)| {
            let to = to.clone();
            thread::spawn(move || {
                let slabs = Slabs::new(Spare::new());
                let watch = Arc::downgrade(&slabs);
                let mut random = n as u64;
                for round in 0..rounds {
                    let one = Held::take(&slabs, choose(&mut random, 3), round as u8);
                    to[choose(&mut random, THREADS)].send(one).expect("all receive to the end");
                    from.try_iter().for_each(Held::give_back);
                }
                drop((to, slabs));
                from.iter().for_each(Held::give_back);
                watch
            })
        })
        .collect();
    drop(to);
    let watches: Vec<_> = threads.into_iter().map(|one| one.join().expect("it ends")).collect();
    assert!(watches.iter().all(|slabs| slabs.strong_count() == 0));
}
