//! S32: who does not know the secret of a cluster is not let in, and both sides can say why there
//! is nobody.

use super::support::{Count, Counter, LARGEST_PACKET, LONG, Place, World, find, until};
use odeon_core::{Actor, Context};
use odeon_theater::{LinkConfig, MembershipEvent, Refusal, Secret};
use std::sync::mpsc::{Receiver, Sender, channel};

struct Teller(Sender<MembershipEvent>);

impl Actor for Teller {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        let _ = self.0.send(event);
    }
}

fn told(place: &Place) -> Receiver<MembershipEvent> {
    let (tell, told) = channel();
    place.network.subscribe(&place.theater.spawn(Teller(tell)));
    told
}

fn config(secret: Option<&str>) -> LinkConfig {
    let secret = secret.map(|secret| Secret::new(secret).unwrap());
    LinkConfig { secret, ..LinkConfig::new("test", LARGEST_PACKET) }
}

#[test]
fn s32_who_does_not_know_the_secret_is_not_let_in() {
    let ours = Some("the secret of this cluster");
    let world = World::with(1, config(ours));
    let (a, b) = (world.theater(1), world.theater(2));
    for (number, theirs) in [(3, None), (4, Some("another secret than ours"))] {
        let stranger = world.theater_with(number, config(theirs));
        let (by_a, by_stranger) = (told(&a), told(&stranger));
        let is_refused = |by: &Receiver<MembershipEvent>, who: &Place| loop {
            match by.recv_timeout(LONG).unwrap() {
                MembershipEvent::Refused(theater, why) if theater == who.network.id() => {
                    return why;
                }
                _ => {}
            }
        };
        assert_eq!(is_refused(&by_a, &stranger), Refusal::OtherSecret);
        assert_eq!(is_refused(&by_stranger, &a), Refusal::OtherSecret);
        assert!(a.network.refused().contains(&(stranger.network.id(), Refusal::OtherSecret)));
        assert!(stranger.network.members().is_empty());
        assert!(a.network.members().iter().all(|(id, _)| *id == b.network.id()));
        // Whoever subscribes later is told, too.
        assert_eq!(is_refused(&told(&a), &stranger), Refusal::OtherSecret);
    }
    let counter = a.theater.spawn(Counter::default());
    a.network.publish("counter", &counter);
    let its = find(&b, &a, "counter");
    its.send(Count::Add(7)).unwrap();
    assert_eq!(its.ask(Count::All).wait_timeout(LONG).unwrap(), [7], "those who know it go on");
}

#[test]
fn s32_a_theater_of_another_cluster_is_told_of() {
    let world = World::with(2, config(None));
    let a = world.theater(1);
    let elsewhere = LinkConfig { cluster: "other".into(), ..config(None) };
    let stranger = world.theater_with(2, elsewhere);
    let refused = |place: &Place| place.network.refused();
    until("both know", || !refused(&a).is_empty() && !refused(&stranger).is_empty());
    assert_eq!(refused(&a), [(stranger.network.id(), Refusal::OtherCluster)]);
    assert_eq!(refused(&stranger), [(a.network.id(), Refusal::OtherCluster)]);
}
