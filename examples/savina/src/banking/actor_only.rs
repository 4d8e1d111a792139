//! An account stashes what comes until the confirmation that it waits for; credits leave the stash
//! before transfers.

use super::ledger::Ledger;
use crate::bank_transfers::{INITIAL_BALANCE, Transfer};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;
use std::collections::VecDeque;

pub(super) fn set_up(theater: &Theater, ledger: Ledger, finish: Finish) -> impl FnOnce() {
    let (count, book) = (ledger.accounts(), AddressBook::new());
    let teller = theater.spawn(Teller { ledger, book: book.clone(), finish });
    let account = |number| {
        let (book, teller) = (book.clone(), teller.clone());
        let (credits, transfers) = (VecDeque::new(), VecDeque::new());
        let (balance, waits) = (INITIAL_BALANCE, false);
        theater.spawn(BankAccount { number, balance, waits, credits, transfers, book, teller })
    };
    book.fill((0..count as u32).map(account).collect());
    move || teller.post(ToTeller::Order)
}

#[derive(Message)]
enum ToTeller {
    Order,
    Done,
    Closed { account: u32, balance: i64 },
}

struct Teller {
    ledger: Ledger,
    book: AddressBook<ToAccount>,
    finish: Finish,
}

impl Actor for Teller {
    type Msg = ToTeller;

    fn handle(&mut self, message: ToTeller, ctx: &mut Context<'_, Self>) {
        match message {
            ToTeller::Order => {
                for Transfer { source, destination, amount } in self.ledger.portion() {
                    let (to, amount) = (destination as u32, amount as u32);
                    self.book.actor(source).post(ToAccount::Transfer(TransferOrder { to, amount }));
                }
                if self.ledger.has_more() {
                    ctx.send_self(ToTeller::Order);
                }
            }
            ToTeller::Done => {
                if self.ledger.one_is_done() {
                    self.book.all().iter().for_each(|account| account.post(ToAccount::Close));
                }
            }
            ToTeller::Closed { account, balance } => {
                self.ledger.check(account as usize, balance, &self.finish);
            }
        }
    }
}

#[derive(Message)]
enum ToAccount {
    Confirmed,
    Credit(Credit),
    Transfer(TransferOrder),
    Close,
}

struct Credit {
    from: u32,
    amount: u32,
}

struct TransferOrder {
    to: u32,
    amount: u32,
}

struct BankAccount {
    number: u32,
    balance: i64,
    /// For a confirmation.
    waits: bool,
    credits: VecDeque<Credit>,
    transfers: VecDeque<TransferOrder>,
    book: AddressBook<ToAccount>,
    teller: ActorRef<ToTeller>,
}

impl BankAccount {
    fn credit(&mut self, Credit { from, amount }: Credit) {
        self.balance += i64::from(amount);
        self.book.actor(from as usize).post(ToAccount::Confirmed);
    }

    fn transfer(&mut self, TransferOrder { to, amount }: TransferOrder) {
        self.balance -= i64::from(amount);
        let credit = Credit { from: self.number, amount };
        self.book.actor(to as usize).post(ToAccount::Credit(credit));
        self.waits = true;
    }
}

impl Actor for BankAccount {
    type Msg = ToAccount;

    fn handle(&mut self, message: ToAccount, ctx: &mut Context<'_, Self>) {
        match message {
            ToAccount::Transfer(order) if self.waits => self.transfers.push_back(order),
            ToAccount::Transfer(order) => self.transfer(order),
            ToAccount::Credit(credit) if self.waits => self.credits.push_back(credit),
            ToAccount::Credit(credit) => self.credit(credit),
            ToAccount::Confirmed => {
                self.teller.post(ToTeller::Done);
                self.waits = false;
                while let Some(credit) = self.credits.pop_front() {
                    self.credit(credit);
                }
                if let Some(order) = self.transfers.pop_front() {
                    self.transfer(order);
                }
            }
            ToAccount::Close => {
                let (account, balance) = (self.number, self.balance);
                self.teller.post(ToTeller::Closed { account, balance });
                ctx.stop();
            }
        }
    }
}
