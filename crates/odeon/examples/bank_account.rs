//! An actor, its messages, a question and its answer.
//!
//! cargo run -p odeon --example bank_account

use odeon::prelude::*;

#[derive(Message)]
enum Account {
    Deposit(u64),
    Withdraw(u64, Reply<Result<u64, TooLittle>>),
    Balance(Reply<u64>),
}

#[derive(Debug)]
struct TooLittle {
    missing: u64,
}

#[derive(Default)]
struct Savings {
    balance: u64,
}

impl Actor for Savings {
    type Msg = Account;

    fn handle(&mut self, msg: Account, _ctx: &mut Context<'_, Self>) {
        match msg {
            Account::Deposit(amount) => self.balance += amount,
            Account::Withdraw(amount, reply) => {
                reply.send(match self.balance.checked_sub(amount) {
                    Some(rest) => {
                        self.balance = rest;
                        Ok(rest)
                    }
                    None => Err(TooLittle { missing: amount - self.balance }),
                })
            }
            Account::Balance(reply) => reply.send(self.balance),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    let account = theater.spawn(Savings::default());

    account.send(Account::Deposit(30))?;
    account.send(Account::Deposit(12))?;
    println!("balance: {}", account.ask(Account::Balance).wait()?);

    for amount in [40, 40] {
        match account.ask(|reply| Account::Withdraw(amount, reply)).wait()? {
            Ok(rest) => println!("withdrew {amount}, {rest} left"),
            Err(TooLittle { missing }) => println!("no {amount}: {missing} missing"),
        }
    }

    account.stop();
    while !account.is_stopped() {
        std::thread::yield_now();
    }
    let returned = account.send(Account::Deposit(7)).unwrap_err().into_message();
    if let Account::Deposit(amount) = returned {
        println!("the account is closed, here are your {amount} back");
    }
    Ok(())
}
