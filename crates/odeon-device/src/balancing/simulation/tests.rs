//! S38: that the best configuration is found, at what cost, and what becomes of it when the load
//! changes.

use super::{Load, Simulation, SimulationOutcome, SimulationPlan, Speed};
use crate::balancing::configuration::all_of;
use crate::balancing::objective::Objective;
use crate::balancing::profiler::Quota;
use crate::worker::Place;
use std::time::Duration;

fn plan(speeds: &[Speed], load: Load, total: u64) -> SimulationPlan {
    let place = |speed: &Speed| if speed.most_at_once > 1 { Place::Device } else { Place::Cpu };
    let kinds: Vec<_> = speeds.iter().map(|speed| (place(speed), speed.count)).collect();
    let configurations = all_of(&kinds, false, 64).unwrap();
    let quota = Quota::Pieces(total / (10 * configurations.len() as u64).max(100));
    SimulationPlan {
        speeds: speeds.to_vec(),
        load,
        total,
        configurations,
        quota,
        objective: Objective::Time,
        meter_period: Duration::ZERO,
        meter_tells_period: true,
        noise: 0.0,
        seed: 1,
        lost: Vec::new(),
    }
}

fn run(plan: &SimulationPlan) -> SimulationOutcome {
    let outcome = Simulation::new(plan.clone()).run();
    assert_eq!(outcome.idle_beside_work, 0.0, "somebody was idle while a piece waited");
    assert_eq!(outcome.pieces.iter().sum::<u64>(), plan.total);
    outcome
}

/// The best single configuration, and what it needs, by `cost`.
fn best_single(
    plan: &SimulationPlan,
    cost: impl Fn(&SimulationOutcome) -> f64,
) -> (Vec<usize>, f64) {
    let alone = |counts: &Vec<usize>| {
        let single = SimulationPlan { configurations: vec![counts.clone()], ..plan.clone() };
        let outcome = run(&single);
        assert_eq!(outcome.profilings, 0);
        (counts.clone(), cost(&outcome))
    };
    let all = plan.configurations.iter().map(alone);
    all.min_by(|(_, one), (_, other)| one.total_cmp(other)).unwrap()
}

/// Runs the plan, which must not cost more than the best single configuration and 5 %.
#[track_caller]
fn at_most_5_percent_dearer(
    plan: &SimulationPlan,
    cost: impl Fn(&SimulationOutcome) -> f64,
) -> SimulationOutcome {
    let (counts, best) = best_single(plan, &cost);
    let outcome = run(plan);
    let ratio = cost(&outcome) / best;
    println!(
        "best {counts:?}, used {:?}: {ratio:.4}, {} profilings",
        outcome.in_use, outcome.profilings
    );
    assert!(ratio <= 1.05, "{ratio} times the cost of {counts:?}, with {:?}", outcome.in_use);
    outcome
}

const ROUNDS_OF_32: Load = Load::Rounds { pieces: |_| 32, gap: 100.0 };

fn time(outcome: &SimulationOutcome) -> f64 {
    outcome.busy
}

/// The small data set of the thesis: a launch costs more than all pieces.
#[test]
fn s38_cores_alone_if_a_launch_costs_too_much() {
    let speeds = [Speed::gpu(1, |_| 5_000.0, |_| 10.0), Speed::cpu(4, |_| 100.0)];
    let rounds = at_most_5_percent_dearer(&plan(&speeds, ROUNDS_OF_32, 50_000), time);
    assert_eq!(rounds.in_use, [0, 4]);
    // In a stream a device does no harm that takes a piece now and then.
    let stream = plan(&speeds, Load::Stream { waiting: 16 }, 50_000);
    assert_eq!(at_most_5_percent_dearer(&stream, time).in_use[1], 4);
}

/// The medium one: both together.
#[test]
fn s38_both_together_if_they_are_about_as_fast() {
    let speeds = [Speed::gpu(1, |_| 100.0, |_| 100.0), Speed::cpu(4, |_| 400.0)];
    for load in [ROUNDS_OF_32, Load::Stream { waiting: 64 }] {
        let outcome = at_most_5_percent_dearer(&plan(&speeds, load, 50_000), time);
        assert_eq!(outcome.in_use, [1, 4]);
    }
}

/// The large one: in rounds, the last piece of a core would keep all others waiting. In a stream
/// the cores do no harm.
#[test]
fn s38_the_device_alone_if_cores_hold_up_rounds() {
    let speeds = [Speed::gpu(1, |_| 100.0, |_| 20.0), Speed::cpu(8, |_| 5_000.0)];
    let rounds = at_most_5_percent_dearer(&plan(&speeds, ROUNDS_OF_32, 100_000), time);
    assert_eq!(rounds.in_use, [1, 0]);
    let stream = plan(&speeds, Load::Stream { waiting: 64 }, 200_000);
    let stream = at_most_5_percent_dearer(&stream, time);
    assert!(stream.in_use[0] == 1 && stream.in_use[1] > 0, "{stream:?}");
}

#[test]
fn s38_several_devices_and_pieces_of_all_lengths() {
    let speeds = [Speed::gpu(3, |_| 200.0, |_| 60.0), Speed::cpu(8, |_| 800.0)];
    for (load, seed) in [ROUNDS_OF_32, Load::Stream { waiting: 200 }].into_iter().zip(1..) {
        let noisy = SimulationPlan { noise: 0.3, seed, ..plan(&speeds, load, 200_000) };
        at_most_5_percent_dearer(&noisy, time);
    }
}

#[test]
fn s38_a_budget_of_time_does_as_well() {
    let speeds = [Speed::gpu(1, |_| 100.0, |_| 20.0), Speed::cpu(4, |_| 400.0)];
    for load in [ROUNDS_OF_32, Load::Stream { waiting: 64 }] {
        let timed = SimulationPlan { quota: Quota::Time(0.01), ..plan(&speeds, load, 100_000) };
        at_most_5_percent_dearer(&timed, time);
    }
}

/// A device of 100 W that is not three times as fast as four cores of 10 W each.
#[test]
fn s38_each_objective_has_its_configuration() {
    let speeds = [Speed::gpu(1, |_| 50.0, |_| 60.0), Speed::cpu(4, |_| 400.0)];
    let plan = plan(&speeds, Load::Stream { waiting: 64 }, 100_000);
    let by = |objective| SimulationPlan { objective, ..plan.clone() };
    let fast = at_most_5_percent_dearer(&by(Objective::Time), time);
    let thrifty = at_most_5_percent_dearer(&by(Objective::Energy), |outcome| outcome.joules);
    let product = |outcome: &SimulationOutcome| outcome.joules * outcome.busy;
    let both = at_most_5_percent_dearer(&by(Objective::EnergyDelayProduct), product);
    assert_eq!((&*fast.in_use, &*thrifty.in_use), (&[1, 4][..], &[0, 4][..]));
    assert_eq!(both.in_use, [1, 4]);
}

/// Pieces that wait for memory: four cores do no more than one, and draw more.
#[test]
fn s38_by_energy_fewer_cores_work_if_more_save_nothing() {
    let mut speeds = [Speed::cpu(4, |_| 100.0)];
    speeds[0].hinders = 1.0;
    let plan = plan(&speeds, Load::Stream { waiting: 64 }, 100_000);
    assert_eq!(plan.configurations, [[4], [2]]);
    let configurations = all_of(&[(Place::Cpu, 4)], true, 64).unwrap();
    let by_energy = SimulationPlan { objective: Objective::Energy, configurations, ..plan };
    let outcome = at_most_5_percent_dearer(&by_energy, |outcome| outcome.joules);
    assert_eq!(outcome.in_use, [1]);
}

/// More workers than one that wait for memory take longer together, by time too.
#[test]
fn s38_half_of_the_cores_work_if_all_hinder_each_other() {
    let mut speeds = [Speed::gpu(1, |_| 100.0, |_| 100.0), Speed::cpu(8, |_| 100.0)];
    speeds[1].hinders = 0.5;
    for load in [ROUNDS_OF_32, Load::Stream { waiting: 64 }] {
        let plan = plan(&speeds, load, 100_000);
        let halves = plan.configurations.iter().filter(|counts| counts[1] == 4);
        assert_eq!(halves.count(), 2, "{:?}", plan.configurations);
        at_most_5_percent_dearer(&plan, time);
    }
    speeds[1].hinders = 2.0;
    let plan = plan(&speeds, ROUNDS_OF_32, 100_000);
    let whole = SimulationPlan { configurations: vec![vec![1, 8]], ..plan.clone() };
    let outcome = at_most_5_percent_dearer(&plan, time);
    assert!(outcome.in_use[1] < 8 && outcome.busy < run(&whole).busy, "{outcome:?}");
}

/// The meter of a GPU driver: a window that lasts less than its period would have taken nothing, or
/// all of a period.
#[test]
fn s38_a_meter_that_steps_is_waited_for() {
    let speeds = [Speed::gpu(1, |_| 50.0, |_| 100.0), Speed::cpu(4, |_| 400.0)];
    for load in [ROUNDS_OF_32, Load::Stream { waiting: 64 }] {
        for objective in [Objective::Energy, Objective::EnergyDelayProduct] {
            let plan =
                SimulationPlan { quota: Quota::Pieces(100), ..plan(&speeds, load, 1_500_000) };
            let exact = run(&SimulationPlan { objective, ..plan.clone() });
            let meter_period = Duration::from_millis(100);
            let stepping = run(&SimulationPlan { objective, meter_period, ..plan });
            assert_eq!(stepping.in_use, exact.in_use, "by {objective}");
            assert!(!stepping.is_profiling && stepping.profilings > 0, "{stepping:?}");
            let ratio = stepping.joules / exact.joules;
            assert!(ratio < 1.05, "{ratio} times the energy, by {objective}");
        }
    }
}

/// Without a figure the least time is what is left to look for.
#[test]
fn s38_a_meter_that_stands_still_has_time_decide() {
    let speeds = [Speed::gpu(1, |_| 5_000.0, |_| 100.0), Speed::cpu(4, |_| 100.0)];
    let meter_period = Duration::from_secs(1_000_000);
    let plan = plan(&speeds, ROUNDS_OF_32, 50_000);
    let plan = SimulationPlan { meter_period, meter_tells_period: false, ..plan };
    for objective in [Objective::Energy, Objective::EnergyDelayProduct] {
        let outcome = run(&SimulationPlan { objective, ..plan.clone() });
        assert_eq!(outcome.in_use, [0, 4], "{outcome:?}");
        assert!(!outcome.is_profiling, "{outcome:?}");
    }
}

/// The pieces become a hundred times as long for cores, and later short again.
#[test]
fn s38_another_configuration_is_used_when_the_load_changes() {
    let cpu: fn(u64) -> f64 = |n| if (200_000..600_000).contains(&n) { 10_000.0 } else { 100.0 };
    let speeds = [Speed::gpu(1, |_| 5_000.0, |_| 100.0), Speed::cpu(4, cpu)];
    let plan =
        SimulationPlan { quota: Quota::Pieces(1_000), ..plan(&speeds, ROUNDS_OF_32, 1_000_000) };
    let outcome = run(&plan);
    let best = best_single(&plan, time).1;
    assert_eq!(outcome.in_use, [0, 4]);
    assert!(outcome.profilings >= 3, "{} profilings", outcome.profilings);
    // No single configuration is good at both.
    assert!(outcome.busy < 0.8 * best, "{} s, {best} s", outcome.busy);
    assert!(outcome.pieces[0] > 300_000, "{:?}", outcome.pieces);
}

/// Rounds that become larger have work for a device.
#[test]
fn s38_another_configuration_is_used_when_rounds_change() {
    let load = Load::Rounds { pieces: |n| if n < 50_000 { 4 } else { 400 }, gap: 100.0 };
    let speeds = [Speed::gpu(1, |_| 1_000.0, |_| 10.0), Speed::cpu(4, |_| 200.0)];
    let plan = SimulationPlan { quota: Quota::Pieces(400), ..plan(&speeds, load, 1_000_000) };
    let outcome = at_most_5_percent_dearer(&plan, time);
    assert!(outcome.profilings >= 2 && outcome.in_use[0] == 1, "{outcome:?}");
}

/// What the configuration in use costs stays the same, and another one has become better: found by
/// looking from time to time.
#[test]
fn s38_what_has_changed_unseen_is_found_in_the_end() {
    let gpu: fn(u64) -> f64 = |n| if n < 200_000 { 1_000.0 } else { 10.0 };
    let speeds = [Speed::gpu(1, |_| 10.0, gpu), Speed::cpu(4, |_| 100.0)];
    let mut plan =
        SimulationPlan { quota: Quota::Pieces(500), ..plan(&speeds, ROUNDS_OF_32, 2_000_000) };
    plan.configurations = vec![vec![0, 4], vec![1, 0]];
    let outcome = run(&plan);
    assert_eq!(outcome.in_use, [1, 0], "{outcome:?}");
}

/// A load that is different every now and then has all profiled over and over: that must not cost
/// more than its share.
#[test]
fn s38_a_restless_load_is_not_profiled_without_end() {
    let cpu: fn(u64) -> f64 = |n| if n / 2_000 % 2 == 0 { 100.0 } else { 130.0 };
    let speeds = [Speed::gpu(1, |_| 3_000.0, |_| 300.0), Speed::cpu(4, cpu)];
    let plan =
        SimulationPlan { quota: Quota::Pieces(200), ..plan(&speeds, ROUNDS_OF_32, 1_000_000) };
    let outcome = at_most_5_percent_dearer(&plan, time);
    assert!(outcome.profilings > 3, "{outcome:?}");
}

/// Pieces differ by half, and nothing else changes: chance is no change.
#[test]
fn s38_noise_alone_costs_no_more_than_its_share() {
    let speeds = [Speed::gpu(1, |_| 100.0, |_| 100.0), Speed::cpu(4, |_| 400.0)];
    for seed in 0..10 {
        for load in [ROUNDS_OF_32, Load::Stream { waiting: 64 }] {
            let noisy = SimulationPlan { noise: 0.5, seed, ..plan(&speeds, load, 100_000) };
            at_most_5_percent_dearer(&noisy, time);
        }
    }
}

/// A device that takes all at once would leave the cores idle for the rest of the round.
#[test]
fn s38_a_device_leaves_others_their_part_of_a_round() {
    let speeds = [Speed::gpu(1, |_| 0.0, |_| 100.0), Speed::cpu(4, |_| 400.0)];
    let both =
        SimulationPlan { configurations: vec![vec![1, 4]], ..plan(&speeds, ROUNDS_OF_32, 32_000) };
    let outcome = run(&both);
    let for_a_round = outcome.busy / 1_000.0;
    // 32 pieces, and together they do two in 100 us; one piece of a core is the most that rounding
    // costs.
    assert!(for_a_round <= 0.0016 + 0.0004, "{for_a_round} s for a round of 1.6 ms");
}

/// A device that is far slower than a core, so that a batch of it is as long as a good part of a
/// round, or as many: it costs one batch, and at most 5 % besides. Measured in the middle of a
/// round it would cost nothing.
#[test]
fn s38_a_slow_device_costs_one_batch() {
    let slow: [fn(u64) -> f64; 3] = [|_| 4_000.0, |_| 8_000.0, |_| 16_000.0];
    let short: fn(u64) -> usize = |_| 12;
    let sizes = [(short, 10), (|_| 40, 10), (|_| 150, 50)];
    for (piece, (pieces, fewest)) in
        slow.into_iter().flat_map(|piece| sizes.map(|size| (piece, size)))
    {
        for rounds in [10, 20, 50, 100, 300].into_iter().filter(|rounds| *rounds >= fewest) {
            let speeds = [Speed::gpu(1, |_| 0.0, piece), Speed::cpu(2, |_| 200.0)];
            let load = Load::Rounds { pieces, gap: 100.0 };
            let plan = plan(&speeds, load, pieces(0) as u64 * rounds);
            let (best, outcome) = (best_single(&plan, time).1, run(&plan));
            let batch = piece(0) / 1e6;
            let ratio = (outcome.busy - batch) / best;
            let told = format!("{rounds} rounds of {}, a batch of {batch} s", pieces(0));
            assert!(ratio <= 1.05, "{ratio} beside the batch, {told}: {outcome:?}");
        }
    }
}

/// A first batch that compiles holds up a round as a slow device does. If a second one is within
/// what profiling may cost it is made at once.
#[test]
fn s38_a_first_batch_that_compiles_is_not_taken_for_slowness() {
    let mut speeds = [Speed::gpu(1, |_| 50.0, |_| 5.0), Speed::cpu(2, |_| 200.0)];
    speeds[0].first_batch = 100_000.0;
    let load = Load::Rounds { pieces: |_| 200, gap: 100.0 };
    let plan = plan(&speeds, load, 100_000);
    assert_eq!(at_most_5_percent_dearer(&plan, time).in_use, [1, 0]);
    // With less to spend it is made when the first one has paid for itself: after fifty times as
    // long.
    let frugal = SimulationPlan { quota: Quota::Pieces(100), total: 400_000, ..plan };
    let outcome = run(&frugal);
    assert_eq!(outcome.in_use, [1, 0], "{outcome:?}");
    assert!((20_000..60_000).contains(&outcome.pieces[1]), "5 s by two cores: {outcome:?}");
}

/// Of two fast devices beside slow cores one is lost: with the other one alone things are as good
/// as they can be, and all others had been cut off by both together.
#[test]
fn s38_what_is_best_without_a_lost_worker_is_found() {
    let speeds = [Speed::gpu(2, |_| 100.0, |_| 100.0), Speed::cpu(4, |_| 40_000.0)];
    let rounds = Load::Rounds { pieces: |_| 100, gap: 100.0 };
    let with_both = plan(&speeds, rounds, 100_000);
    assert_eq!(run(&with_both).in_use, [2, 0]);
    let by_one = run(&SimulationPlan { configurations: vec![vec![1, 0]], ..with_both.clone() });
    // Long after the profile, and in the middle of it.
    for after in [20_000, 600, 300, 100, 0] {
        let outcome = run(&SimulationPlan { lost: vec![(1, after)], ..with_both.clone() });
        assert_eq!(outcome.in_use, [1, 0], "lost after {after}: {outcome:?}");
        assert!(!outcome.is_profiling, "lost after {after}: {outcome:?}");
        let ratio = outcome.busy / by_one.busy;
        assert!(
            ratio < 1.05,
            "lost after {after}: {ratio} times as long as by the one that is left"
        );
    }
}

/// Goes that fail are done again. Profiles come to their end although hardly a quota of pieces is
/// without a failure.
#[test]
fn s38_failures_now_and_then_do_not_disturb_the_choice() {
    let mut speeds = [Speed::gpu(1, |_| 100.0, |_| 20.0), Speed::cpu(4, |_| 400.0)];
    speeds[0].fails = 100;
    let outcome = run(&plan(&speeds, Load::Stream { waiting: 64 }, 200_000));
    assert_eq!(outcome.in_use[0], 1, "{outcome:?}");
    assert!(outcome.profilings > 0 && !outcome.is_profiling, "{outcome:?}");
}
