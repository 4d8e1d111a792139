//! `TQueue` against `VecDeque`, in interleaved attempts and under threads.

use crate::support::{Alive, Random, commits_after};
use odeon_stm::collections::TQueue;
use odeon_stm::{Rollback, View, atomically, snapshot};
use std::collections::VecDeque;
use std::sync::Arc;

fn elements<'t>(queue: &'t TQueue<u64>, view: &mut impl View<'t>) -> Result<Vec<u64>, Rollback> {
    queue.fold(view, Vec::new(), |mut elements, element| {
        elements.push(*element);
        elements
    })
}

#[test]
fn it_does_what_a_deque_does() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut model: VecDeque<u64> = (0..random.below(4)).collect();
        let queue: TQueue<u64> = model.iter().copied().collect();
        for value in 0..400 {
            let plan: Vec<_> = (0..1 + random.below(4)).map(|_| random.below(4)).collect();
            let mut expected = model.clone();
            let is_undone = random.below(8) == 0;
            let _ = odeon_stm::try_atomically(|tx| {
                expected.clone_from(&model);
                for act in &plan {
                    if *act < 2 {
                        queue.push(tx, value)?;
                        expected.push_back(value);
                    } else {
                        assert_eq!(queue.first(tx)?, expected.front());
                        assert_eq!(queue.pop(tx)?.copied(), expected.pop_front());
                    }
                }
                assert_eq!(queue.len(tx)?, expected.len());
                assert_eq!(queue.is_empty(tx)?, expected.is_empty());
                assert!(
                    elements(&queue, tx)?.iter().eq(&expected),
                    "own changes are seen, seed {seed}"
                );
                if is_undone { tx.fail(()) } else { Ok(()) }
            });
            if !is_undone {
                model = expected;
            }
        }
        assert!(snapshot(|view| elements(&queue, view)).unwrap().iter().eq(&model), "seed {seed}");
        atomically(|tx| queue.clear(tx));
        assert!(atomically(|tx| Ok(queue.is_empty(tx)? && queue.len(tx)? == 0)));
    }
}

fn of(len: u64) -> Arc<TQueue<u64>> {
    Arc::new((0..len).collect())
}

#[test]
fn a_push_and_a_pop_conflict_only_near_the_end() {
    for len in 2..4 {
        assert!(commits_after(&of(len), |q, tx| q.push(tx, 9), |q, tx| q.pop(tx).map(drop)));
        assert!(commits_after(&of(len), |q, tx| q.pop(tx).map(drop), |q, tx| q.push(tx, 9)));
    }
    for len in 0..2 {
        assert!(!commits_after(
            &of(len),
            |q, tx| {
                let popped = q.pop(tx)?.copied();
                q.push(tx, popped.unwrap_or(5))
            },
            |q, tx| q.push(tx, 9)
        ));
    }
    assert!(!commits_after(&of(3), |q, tx| q.push(tx, 8), |q, tx| q.push(tx, 9)));
    assert!(!commits_after(&of(3), |q, tx| q.pop(tx).map(drop), |q, tx| q.pop(tx).map(drop)));
}

/// Two threads hand elements on through two queues; a third takes them, sleeping while there are
/// none.
#[test]
fn elements_pass_in_order_and_none_is_lost() {
    const ELEMENTS: u64 = 5_000;
    let queues = [TQueue::new(), TQueue::new()];
    let take = |from: usize| {
        let queue: &TQueue<u64> = &queues[from];
        atomically(|tx| match queue.pop(tx)? {
            Some(element) => Ok(*element),
            None => tx.retry(),
        })
    };
    std::thread::scope(|scope| {
        scope.spawn(|| (0..ELEMENTS).for_each(|n| atomically(|tx| queues[0].push(tx, n))));
        scope.spawn(|| {
            for _ in 0..ELEMENTS {
                atomically(|tx| match queues[0].pop(tx)? {
                    Some(element) => queues[1].push(tx, *element),
                    None => tx.retry(),
                });
            }
        });
        scope.spawn(|| {
            for _ in 0..200 {
                let seen = snapshot(|view| {
                    let mut seen = elements(&queues[1], view)?;
                    assert_eq!(seen.len(), queues[1].len(view)?);
                    seen.extend(elements(&queues[0], view)?);
                    Ok(seen)
                })
                .unwrap();
                let first = seen.first().copied().unwrap_or(0);
                assert!(seen.iter().copied().eq(first..first + seen.len() as u64));
            }
        });
        (0..ELEMENTS).for_each(|n| assert_eq!(take(1), n));
    });
}

#[test]
fn every_element_is_dropped_once_and_no_later_than_it_must() {
    let alive = Alive::default();
    let queue: TQueue<_> = (0..10).map(|n| alive.value(n)).collect();
    for n in 10..500 {
        atomically(|tx| queue.push(tx, alive.value(n)));
        atomically(|tx| queue.pop(tx).map(drop));
    }
    alive.settles_at(10);
    snapshot(|view| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for n in 500..1_000 {
                    atomically(|tx| queue.push(tx, alive.value(n)));
                    atomically(|tx| queue.pop(tx).map(drop));
                }
                alive.falls_to(25);
            });
        });
        assert_eq!(queue.fold(view, 0, |sum, element| sum + element.value)?, 4_945);
        Ok(())
    })
    .unwrap();
    drop(queue);
    alive.settles_at(0);
}

#[test]
fn a_long_queue_is_dropped_without_recursion() {
    let alive = Alive::default();
    drop((0..1_000_000).map(|n| alive.value(n)).collect::<TQueue<_>>());
    assert_eq!(alive.count(), 0);
}
