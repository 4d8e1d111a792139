//! `bank`: Savina's banking transaction. A teller orders transfers between accounts; the source of
//! a transfer takes no further one until the destination has confirmed.

use crate::workload::prelude::*;
use odeon::prelude::*;
use odeon_example_savina::bank_transfers::{INITIAL_BALANCE, Transfer, Transfers, check_conserved};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

/// See the module.
pub(super) static BANK: Workload = Workload {
    summary: "transfers between accounts, the source of each waiting for its destination",
    operation: "transfer",
    floor_is: "an array of balances and a VecDeque of all transfers on one thread",
    parameters: &[
        Parameter::number("accounts", "accounts", 2, 1_000_000, 1000),
        Parameter::number("transfers", "transfers", 1, 1_000_000_000, 1_000_000),
        Parameter::number("seed", "seed of all random draws", 0, u64::MAX, 1),
        WORKERS,
    ],
    peers: &ACTOR_RUNTIMES,
    ..Workload::new("bank", run, floor)
};

fn run(_variant: Variant, params: &Params) -> Result<Measured, BenchError> {
    let theater = theater(params)?;
    let transfers = drawn(params);
    let ops = transfers.left();
    let (finish, waiting) = finish_line(1);
    let book = Arc::new(OnceLock::new());
    let teller = theater.spawn(Teller { transfers, book: book.clone(), missing: ops, finish });
    let new_account = |_| {
        let (book, teller) = (book.clone(), teller.clone());
        theater.spawn(WaitingAccount { balance: INITIAL_BALANCE, book, teller })
    };
    let accounts: Vec<_> = (0..params.count("accounts")).map(new_account).collect();
    let accounts = book.get_or_init(|| accounts);
    let measured = waiting
        .time(ops, || {
            teller.post(ToTeller::Begin);
        })?
        .into();

    let balances = accounts.iter().map(|account| account.ask(ToAccount::Balance).wait());
    let balances: Vec<i64> = balances.collect::<Result<_, _>>().map_err(runtime)?;
    check_conserved(&balances).map(|()| measured)
}

fn floor(params: &Params) -> Result<Measured, BenchError> {
    let transfers = drawn(params);
    let mut balances = vec![INITIAL_BALANCE; params.count("accounts")];
    let (measured, ()) = Measured::time(transfers.left(), || {
        let mut ordered: VecDeque<Transfer> = transfers.collect();
        while let Some(Transfer { source, destination, amount }) = ordered.pop_front() {
            balances[source] -= amount;
            balances[destination] += amount;
        }
    });
    check_conserved(&balances).map(|()| measured)
}

fn drawn(params: &Params) -> Transfers {
    let number = |name| params.number(name);
    Transfers::new(number("accounts"), number("transfers"), number("seed"))
}

/// All accounts by number; filled before the first transfer.
type AccountBook = Arc<OnceLock<Vec<ActorRef<ToAccount>>>>;

#[derive(Message)]
enum ToTeller {
    Begin,
    Done,
}

/// Orders all transfers at once, as Savina's does, and counts those that are done.
struct Teller {
    transfers: Transfers,
    book: AccountBook,
    missing: u64,
    finish: Finish,
}

impl Actor for Teller {
    type Msg = ToTeller;

    fn handle(&mut self, message: ToTeller, _ctx: &mut Context<'_, Self>) {
        match message {
            ToTeller::Begin => {
                let Some(accounts) = self.book.get() else { return };
                for Transfer { source, destination, amount } in &mut self.transfers {
                    accounts[source].post(ToAccount::Transfer { destination, amount });
                }
            }
            ToTeller::Done => {
                self.missing -= 1;
                if self.missing == 0 {
                    self.finish.arrive();
                }
            }
        }
    }
}

/// The mailbox of transfers, which a waiting account closes. Credits, and the answer it waits for,
/// come by mailbox 0.
const TRANSFERS: usize = 1;

#[derive(Message)]
enum ToAccount {
    #[mailbox(1)]
    Transfer {
        destination: usize,
        amount: i64,
    },
    Credit(i64, Reply<()>),
    /// The credit of the transfer in progress is done.
    Credited,
    /// Outside the measured part.
    Balance(Reply<i64>),
}

struct WaitingAccount {
    balance: i64,
    book: AccountBook,
    teller: ActorRef<ToTeller>,
}

impl Actor for WaitingAccount {
    type Msg = ToAccount;

    fn handle(&mut self, message: ToAccount, ctx: &mut Context<'_, Self>) {
        match message {
            ToAccount::Transfer { destination, amount } => {
                let Some(accounts) = self.book.get() else { return };
                self.balance -= amount;
                // A credit that got lost shows in the balances.
                let credited = ctx.reply_to(|_| ToAccount::Credited);
                accounts[destination].post(ToAccount::Credit(amount, credited));
                ctx.close(TRANSFERS);
            }
            ToAccount::Credit(amount, reply) => {
                self.balance += amount;
                reply.send(());
            }
            ToAccount::Credited => {
                self.teller.post(ToTeller::Done);
                ctx.open(TRANSFERS);
            }
            ToAccount::Balance(reply) => reply.send(self.balance),
        }
    }
}
