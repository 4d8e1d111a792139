//! S32: who subscribes is told of changes in their order, whichever threads find out.

use odeon_core::{Actor, Context, Theater};
use odeon_testkit::Deterministic;
use odeon_theater::{
    InMemoryNetwork, InMemoryTransport, LinkConfig, Listener, Membership, MembershipEvent, Network,
    TheaterId, Transport,
};
use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

const STEP: Duration = Duration::from_millis(10);
const SUSPECTS: Duration = Duration::from_millis(50);

struct Notes(Arc<Mutex<Vec<MembershipEvent>>>);

impl Actor for Notes {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        self.0.lock().unwrap().push(event);
    }
}

/// What a theater hears, unless it is to be late.
struct Ears {
    listener: Arc<dyn Listener>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    now: Duration,
    heard_at: Duration,
    is_late: bool,
    late: Vec<(TheaterId, Vec<u8>)>,
}

impl Listener for Ears {
    fn packet(&self, from: TheaterId, packet: &[u8]) {
        let mut state = self.state.lock().unwrap();
        if state.is_late {
            return state.late.push((from, packet.to_vec()));
        }
        state.heard_at = state.now;
        drop(state);
        self.listener.packet(from, packet);
    }

    fn appeared(&self, theater: TheaterId) {
        self.listener.appeared(theater);
    }

    fn vanished(&self, theater: TheaterId) {
        self.listener.vanished(theater);
    }
}

/// While this theater sends its first packet after so long a silence, another thread hears what was
/// late.
struct Mouth {
    transport: InMemoryTransport,
    ears: Arc<Ears>,
}

impl Transport for Mouth {
    fn send(&self, to: TheaterId, packet: Vec<u8>) {
        let mut state = self.ears.state.lock().unwrap();
        if state.is_late && state.now - state.heard_at >= SUSPECTS {
            state.is_late = false;
            let late = std::mem::take(&mut state.late);
            drop(state);
            assert!(!late.is_empty());
            let hears = |(from, packet): (_, Vec<u8>)| self.ears.packet(from, &packet);
            thread::scope(|scope| drop(scope.spawn(|| late.into_iter().for_each(hears))));
        }
        self.transport.send(to, packet);
    }

    fn largest_packet(&self) -> usize {
        self.transport.largest_packet()
    }
}

#[test]
fn s32_a_suspicion_is_told_before_it_is_cleared() {
    let net = InMemoryNetwork::new(1);
    let config = LinkConfig {
        heartbeat: STEP,
        suspect_after: SUSPECTS,
        dead_after: Duration::from_secs(10),
        ..LinkConfig::new("test", 65_000)
    };
    let runs = [0, 1].map(|seed| Deterministic::with(seed, Theater::builder()));
    let mut ears = None;
    let networks = [0, 1].map(|number| {
        let id = TheaterId::from_bits(number as u128 + 1);
        let joined = Network::join(runs[number].theater(), id, config.clone(), |id, listener| {
            let its = Arc::new(Ears { listener, state: Mutex::default() });
            let transport = net.join(id, its.clone());
            let mouth = Mouth { transport, ears: its.clone() };
            ears.get_or_insert(its);
            Ok::<_, Infallible>(Arc::new(mouth) as Arc<dyn Transport>)
        });
        joined.unwrap()
    });
    let [here, there] = &networks;
    let ears = ears.unwrap();
    let events: Arc<Mutex<Vec<_>>> = Arc::default();
    here.subscribe(&runs[0].theater().spawn(Notes(events.clone())));
    let mut now = Duration::ZERO;
    let mut steps = |number: usize| {
        for _ in 0..number {
            net.step(now);
            now += STEP;
            ears.state.lock().unwrap().now = now;
            runs.iter().for_each(|run| _ = run.advance(STEP));
        }
    };
    steps(20);
    let joined = MembershipEvent::Joined(there.id());
    assert_eq!(*events.lock().unwrap(), [joined]);
    ears.state.lock().unwrap().is_late = true;
    steps(20);
    assert!(!ears.state.lock().unwrap().is_late, "it was suspected, and heard");
    let (suspected, cleared) =
        (MembershipEvent::Suspected(there.id()), MembershipEvent::Cleared(there.id()));
    assert_eq!(*events.lock().unwrap(), [joined, suspected, cleared]);
    assert_eq!(here.members(), [(there.id(), Membership::Present)]);
}
