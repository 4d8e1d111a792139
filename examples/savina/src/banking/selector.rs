//! An account closes all mailboxes but that of confirmations until the one it waits for has come.

use super::ledger::Ledger;
use crate::bank_transfers::{INITIAL_BALANCE, Transfer};
use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

pub(super) fn set_up(theater: &Theater, ledger: Ledger, finish: Finish) -> impl FnOnce() {
    let (count, book) = (ledger.accounts(), AddressBook::new());
    let teller = theater.spawn(Teller { ledger, book: book.clone(), finish });
    let account = |number| {
        let (book, teller) = (book.clone(), teller.clone());
        theater.spawn(BankAccount { number, balance: INITIAL_BALANCE, book, teller })
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
                    self.book.actor(source).post(ToAccount::Transfer { to, amount });
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

#[derive(Mailboxes, Clone, Copy)]
enum AccountPort {
    Confirmations,
    Credits,
    Transfers,
}

#[derive(Message)]
enum ToAccount {
    #[mailbox(AccountPort::Confirmations)]
    Confirmed,
    #[mailbox(AccountPort::Credits)]
    Credit { from: u32, amount: u32 },
    #[mailbox(AccountPort::Transfers)]
    Transfer { to: u32, amount: u32 },
    #[mailbox(AccountPort::Transfers)]
    Close,
}

struct BankAccount {
    number: u32,
    balance: i64,
    book: AddressBook<ToAccount>,
    teller: ActorRef<ToTeller>,
}

impl Actor for BankAccount {
    type Msg = ToAccount;

    fn selection(&self) -> Selection {
        Selection::as_they_come()
    }

    fn handle(&mut self, message: ToAccount, ctx: &mut Context<'_, Self>) {
        match message {
            ToAccount::Transfer { to, amount } => {
                self.balance -= i64::from(amount);
                let credit = ToAccount::Credit { from: self.number, amount };
                self.book.actor(to as usize).post(credit);
                ctx.close_all_except([AccountPort::Confirmations]);
            }
            ToAccount::Credit { from, amount } => {
                self.balance += i64::from(amount);
                self.book.actor(from as usize).post(ToAccount::Confirmed);
            }
            ToAccount::Confirmed => {
                self.teller.post(ToTeller::Done);
                ctx.open_all();
            }
            ToAccount::Close => {
                let (account, balance) = (self.number, self.balance);
                self.teller.post(ToTeller::Closed { account, balance });
                ctx.stop();
            }
        }
    }
}
