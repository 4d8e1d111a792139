use super::*;
use crate::simulation::{Costs, Simulation};

/// An actor with two shards, one for each sender, which send nothing by themselves.
fn plan(width: usize, cores: usize) -> Simulation {
    let (costs, handler_ns, senders, messages, seed) = (Costs::default(), 50.0, 2, 0, 1);
    Simulation { costs, handler_ns, cores, width, senders, messages, seed }
}

/// With so many messages in the inbox of each shard, each on a core of its own if there are two.
fn roused(plan: &Simulation, messages: [usize; 2]) -> World<'_> {
    let mut world = World::new(plan);
    for (number, messages) in messages.into_iter().enumerate() {
        if messages == 0 {
            continue;
        }
        world.shards[number].push(messages, 0);
        assert_eq!(world.rouse_shard(number, number % plan.cores, 0), 0.0);
    }
    (0..plan.cores).for_each(|core| world.at(0, core, Step::Begin));
    world
}

fn run_until(world: &mut World<'_>, is_reached: impl Fn(&World<'_>) -> bool) -> Picoseconds {
    loop {
        let (now, core) = world.next_event().expect("it comes to that");
        world.step(core, now);
        if is_reached(world) {
            return now;
        }
    }
}

fn is_over(world: &World<'_>) -> bool {
    world.shards.iter().all(|shard| !shard.is_roused)
}

#[test]
fn a_short_burst_is_one_place_and_three_ways_through_the_lock() {
    let plan = plan(2, 1);
    let mut world = roused(&plan, [64, 0]);
    run_until(&mut world, is_over);
    assert_eq!((world.handled, world.places_taken), (64, 1));
    // To begin, to give the place back, and to see whether all shards rest.
    assert_eq!(world.board_lock.passes, 3);
}

#[test]
fn a_turn_ends_with_its_place() {
    let plan = plan(2, 1);
    let mut world = roused(&plan, [600, 0]);
    run_until(&mut world, |world| matches!(world.steps[0], Step::Passed(0, Pass::TurnEnds, _)));
    assert_eq!((world.handled, world.board_lock.passes), (256, 2));
    assert!(world.shards[0].place.is_none());
    run_until(&mut world, is_over);
    assert_eq!((world.handled, world.places_taken), (600, 3));
}

#[test]
fn long_places_follow_each_other_in_one_turn_until_its_time_is_over() {
    let plan = Simulation { handler_ns: 4000.0, ..plan(2, 1) };
    let mut world = roused(&plan, [60, 0]);
    let ended =
        run_until(&mut world, |world| matches!(world.steps[0], Step::Passed(0, Pass::TurnEnds, _)));
    // Eight messages are not timed, and 100 us are 25 of them.
    assert!((100_000_000..160_000_000).contains(&ended), "{ended}");
    assert!((3..=5).contains(&world.places_taken), "ten messages each: {}", world.places_taken);
    let ways = world.places_taken + 1;
    assert_eq!(world.board_lock.passes, ways, "one place is given back as the next is taken");
}

#[test]
fn without_a_free_place_a_shard_waits_until_it_is_handed_over() {
    // As the two of a wider actor do, when others have all the places but one.
    let plan = plan(2, 2);
    let mut world = roused(&plan, [100, 100]);
    assert!(world.places.begin(0), "somebody's who is not seen here");
    run_until(&mut world, |world| {
        world.shards.iter().any(|shard| shard.pause == SimulatedPause::Pauses)
    });
    let waits = world.shards.iter().position(|shard| shard.pause == SimulatedPause::Pauses);
    let waits = waits.expect("one of them");
    assert_eq!((world.handled, world.shards[waits].waiting), (0, 100));
    let given = |world: &World<'_>| {
        world.steps.iter().any(|step| matches!(step, Step::Passed(_, _, Some(_))))
    };
    run_until(&mut world, given);
    assert_eq!((world.handled, world.shards[waits].waiting), (100, 100));
    run_until(&mut world, is_over);
    assert_eq!((world.handled, world.places_taken), (200, 2));
}

#[test]
fn senders_are_relieved_when_a_turn_has_left_little() {
    let plan = plan(2, 1);
    let mut world = roused(&plan, [PRESSED_FROM, 0]);
    assert!(world.shards[0].is_pressed);
    world.shards[0].held.push(0);
    run_until(&mut world, |world| !world.shards[0].is_pressed);
    // Turns of 256 messages.
    assert_eq!((world.handled, world.shards[0].waiting), (512, 512));
    assert!(world.shards[0].held.is_empty());
}

#[test]
fn the_own_turn_of_a_narrow_actor_needs_no_place_and_ends_by_its_messages() {
    let plan = Simulation { senders: 1, ..plan(1, 1) };
    let mut world = World::new(&plan);
    world.shards[0].push(100, 0);
    world.rouse_shard(0, 0, 0);
    world.at(0, 0, Step::Begin);
    run_until(&mut world, |world| world.handled > 0 && world.steps[0] == Step::Begin);
    assert_eq!((world.handled, world.shards[0].waiting), (64, 36));
    run_until(&mut world, is_over);
    assert_eq!((world.handled, world.places_taken, world.board_lock.passes), (100, 0, 0));
}
