//! S36 by Zenoh, on the loopback interface.

use odeon_coordination::Coordination;
use odeon_core::{ActorRef, Message, Reply, Theater};
use odeon_speculative::*;
use odeon_stm::{TVar, Tx};
use odeon_theater::Network;
use odeon_zenoh::ZenohSettings;
use serde::{Deserialize, Serialize};
use std::net::TcpListener;
use std::time::{Duration, Instant};

const LONG: Duration = Duration::from_secs(30);

#[derive(Serialize, Deserialize)]
enum Use {
    Add(i64),
    Balance(Reply<i64>),
}

impl Message for Use {}

struct Account(TVar<i64>);

impl SpeculativeActor for Account {
    type Msg = Use;

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        let balance = self.0.get(tx)?;
        match msg {
            Use::Add(n) if balance + n < 0 => return fail("not covered"),
            Use::Add(n) => self.0.set(tx, balance + n)?,
            Use::Balance(reply) => ctx.reply(reply, balance),
        }
        Ok(())
    }
}

fn place(settings: &ZenohSettings) -> (Theater, Network, Coordination, ActorRef<Use>) {
    let theater = Theater::builder().workers(1).build().unwrap();
    let network = odeon_zenoh::join(&theater, "transactions", settings).unwrap();
    let coordination = Coordination::join(&theater, &network);
    let account = theater.spawn_speculative(Account(TVar::new(100)), Processing::default());
    let account = account.actor_ref();
    network.publish("account", &account);
    (theater, network, coordination, account)
}

#[test]
fn s36_transfers_between_two_theaters_that_zenoh_connects() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let endpoint = vec![format!("tcp/127.0.0.1:{port}")];
    let one = place(&ZenohSettings { listen: endpoint.clone(), ..Default::default() });
    let other = place(&ZenohSettings { connect: endpoint, ..Default::default() });
    let begun = Instant::now();
    while one.1.members().is_empty() || other.1.members().is_empty() {
        assert!(begun.elapsed() < LONG, "they meet");
        std::thread::sleep(Duration::from_millis(1));
    }
    let there: ActorRef<Use> =
        one.1.at(other.1.id()).lookup("account").wait_timeout(LONG).unwrap().unwrap();
    let here = &one.3;
    let transfer = |amount: i64| {
        one.0.coordinate(|co| {
            co.send(here, Use::Add(-amount));
            co.send(&there, Use::Add(amount));
        })
    };
    let all: Vec<Outcome> = (0..100).map(|_| transfer(1)).collect();
    for outcome in all {
        assert_eq!(outcome.wait_timeout(LONG), Some(Ok(())));
    }
    let too_much = transfer(-300).wait_timeout(LONG);
    assert!(matches!(too_much, Some(Err(CoordinationError::Failed { .. }))), "{too_much:?}");
    let balance = |account: &ActorRef<Use>| account.ask(Use::Balance).wait_timeout(LONG).unwrap();
    assert_eq!((balance(here), balance(&there)), (0, 200));
}
