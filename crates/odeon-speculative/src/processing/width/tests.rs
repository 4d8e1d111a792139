use super::{
    Controller, Fixed, HillClimb, LONGEST, SHORTEST, Sample, Threshold, WidthPolicy, WidthSample,
};
use std::cell::Cell;
use std::time::Duration;

const MOST: usize = 8;

/// An actor whose throughput and share of rollbacks depend on the width. Answers the width at which
/// it was most often in the second half, and how often the width has changed.
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
            waiting: 0,
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
    let noise = Cell::new(1_u64);
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
fn a_width_that_has_won_clearly_is_left_seldom_and_by_no_single_sample() {
    let (mut policy, count) = (HillClimb::new(), Cell::new(0));
    let interrupted = |width: usize| {
        count.set(count.get() + 1);
        let share = if count.get() % 7 == 0 { 0.3 } else { 1.0 };
        (scales(width).0 * share, 0.01)
    };
    let (width, _) = run(&mut policy, 1, 40, interrupted);
    assert_eq!(width, MOST);
    let (width, moves) = run(&mut policy, width, 1000, interrupted);
    assert!(width == MOST && moves <= 2 * (1000 / 48 + 1), "{moves} moves");
}

#[test]
fn a_greater_width_has_time_to_wake_its_executors() {
    let (of, since) = (Cell::new(1), Cell::new(0));
    let wakes = |width: usize| {
        since.set(if of.replace(width) == width { since.get() + 1 } else { 0 });
        let awake = if since.get() < 3 { width.div_ceil(2) } else { width };
        scales(awake)
    };
    assert_eq!(run(&mut HillClimb::new(), 1, 40, wakes).0, MOST);
}

#[test]
fn a_look_that_is_disturbed_in_the_middle_of_a_climb_is_made_again_soon() {
    let at_four = Cell::new(0);
    let disturbed = |width: usize| {
        at_four.set(at_four.get() + u32::from(width == 4));
        if width == 4 && at_four.get() <= 4 { scales(1) } else { scales(width) }
    };
    assert_eq!(run(&mut HillClimb::new(), 1, 60, disturbed).0, MOST);
    let at_two = Cell::new(0);
    let disturbed = |width: usize| {
        at_two.set(at_two.get() + u32::from(width == 2));
        if width == 2 && at_two.get() <= 2 { (10.0, 1.0) } else { collides(width) }
    };
    assert_eq!(run(&mut HillClimb::new(), MOST, 60, disturbed).0, 1);
}

#[test]
fn what_becomes_slower_without_rollbacks_is_no_reason_to_be_narrower_at_once() {
    let mut policy = HillClimb::new();
    let (width, _) = run(&mut policy, 1, 100, scales);
    let slower = |rollbacks: f64| move |width: usize| (scales(width).0 / 3.0, rollbacks);
    assert_eq!(run(&mut policy.clone(), width, 40, slower(0.01)), (MOST, 0));
    assert!(run(&mut policy, width, 40, slower(1.0)).1 > 0, "they are looked at");
}

/// Looks at an actor of width 1; answers the next width, if there is a sample.
fn look(controller: &mut Controller, at: Duration, commits: u64, waiting: usize) -> Option<usize> {
    let sample = controller.look(WidthSample { at, width: 1, commits, rollbacks: 0, waiting })?;
    Some(controller.decide(&sample))
}

#[test]
fn a_controller_samples_only_while_there_is_work() {
    let (first, mut controller) = Controller::new(Box::new(HillClimb::new()), MOST);
    assert_eq!(first, 1);
    let mut now = Duration::ZERO;
    assert_eq!(look(&mut controller, now, 0, 0), None, "a sample begins");
    now += SHORTEST;
    assert_eq!(look(&mut controller, now, 10, 0), None, "too few commits");
    controller.rests();
    now += 2 * LONGEST;
    assert_eq!(look(&mut controller, now, 5000, 0), None, "a new sample begins");
    now += SHORTEST;
    assert_eq!(look(&mut controller, now, 10_000, 0), Some(2), "the climb begins");
    now += LONGEST;
    assert!(look(&mut controller, now, 10_001, 0).is_some(), "long enough");
}

#[test]
fn a_policy_says_how_long_a_sample_takes_and_where_to_begin() {
    let (_, mut controller) = Controller::new(Box::new(Threshold::new()), MOST);
    let looks = (0..=40).map(|n| look(&mut controller, n * SHORTEST, 1000 * u64::from(n), 0));
    let sampled: Vec<usize> = looks.enumerate().filter_map(|(n, next)| next.map(|_| n)).collect();
    assert_eq!(sampled, [40], "80 ms, however much was done");

    let (first, mut controller) = Controller::new(Box::new(Fixed::new(3)), MOST);
    assert_eq!(first, 3);
    look(&mut controller, Duration::ZERO, 0, 0);
    assert_eq!(look(&mut controller, LONGEST, 9, 0), Some(3));
    let (first, _) = Controller::new(Box::new(Fixed::new(MOST + 1)), MOST);
    assert_eq!(first, MOST, "no wider than makes sense");
}

#[test]
fn a_sample_tells_how_long_messages_have_waited() {
    let (_, mut controller) = Controller::new(Box::new(HillClimb::new()), MOST);
    look(&mut controller, Duration::ZERO, 0, 1000);
    look(&mut controller, SHORTEST, 200, 10);
    look(&mut controller, 2 * SHORTEST, 250, 20);
    let at = LONGEST;
    let sample =
        controller.look(WidthSample { at, width: 1, commits: 400, rollbacks: 0, waiting: 30 });
    // At the end of each part of it; what waited when it began belongs to the one before.
    let sample = sample.expect("long enough");
    assert_eq!(sample.waiting, 20);
    // 20 messages, of which each takes 200 us.
    assert_eq!(sample.waiting_time(), Duration::from_millis(4));
    let twice = sample.followed_by(&Sample { waiting: 40, ..sample });
    assert_eq!((twice.waiting, twice.commits, twice.elapsed), (30, 800, 2 * LONGEST));
}
