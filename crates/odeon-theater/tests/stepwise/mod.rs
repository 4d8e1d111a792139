//! Theaters in one thread that go on packet by packet, so that something can go wrong after each.
#![allow(unreachable_pub, dead_code, reason = "as in `support`; not every test kills everybody")]

use odeon_core::Theater;
use odeon_testkit::Deterministic;
use odeon_theater::{Conditions, InMemoryNetwork, LinkConfig, Network, TheaterId};
use std::convert::Infallible;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trouble {
    Killed(usize),
    /// Killed, and what is under way from there is lost.
    Unplugged(usize),
    /// For less time than it takes to hold each other for dead.
    CutForAWhile(usize, usize),
    CutForLong(usize, usize),
    /// Cut off from all others, for long.
    Isolated(usize),
    /// Leaves the network, with all the time that it needs for that.
    Leaves(usize),
}

pub struct Place {
    run: Deterministic,
    pub network: Network,
    pub is_dead: bool,
}

impl Place {
    pub fn theater(&self) -> &Theater {
        self.run.theater()
    }
}

pub struct Stepwise {
    net: InMemoryNetwork,
    pub places: Vec<Place>,
    pub now: Duration,
    /// How many packets have come.
    pub packets: usize,
    /// Is so after every packet.
    invariant: fn(&Self),
}

pub fn id(place: usize) -> TheaterId {
    TheaterId::from_bits(place as u128 + 1)
}

impl Stepwise {
    /// Theaters that have met.
    pub fn new(seed: u64, theaters: usize, invariant: fn(&Self)) -> Self {
        let net = InMemoryNetwork::new(seed);
        let (from, to) = (Duration::from_micros(500), Duration::from_millis(6));
        net.set_everywhere(Conditions { delay: (from, to), ..Conditions::GOOD });
        let place = |number: usize| {
            let run = Deterministic::with(seed + number as u64, Theater::builder());
            let config = LinkConfig::new("simulated", 65_000);
            let network = Network::join(run.theater(), id(number), config, |me, listener| {
                Ok::<_, Infallible>(Arc::new(net.join(me, listener)))
            });
            Place { run, network: network.unwrap(), is_dead: false }
        };
        let places = (0..theaters).map(place).collect();
        let mut stepwise = Self { net, places, now: Duration::ZERO, packets: 0, invariant };
        stepwise.pass(Duration::from_millis(100));
        stepwise
    }

    pub fn living(&self) -> impl Iterator<Item = (usize, &Place)> {
        self.places.iter().enumerate().filter(|(_, place)| !place.is_dead)
    }

    /// The next packet comes, or some time passes.
    pub fn step(&mut self) {
        let soon = self.now + Duration::from_millis(10);
        let next = self.net.next_event().unwrap_or(soon).clamp(self.now, soon);
        let passes = next - self.now;
        self.now = next;
        self.packets += self.net.step(next);
        for (_, place) in self.living() {
            place.run.advance(passes);
        }
        (self.invariant)(self);
    }

    pub fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while self.now < until {
            self.step();
        }
    }

    pub fn trouble(&mut self, trouble: Trouble) {
        let all = 0..self.places.len();
        let (ways, time): (Vec<_>, _) = match trouble {
            Trouble::Killed(place) | Trouble::Unplugged(place) => {
                self.net.crash(id(place));
                self.places[place].is_dead = true;
                if matches!(trouble, Trouble::Unplugged(_)) {
                    all.for_each(|other| self.net.cut(id(place), id(other)));
                }
                return;
            }
            Trouble::Leaves(place) => {
                let network = self.places[place].network.clone();
                let leaves = thread::spawn(move || network.leave(Duration::from_secs(60)));
                // Until it has begun, which nobody can see from here.
                thread::sleep(Duration::from_millis(3));
                while !leaves.is_finished() {
                    self.step();
                }
                assert!(leaves.join().unwrap());
                return;
            }
            Trouble::CutForAWhile(one, other) => (vec![(one, other)], Duration::from_millis(700)),
            Trouble::CutForLong(one, other) => (vec![(one, other)], Duration::from_secs(3)),
            Trouble::Isolated(one) => {
                let others = all.filter(|&other| other != one);
                (others.map(|other| (one, other)).collect(), Duration::from_secs(3))
            }
        };
        ways.iter().for_each(|&(one, other)| self.net.cut(id(one), id(other)));
        self.pass(time);
        ways.iter().for_each(|&(one, other)| self.net.heal(id(one), id(other)));
    }
}
