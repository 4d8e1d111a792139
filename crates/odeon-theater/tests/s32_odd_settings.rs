//! S32, S33, S35: settings at the ends of their ranges are refused, or mean what they say.

use super::hostile::Bomb;
use super::support::{Count, Counter, LARGEST_PACKET, LONG, World, find, numbers, until};
use odeon_core::{AskError, Random};
use odeon_theater::{
    ByLoad, Conditions, InMemoryNetwork, LinkConfig, Listener, NameSettings, Names,
    RebalanceSettings, Rebalancer, TheaterId, Transport,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

const MAX: Duration = Duration::MAX;

#[test]
fn s32_the_longest_times_are_never_over() {
    let config = || LinkConfig::new("test", LARGEST_PACKET);
    let configs = [
        LinkConfig { dead_after: MAX, ..config() },
        LinkConfig { dead_after: MAX, suspect_after: MAX - Duration::from_nanos(1), ..config() },
        LinkConfig {
            dead_after: MAX,
            suspect_after: MAX - Duration::from_nanos(1),
            heartbeat: MAX - Duration::from_nanos(2),
            ..config()
        },
        LinkConfig { resend_after: (Duration::from_millis(20), MAX), ..config() },
        LinkConfig {
            ack_delay: MAX - Duration::from_nanos(1),
            resend_after: (MAX, MAX),
            ..config()
        },
        LinkConfig { window: usize::MAX, pressed_at: usize::MAX, ..config() },
        LinkConfig { assembly: usize::MAX, largest_message: usize::MAX, ..config() },
    ];
    for (seed, config) in configs.into_iter().enumerate() {
        assert_eq!(config.validate(), Ok(()));
        let world = World::with(seed as u64, config);
        let (here, there) = (world.theater(1), world.theater(2));
        there.network.publish("counter", &there.theater.spawn(Counter::default()));
        let counter = find(&here, &there, "counter");
        for number in 0..20 {
            counter.send(Count::Add(number)).unwrap();
        }
        assert_eq!(numbers(&counter), (0..20).collect::<Vec<_>>(), "settings {seed}");
    }
}

#[test]
fn s32_times_in_which_nothing_else_could_be_done_are_refused() {
    let config = || LinkConfig::new("test", LARGEST_PACKET);
    let nano = Duration::from_nanos(1);
    let busy = LinkConfig { heartbeat: nano, ..config() };
    assert_eq!(busy.validate(), Err("heartbeat is at least 1 ms"));
    let busy = LinkConfig { ack_delay: Duration::ZERO, resend_after: (nano, nano), ..config() };
    assert_eq!(busy.validate(), Err("resend_after is at least 1 ms"));
    let absurd = LinkConfig { largest_packet: usize::MAX, ..config() };
    assert_eq!(absurd.validate(), Err("window is at least twice largest_packet"));
}

#[test]
fn s33_s35_the_longest_times_of_names_and_of_rebalancing_are_never_over() {
    let world = World::new(3);
    let (here, there) = (world.theater(1), world.theater(2));
    let settings = || NameSettings {
        give_up_after: MAX,
        spawn_within: MAX,
        seek_every: MAX,
        seek_for: MAX,
        replicas: usize::MAX,
        ..NameSettings::default()
    };
    let names = [&here, &there].map(|place| Names::join(&place.network, settings()));
    until("they see each other", || names.iter().all(|names| names.servers().len() == 2));
    let every = RebalanceSettings { every: MAX, rest: MAX, most_moves: usize::MAX };
    let rebalancers = [&here, &there]
        .map(|place| Rebalancer::spawn(&place.network, ByLoad::default(), every.clone()));
    let counter = there.theater.spawn(Counter::default());
    assert!(names[1].register("counter", &counter).wait_timeout(LONG).unwrap().is_ok());
    let found = names[0].lookup::<Count>("counter").wait_timeout(LONG).unwrap().unwrap();
    assert_eq!(numbers(&found), []);
    assert_eq!(rebalancers.map(|rebalancer| rebalancer.moved()), [0, 0]);
}

#[test]
fn s33_functions_of_users_that_panic_leave_names_as_they_are() {
    let world = World::new(4);
    let here = world.theater(1);
    let names = Names::join(&here.network, NameSettings::default());
    let counter = here.theater.spawn(Counter::default());
    names.register("counter", &counter).wait_timeout(LONG).unwrap().unwrap();
    let asked = names.stop_unreferenced(|_| super::hostile::throw_a_bomb());
    assert_eq!(asked.wait_timeout(LONG), Err(AskError::NoReply));
    let bomb = Bomb;
    let found = names.lookup_or_spawn::<Count>("counter", move || {
        drop(bomb);
        unreachable!("somebody has the name")
    });
    assert_eq!(found.wait_timeout(LONG).unwrap().unwrap(), counter);
    let made = names.lookup_or_spawn::<Count>("another", || super::hostile::throw_a_bomb());
    assert!(made.wait_timeout(LONG).unwrap().is_err());
    assert_eq!(names.lookup::<Count>("counter").wait_timeout(LONG).unwrap().unwrap(), counter);
}

struct Deaf;

impl Listener for Deaf {
    fn packet(&self, _: TheaterId, _: &[u8]) {}
    fn appeared(&self, _: TheaterId) {}
    fn vanished(&self, _: TheaterId) {}
}

/// Looks at the network that it is dropped from.
struct Looks(InMemoryNetwork);

impl Drop for Looks {
    fn drop(&mut self) {
        assert_eq!(self.0.next_event(), None);
    }
}

impl Listener for Looks {
    fn packet(&self, _: TheaterId, _: &[u8]) {}
    fn appeared(&self, _: TheaterId) {}
    fn vanished(&self, _: TheaterId) {}
}

#[test]
fn s32_a_network_in_memory_goes_on_behind_who_joins_twice_and_with_delays_of_any_length() {
    let net = InMemoryNetwork::new(1);
    let [a, b, c] = [1, 2, 3].map(TheaterId::from_bits);
    for remove in [InMemoryNetwork::remove, InMemoryNetwork::crash] {
        drop(net.join(c, Arc::new(Looks(net.clone()))));
        remove(&net, c);
    }
    let from_a = net.join(a, Arc::new(Deaf));
    let twice = catch_unwind(AssertUnwindSafe(|| net.join(a, Arc::new(Deaf))));
    assert!(twice.is_err());
    net.join(b, Arc::new(Deaf));
    let mut random = Random::from_seed(1);
    for delay in [(MAX, MAX), (Duration::ZERO, MAX), (Duration::from_secs(1), MAX)] {
        let reordering = f64::from(random.below(2) as u32);
        let conditions = Conditions { delay, reordering, rate: Some(1), ..Conditions::GOOD };
        net.set(a, b, conditions);
        for _ in 0..50 {
            from_a.send(b, vec![0; 1 << 16]);
        }
        net.step(Duration::from_secs(10));
    }
    assert_eq!(net.counts(a, b).sent, 150);
}
