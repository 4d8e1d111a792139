use super::hill_climb::HillClimb;
use super::threshold::Threshold;
use super::{Controller, LONGEST, SHORTEST, Sample, WidthPolicy};
use crate::processing::Adaptation;
use std::time::Duration;

const MOST: usize = 8;

/// An actor whose throughput and share of rollbacks depend on the width. Answers the width at which it was most often in the
/// second half, and how often the width has changed.
fn run(
    policy: &mut dyn WidthPolicy,
    mut width: usize,
    samples: usize,
    speed: impl Fn(usize) -> (f64, f64),
) -> (usize, usize) {
    let (mut changes, mut often) = (0, [0; MOST + 1]);
    for sample in 0..samples {
        often[width] += usize::from(2 * sample >= samples);
        let (throughput, rollbacks) = speed(width);
        let commits = throughput as u64;
        let sample = Sample {
            width,
            most: MOST,
            commits,
            rollbacks: (commits as f64 * rollbacks) as u64,
            elapsed: Duration::from_millis(10),
        };
        let next = policy.next(&sample).clamp(1, MOST);
        changes += usize::from(next != width);
        width = next;
    }
    let most_often = (1..=MOST).max_by_key(|width| often[*width]);
    (most_often.unwrap_or(width), changes)
}

fn scales(width: usize) -> (f64, f64) {
    (1000.0 * width as f64, 0.01)
}

fn collides(width: usize) -> (f64, f64) {
    (1000.0 / width as f64, width as f64 - 1.0)
}

#[test]
fn a_workload_that_scales_gets_the_full_width() {
    assert_eq!(run(&mut HillClimb::new(), 1, 40, scales).0, MOST);
    assert_eq!(run(&mut Threshold::new(), 1, 20, scales).0, MOST);
}

#[test]
fn a_workload_that_collides_is_handled_one_at_a_time() {
    assert_eq!(run(&mut HillClimb::new(), MOST, 40, collides).0, 1);
}

#[test]
fn a_workload_with_an_optimum_between_finds_it() {
    let between =
        |width: usize| (1000.0 * (width.min(4) as f64) / (width.max(4) as f64 / 4.0), 0.1);
    assert_eq!(run(&mut HillClimb::new(), 1, 40, between).0, 4);
}

#[test]
fn noise_moves_nothing_for_good() {
    let mut policy = HillClimb::new();
    run(&mut policy, 1, 300, collides);
    let noise = std::cell::Cell::new(1_u64);
    let noisy = |width: usize| {
        noise.set(noise.get().wrapping_mul(6364136223846793005).wrapping_add(1));
        let factor = 0.97 + 0.06 * (noise.get() >> 40) as f64 / (1 << 24) as f64;
        (collides(width).0 * factor, 0.0)
    };
    let (width, moves) = run(&mut policy, 1, 1000, noisy);
    // Each look elsewhere moves there and back.
    assert!(width <= 2 && moves <= 2 * (1000 / 48 + 1), "{moves} moves");
}

#[test]
fn a_change_of_the_workload_is_followed_within_a_few_samples() {
    let mut policy = HillClimb::new();
    let (width, _) = run(&mut policy, 1, 2000, scales);
    assert_eq!(width, MOST);
    let (width, _) = run(&mut policy, width, 30, collides);
    assert_eq!(width, 1);
    // The throughput at this width says nothing of the change: a look at another one does.
    assert_eq!(run(&mut policy, width, 200, scales).0, MOST);
}

#[test]
fn a_controller_samples_only_while_there_is_work() {
    let mut controller = Controller::new(Adaptation::HillClimb, MOST);
    let mut now = Duration::ZERO;
    assert_eq!(controller.look(now, 1, 0, 0), None, "a sample begins");
    now += SHORTEST;
    assert_eq!(controller.look(now, 1, 10, 0), None, "too few commits");
    controller.rests();
    now += 2 * LONGEST;
    assert_eq!(controller.look(now, 1, 5000, 0), None, "a new sample begins");
    now += SHORTEST;
    assert_eq!(controller.look(now, 1, 10_000, 0), Some(2), "the climb begins");
    now += LONGEST;
    assert!(controller.look(now, 2, 10_001, 0).is_some(), "long enough");
}
