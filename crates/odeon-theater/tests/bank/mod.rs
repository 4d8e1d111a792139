//! A bank whose branches move, and the judge's account of what its clients may be told.
//!
//! Each branch keeps some accounts. A transfer within a branch is one message. One between two
//! branches is taken from the first account by one message, which sends another one to the other
//! branch, and with it the right to answer. So whoever is told that it is done knows that it has
//! been at both.
#![allow(unreachable_pub, reason = "several tests share it")]

use odeon_core::{Actor, ActorRef, Context, Message, Reply};
use odeon_testkit::{Model, Step};
use odeon_theater::Mobile;
use serde::{Deserialize, Serialize};

pub const BRANCHES: usize = 3;
pub const ACCOUNTS: usize = 4;
/// In each account at first: little, so that transfers are refused.
pub const INITIAL: u64 = 10;

/// What a client asks of a branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Call {
    /// Within a branch.
    Transfer { branch: usize, from: usize, to: usize, amount: u64 },
    /// From a branch to the same account of another one.
    Remit { branch: usize, to: usize, account: usize, amount: u64 },
    /// All accounts of a branch.
    Audit { branch: usize },
}

impl Call {
    pub fn branch(&self) -> usize {
        match *self {
            Self::Transfer { branch, .. } | Self::Remit { branch, .. } | Self::Audit { branch } => {
                branch
            }
        }
    }
}

/// What the client is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Answer {
    /// What is in the account then from which it was taken, and in that which it has come to.
    Done {
        left: u64,
        now: u64,
    },
    /// There is no more than this.
    Refused {
        has: u64,
    },
    /// The other branch is lost, as far as this one knows: all is as before, and there is this.
    Returned {
        has: u64,
    },
    Balances(Vec<u64>),
}

/// What a branch is sent.
#[derive(Serialize, Deserialize)]
pub enum Order {
    /// These are all branches.
    Know(Vec<ActorRef<Order>>),
    Do(Call, Reply<Answer>),
    /// The second half of a remittance.
    Credit {
        account: usize,
        amount: u64,
        left: u64,
        reply: Reply<Answer>,
    },
}

impl Message for Order {}

/// What is wrong with a branch, to show that it is found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Fault {
    None,
    /// Every so manieth order is handled twice.
    Twice(u64),
    /// Every so manieth credit is answered and not entered.
    Forgets(u64),
    /// When it has moved it is as it was when it moved before.
    Relapses,
}

#[derive(Serialize, Deserialize)]
pub struct Branch {
    accounts: Vec<u64>,
    branches: Vec<ActorRef<Order>>,
    fault: Fault,
    orders: u64,
    before: Vec<u64>,
}

impl Branch {
    pub fn new(fault: Fault) -> Self {
        let accounts = vec![INITIAL; ACCOUNTS];
        Self { before: accounts.clone(), accounts, branches: Vec::new(), fault, orders: 0 }
    }

    fn is_struck(&mut self) -> bool {
        self.orders += 1;
        match self.fault {
            Fault::None | Fault::Relapses => false,
            Fault::Twice(every) | Fault::Forgets(every) => self.orders % every == 0,
        }
    }

    fn take(&mut self, from: usize, amount: u64) -> Result<u64, Answer> {
        let has = self.accounts[from];
        self.accounts[from] = has.checked_sub(amount).ok_or(Answer::Refused { has })?;
        Ok(self.accounts[from])
    }

    fn transfer(&mut self, from: usize, to: usize, amount: u64) -> Answer {
        match self.take(from, amount) {
            Ok(left) => {
                self.accounts[to] += amount;
                Answer::Done { left, now: self.accounts[to] }
            }
            Err(refused) => refused,
        }
    }
}

impl Actor for Branch {
    type Msg = Order;

    fn handle(&mut self, order: Order, _: &mut Context<'_, Self>) {
        match order {
            Order::Know(branches) => self.branches = branches,
            Order::Do(Call::Transfer { from, to, amount, .. }, reply) => {
                if self.is_struck() && matches!(self.fault, Fault::Twice(_)) {
                    self.transfer(from, to, amount);
                }
                reply.send(self.transfer(from, to, amount));
            }
            Order::Do(Call::Remit { to, account, amount, .. }, reply) => {
                let left = match self.take(account, amount) {
                    Ok(left) => left,
                    Err(refused) => return reply.send(refused),
                };
                let credit = Order::Credit { account, amount, left, reply };
                if let Err(returned) = self.branches[to].send(credit)
                    && let Order::Credit { reply, .. } = returned.into_message()
                {
                    self.accounts[account] += amount;
                    reply.send(Answer::Returned { has: self.accounts[account] });
                }
            }
            Order::Do(Call::Audit { .. }, reply) => {
                reply.send(Answer::Balances(self.accounts.clone()));
            }
            Order::Credit { account, amount, left, reply } => {
                let now = self.accounts[account] + amount;
                if !(self.is_struck() && matches!(self.fault, Fault::Forgets(_))) {
                    self.accounts[account] = now;
                }
                reply.send(Answer::Done { left, now });
            }
        }
    }
}

impl Mobile for Branch {
    const KIND: &'static str = "branch";

    fn arrived(&mut self, _: &mut Context<'_, Self>) {
        let now = self.accounts.clone();
        let before = std::mem::replace(&mut self.before, now);
        if self.fault == Fault::Relapses {
            self.accounts = before;
        }
    }
}

/// The judge's account: all branches at once, and nobody moves.
pub struct Bank;

pub type Balances = [[u64; ACCOUNTS]; BRANCHES];

pub const OPENING: Balances = [[INITIAL; ACCOUNTS]; BRANCHES];

impl Model for Bank {
    type State = Balances;
    type Call = Call;
    type Answer = Answer;

    fn step(
        &self,
        bank: &Balances,
        call: &Call,
        step: usize,
        answer: Option<&Answer>,
    ) -> Step<Balances> {
        let mut after = *bank;
        let told = match *call {
            Call::Audit { branch } => Answer::Balances(bank[branch].to_vec()),
            Call::Transfer { branch, from, to, amount } => {
                match bank[branch][from].checked_sub(amount) {
                    None => Answer::Refused { has: bank[branch][from] },
                    Some(left) => {
                        after[branch][from] = left;
                        after[branch][to] += amount;
                        Answer::Done { left, now: after[branch][to] }
                    }
                }
            }
            Call::Remit { branch, account, amount, .. } if step == 0 => {
                let has = bank[branch][account];
                match (has.checked_sub(amount), answer) {
                    (None, _) => Answer::Refused { has },
                    (Some(_), Some(Answer::Returned { .. })) => Answer::Returned { has },
                    (Some(_), Some(Answer::Refused { .. })) => return Step::Refuted,
                    (Some(now), Some(Answer::Done { left, .. })) if now != *left => {
                        return Step::Refuted;
                    }
                    (Some(now), _) => {
                        after[branch][account] = now;
                        return Step::Next(after);
                    }
                }
            }
            Call::Remit { to, account, amount, .. } => {
                after[to][account] += amount;
                let now = after[to][account];
                let is_right = answer.is_none_or(
                    |told| matches!(told, Answer::Done { now: told, .. } if *told == now),
                );
                return if is_right { Step::Last(after) } else { Step::Refuted };
            }
        };
        if answer.is_none_or(|answer| *answer == told) { Step::Last(after) } else { Step::Refuted }
    }
}
