//! `transfer`: coordinated transactions between actors. Each actor keeps accounts; a transfer takes
//! from an account of one and gives to an account of another, wholly or not at all. In `accounts`
//! one actor keeps all of them, and a transfer is one message.

mod bank;
mod client;
mod transfers;

use crate::latency::Latency;
use crate::trace;
use crate::workload::prelude::*;
use bank::{Bank, ToBank};
use client::{Client, ToClient};
use odeon::prelude::*;
use odeon_example_shared_state::processing;
use std::sync::mpsc::channel;
use transfers::{TransferPlan, check_conserved};

/// See the module.
pub(super) static TRANSFER: Workload = Workload {
    summary: "coordinated transfers between accounts of different actors, with their latency",
    operation: "transfer",
    floor_is: "one thread that moves amounts between arrays",
    parameters: &[
        Parameter::word("mode", "how the actors process their messages", MODES).outside_floor(),
        Parameter::number("actors", "actors that keep accounts", 2, 10_000, 2),
        Parameter::number("accounts", "accounts of each of them", 1, 1_000_000, 1000),
        Parameter::number("hot", "transfers between first accounts, in per cent", 0, 100, 0),
        Parameter::number("clients", "actors that begin transfers", 1, 10_000, 4),
        Parameter::number("window", "undecided transfers of each client", 1, 100_000, 16),
        Parameter::number(
            "transfers",
            "transfers of all clients together",
            1,
            1_000_000_000,
            200_000,
        ),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        WORKERS,
    ],
    traced_modes: MODES,
    ..Workload::new("transfer", run, floor)
};

const MODES: &[&str] = &["adaptive", "nonblocking", "combined", "sequential", "concurrent"];

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let plan = TransferPlan::new(params);
    let theater = theater(params)?;
    let new_bank = |_| {
        let bank = Bank::new(plan.accounts);
        let bank = theater.spawn_speculative(bank, processing(params.word("mode")));
        trace::watch(&bank);
        bank.actor_ref()
    };
    let banks: Vec<_> = (0..plan.actors).map(new_bank).collect();
    let (finish, waiting) = finish_line(plan.clients);
    let (tell, told) = channel();
    let new_client = |number| {
        let transfers = plan.transfers_of(number);
        let client = Client::new(transfers, banks.clone(), tell.clone(), finish.clone());
        theater.spawn(client)
    };
    let clients: Vec<_> = (0..plan.clients).map(new_client).collect();
    let measured = waiting
        .time(plan.transfers, || {
            clients.iter().for_each(|client| client.post(ToClient::Begin { window: plan.window }));
        })?
        .into();

    // A client tells its latencies before it arrives.
    let latencies: Vec<u32> = told.try_iter().flatten().collect();
    let gains = banks.iter().map(|bank| bank.ask(ToBank::Gained).wait());
    let gains: Vec<i64> = gains.collect::<Result<_, _>>().map_err(runtime)?;
    check_conserved(&gains)?;
    Ok(Measured { latency: Latency::of(latencies), ..measured })
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let plan = TransferPlan::new(params);
    let mut gains = vec![vec![0; plan.accounts]; plan.actors];
    let (measured, ()) = Measured::time(plan.transfers, || {
        for transfer in (0..plan.clients).flat_map(|client| plan.transfers_of(client)) {
            gains[transfer.from.actor][transfer.from.account] -= transfer.amount;
            gains[transfer.to.actor][transfer.to.account] += transfer.amount;
        }
    });
    let gains: Vec<i64> = gains.iter().map(|accounts| accounts.iter().sum()).collect();
    check_conserved(&gains).map(|()| measured)
}
