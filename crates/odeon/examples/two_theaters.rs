//! Two theaters, by Zenoh on the loopback interface: an account that lives in one of them, looked
//! up and used from the other. Theaters of two processes, or machines, do the same.
//!
//! cargo run -p odeon --features zenoh --example two_theaters

use std::time::Duration;

use odeon::prelude::*;
use odeon::theaters::{MembershipEvent, Network};
use odeon::zenoh::{ZenohSettings, join};
use serde::{Deserialize, Serialize};

#[derive(Message, Serialize, Deserialize)]
enum Use {
    Deposit(u64),
    Balance(Reply<u64>),
    /// Tells the other account to take over what is there.
    MoveTo(ActorRef<Use>),
}

struct Account {
    balance: u64,
}

impl Actor for Account {
    type Msg = Use;

    fn handle(&mut self, msg: Use, _: &mut Context<'_, Self>) {
        match msg {
            Use::Deposit(amount) => self.balance += amount,
            Use::Balance(reply) => reply.send(self.balance),
            Use::MoveTo(other) => {
                let amount = std::mem::take(&mut self.balance);
                other.send(Use::Deposit(amount)).expect("the other account is there");
            }
        }
    }
}

/// Passes on the first theater that joins.
struct Waits(std::sync::mpsc::Sender<odeon::theaters::TheaterId>);

impl Actor for Waits {
    type Msg = MembershipEvent;

    fn handle(&mut self, event: MembershipEvent, ctx: &mut Context<'_, Self>) {
        if let MembershipEvent::Joined(theater) = event {
            let _ = self.0.send(theater);
            ctx.stop();
        }
    }
}

const PATIENCE: Duration = Duration::from_secs(30);

fn wait_for_another(
    theater: &Theater,
    network: &Network,
) -> Result<odeon::theaters::TheaterId, std::sync::mpsc::RecvTimeoutError> {
    let (tell, told) = std::sync::mpsc::channel();
    network.subscribe(&theater.spawn(Waits(tell)));
    told.recv_timeout(PATIENCE)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A port that is free at this moment.
    let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let endpoint = format!("tcp/127.0.0.1:{port}");

    let bank = Theater::new()?;
    let listens = ZenohSettings { listen: vec![endpoint.clone()], ..Default::default() };
    let of_bank = join(&bank, "example", &listens)?;
    of_bank.publish("savings", &bank.spawn(Account { balance: 100 }));

    let home = Theater::new()?;
    let connects = ZenohSettings { connect: vec![endpoint], ..Default::default() };
    let of_home = join(&home, "example", &connects)?;
    let there = wait_for_another(&home, &of_home)?;
    println!("joined: {}", there == of_bank.id());

    let savings = of_home.at(there).lookup::<Use>("savings").wait_timeout(PATIENCE)??;
    savings.send(Use::Deposit(23))?;
    println!("savings: {}", savings.ask(Use::Balance).wait_timeout(PATIENCE)?);

    // A reference to an actor here goes there, and leads back.
    let wallet = home.spawn(Account { balance: 0 });
    savings.send(Use::MoveTo(wallet.clone()))?;
    println!("savings: {}", savings.ask(Use::Balance).wait_timeout(PATIENCE)?);
    while wallet.ask(Use::Balance).wait()? == 0 {
        std::thread::yield_now();
    }
    println!("wallet: {}", wallet.ask(Use::Balance).wait()?);

    let nobody = of_home.at(there).lookup::<Use>("current").wait_timeout(PATIENCE)?;
    println!("current: {}", nobody.expect_err("there is none"));

    println!("left: {}", of_home.leave(PATIENCE));
    Ok(())
}
