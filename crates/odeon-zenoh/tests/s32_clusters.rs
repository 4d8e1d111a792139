//! S32: theaters of two clusters that meet are told of each other, and have nothing to do with each
//! other.

use odeon_core::{Actor, Context, Theater};
use odeon_theater::{MembershipEvent, Network, Refusal};
use odeon_zenoh::{ZenohSettings, join};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use crate::support::endpoint::listening;
use crate::support::{LONG, until};

struct Hears(Sender<MembershipEvent>);

impl Actor for Hears {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, _: &mut Context<'_, Self>) {
        // An error means that the test is over.
        let _ = self.0.send(event);
    }
}

fn events(theater: &Theater, network: &Network) -> Receiver<MembershipEvent> {
    let (tell, told) = channel();
    network.subscribe(&theater.spawn(Hears(tell)));
    told
}

#[test]
fn s32_a_theater_of_another_cluster_is_told_of_on_both_sides() {
    let theater = Theater::builder().workers(1).build().unwrap();
    let (endpoint, shop) = listening(|endpoint| {
        let listen = vec![endpoint.to_owned()];
        join(&theater, "shop", &ZenohSettings { listen, ..Default::default() })
    });
    let heard_by_shop = events(&theater, &shop);
    let connect = || ZenohSettings {
        connect: vec![endpoint.clone()],
        // The shop passes nothing on between those of the bank.
        listen: vec!["tcp/127.0.0.1:0".into()],
        ..Default::default()
    };
    let bank = join(&theater, "bank", &connect()).unwrap();
    let heard_by_bank = events(&theater, &bank);
    for (heard, other) in [(&heard_by_shop, &bank), (&heard_by_bank, &shop)] {
        let expected = MembershipEvent::Refused(other.id(), Refusal::OtherCluster);
        assert_eq!(heard.recv_timeout(LONG), Ok(expected));
    }
    assert_eq!(shop.refused(), [(bank.id(), Refusal::OtherCluster)]);
    // Those of one cluster meet beside it.
    let second = join(&theater, "bank", &connect()).unwrap();
    until("those of one cluster meet", || bank.members().len() + second.members().len() == 2);
    until("the shop is told of both", || shop.refused().len() == 2);
    assert_eq!((shop.members(), shop.refused().len()), (Vec::new(), 2));
    // Once for each, however long they see each other.
    std::thread::sleep(Duration::from_millis(700));
    assert_eq!(heard_by_shop.try_iter().count(), 1, "the second of the bank");
    drop((bank, second));
    until("those that have gone are forgotten", || shop.refused().is_empty());
}
