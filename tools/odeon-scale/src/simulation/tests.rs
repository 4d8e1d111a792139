use super::*;

const FREE: Costs =
    Costs { send: 0.0, attempt: 0.0, direct: 0.0, pass: 0.0, line: 0.0, wake: 0.0, waken: 0.0 };

fn simulation(cores: usize, costs: Costs) -> Simulation {
    let (handler_ns, senders, messages, seed) = (1000.0, 64, 20_000, 1);
    Simulation { costs, handler_ns, cores, width: cores, senders, messages, seed }
}

#[track_caller]
fn assert_about(value: f64, expected: f64, part: f64) {
    assert!((value / expected - 1.0).abs() <= part, "{value} is not about {expected}");
}

#[test]
fn one_core_without_overhead_takes_the_time_of_the_handlers() {
    assert_about(simulation(1, FREE).run().ns, 1000.0, 0.01);
    // Also with shards, where it is the only core of a wide actor.
    let wide = Simulation { width: 8, ..simulation(1, FREE) };
    let ran = wide.run();
    assert_about(ran.ns, 1000.0, 0.01);
    assert!(ran.batch > 1.0 && ran.passes > 0.0, "{ran:?}");
}

#[test]
fn cores_without_overhead_share_the_handlers() {
    for cores in [2, 4, 8, 16] {
        assert_about(simulation(cores, FREE).run().ns, 1000.0 / cores as f64, 0.15);
    }
}

#[test]
fn a_place_is_for_as_many_messages_as_the_code_says() {
    // 40 us of 1 us each; the last place of an inbox has fewer.
    let ran = simulation(1, FREE);
    let of_1_us = Simulation { width: 2, ..ran.clone() }.run();
    assert!((30.0..=40.0).contains(&of_1_us.batch), "{of_1_us:?}");
    let short = Simulation { handler_ns: 50.0, ..ran };
    let short = Simulation { width: 2, messages: 200_000, ..short }.run();
    assert!((128.0..=256.0).contains(&short.batch), "{short:?}");
    assert!(short.passes < 4.0 / 128.0, "some ways through the lock for each place: {short:?}");
}

#[test]
fn what_is_serial_bounds_the_throughput() {
    // A place is for 128 messages, and the lock is passed when it is taken and given back.
    let board = simulation(32, Costs { pass: 8000.0, ..FREE });
    // All messages of a sender come to one shard.
    let shard = Simulation { senders: 2, ..simulation(32, FREE) };
    for (plan, part, least) in
        [(board, SerialPart::Board, 125.0), (shard, SerialPart::Shard, 500.0)]
    {
        let ran = plan.run();
        let (largest, ns) = ran.largest();
        assert_eq!(largest, part);
        assert!(ns >= 0.95 * least && ran.ns >= ns, "{part:?}: {ran:?}");
        assert_about(ran.ns, ns, 0.2);
    }
}

#[test]
fn more_cores_than_places_do_no_more_than_the_places_allow() {
    for (width, cores) in [(2, 8), (4, 16)] {
        let ran = Simulation { width, ..simulation(cores, FREE) }.run();
        assert_about(ran.ns, 1000.0 / width as f64, 0.15);
        assert!(ran.ns >= 990.0 / width as f64, "{ran:?}");
    }
}

#[test]
fn more_costs_take_more_time() {
    let four = simulation(4, FREE);
    let one = simulation(1, FREE);
    // The other core has nothing to do for long times.
    let waits = Simulation { handler_ns: 10.0, senders: 1, ..simulation(2, FREE) };
    let waits =
        Simulation { costs: Costs { send: 400.0, attempt: 400.0, ..FREE }, width: 2, ..waits };
    type Raise = fn(&mut Costs);
    let dearer: [(&str, &Simulation, Raise); 7] = [
        ("send", &four, |costs| costs.send = 500.0),
        ("attempt", &four, |costs| costs.attempt = 500.0),
        ("direct", &one, |costs| costs.direct = 500.0),
        ("pass", &four, |costs| costs.pass = 10_000.0),
        ("line", &four, |costs| costs.line = 500.0),
        ("wake", &waits, |costs| costs.wake = 200_000.0),
        ("waken", &waits, |costs| costs.waken = 200_000.0),
    ];
    for (name, plan, make) in dearer {
        let mut costs = plan.costs;
        make(&mut costs);
        let dear = Simulation { costs, ..plan.clone() };
        let (before, after) = (plan.run().ns, dear.run().ns);
        assert!(after > before * 1.05, "{name}: {before} {after}");
    }
}

#[test]
fn messages_that_take_long_are_told_from_others() {
    assert_eq!([0, 10_000, 40_000, 60_000].map(takes_long), [false, false, false, true]);
    assert_eq!(simulation(4, FREE).run().thought_long_percent, 0.0);
    let long = Simulation { handler_ns: 60_000.0, messages: 2000, ..simulation(4, FREE) };
    assert_eq!(long.run().thought_long_percent, 100.0);
}

#[test]
fn the_same_seed_is_the_same_run() {
    let plan = simulation(4, Costs { pass: 20.0, line: 30.0, ..FREE });
    assert_eq!(plan.run(), plan.run());
    let other = Simulation { seed: 2, ..plan.clone() };
    assert_ne!(plan.run().ns, other.run().ns);
}

#[test]
fn two_workers_that_do_no_more_than_one_are_not_used() {
    let costs = Costs { direct: 10.0, attempt: 40.0, pass: 400.0, line: 2000.0, ..FREE };
    let plan = Simulation { handler_ns: 0.0, ..simulation(2, costs) };
    let alone = Simulation { cores: 1, ..plan.clone() };
    assert_eq!(plan.run_as_pool(), alone.run());
    let long = simulation(2, FREE);
    assert_eq!(long.run_as_pool(), long.run());
}

#[test]
fn nothing_is_left_whatever_steps_cost() {
    // Runs assert it themselves.
    let dear = Costs {
        send: 100.0,
        attempt: 200.0,
        direct: 200.0,
        pass: 500.0,
        line: 100.0,
        wake: 30_000.0,
        waken: 2000.0,
    };
    let mut random = odeon_example_run::SplitMix64::new(3);
    let mut one_of = |most: u64| random.next() % most;
    for seed in 0..200 {
        let costs = FREE.towards(&dear, one_of(100) as f64 / 50.0);
        let (cores, width) = (1 + one_of(16) as usize, 1 + one_of(16) as usize);
        let (senders, handler_ns) = (1 + one_of(40) as usize, (one_of(3) * one_of(30_000)) as f64);
        let messages = 1 + one_of(20_000);
        Simulation { costs, handler_ns, cores, width, senders, messages, seed }.run();
    }
}
