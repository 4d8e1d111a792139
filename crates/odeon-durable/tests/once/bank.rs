//! Two banks that pay each other, their clients, and what must be true of all that.

use odeon_core::{Access, ActorRef, AskError, Message, Random, Reply, Theater};
use odeon_durable::{
    Answers, Delivery, DurableRef, Forgotten, Incoming, Outgoing, OutgoingEvent, RecoverError,
    ReminderDue, Reminders, RequestId, SpawnDurable, Store,
};
use odeon_macros::Durable;
use odeon_speculative::{Processing, SpeculativeActor, SpeculativeContext, TxResult};
use odeon_stm::{TVar, Tx};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const ACCOUNTS: usize = 6;
pub(crate) const BEGIN: u64 = 100;
const WINDOW: u64 = 4;

/// To an account of the other bank: the `number`th one from the account of the same number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Payment {
    account: usize,
    number: u64,
    amount: u64,
}

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NotCovered;

/// How many payments or holds the account has made.
pub(crate) type Verdict = Result<u64, NotCovered>;

/// Handlers tell what must not be here.
pub(crate) type Wrong = Arc<Mutex<Vec<String>>>;

#[derive(Durable, Default)]
#[durable(crate = odeon_durable)]
struct Account {
    #[durable(1)]
    balance: TVar<u64>,
    /// Payments that were made, those that came, holds that began, and those that have ended.
    #[durable(2)]
    paid: TVar<u64>,
    #[durable(3)]
    received: TVar<u64>,
    #[durable(4)]
    held: TVar<u64>,
    #[durable(5)]
    returned: TVar<u64>,
}

#[derive(Durable)]
#[durable(crate = odeon_durable)]
pub(crate) struct Bank {
    #[durable(1)]
    accounts: Vec<Account>,
    #[durable(2)]
    answers: Answers<Verdict>,
    #[durable(3)]
    payments: Outgoing<Payment>,
    #[durable(4)]
    incoming: Incoming,
    /// By account and number of the hold: money that comes back after a while.
    #[durable(5)]
    holds: Reminders<(usize, u64), u64>,
    #[durable(skip)]
    wrong: Wrong,
}

/// What a client asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub(crate) account: usize,
    pub(crate) amount: u64,
    /// How long the money is to be held; otherwise it goes to the other bank.
    pub(crate) hold: Option<Duration>,
}

pub(crate) type Answered = Result<Verdict, Forgotten>;

/// An address of somebody who takes payments.
pub(crate) trait TakesPayments: Send + Sync {
    fn connect<'t>(
        &self,
        payments: &'t Outgoing<Payment>,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Bank>,
    ) -> TxResult;
}

impl<M: Message + From<Delivery<Payment>>> TakesPayments for ActorRef<M> {
    fn connect<'t>(
        &self,
        payments: &'t Outgoing<Payment>,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Bank>,
    ) -> TxResult {
        payments.connect(tx, ctx, self)
    }
}

pub(crate) enum ToBank {
    Connect(Box<dyn TakesPayments>),
    Request(RequestId, Request, Reply<Answered>),
    Audit(Reply<Audited>),
    Paid(Delivery<Payment>),
    Heard(OutgoingEvent<Payment>),
    Returned(ReminderDue<(usize, u64)>),
}

impl Message for ToBank {
    fn access(&self) -> Access {
        match self {
            Self::Audit(_) => Access::Snapshot,
            _ => Access::Update,
        }
    }
}

impl From<Delivery<Payment>> for ToBank {
    fn from(delivery: Delivery<Payment>) -> Self {
        Self::Paid(delivery)
    }
}

impl From<OutgoingEvent<Payment>> for ToBank {
    fn from(event: OutgoingEvent<Payment>) -> Self {
        Self::Heard(event)
    }
}

impl From<ReminderDue<(usize, u64)>> for ToBank {
    fn from(due: ReminderDue<(usize, u64)>) -> Self {
        Self::Returned(due)
    }
}

/// What a bank has.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Audited {
    pub(crate) sum: u64,
    pub(crate) paid: Vec<u64>,
    pub(crate) received: Vec<u64>,
    pub(crate) unconfirmed: usize,
    pub(crate) held: usize,
    pub(crate) holds: u64,
    pub(crate) returned: u64,
}

impl Bank {
    pub(crate) fn new(wrong: &Wrong) -> Self {
        let account = || Account { balance: TVar::new(BEGIN), ..Account::default() };
        Self {
            accounts: (0..ACCOUNTS).map(|_| account()).collect(),
            answers: Answers::new(WINDOW),
            payments: Outgoing::new().resend_after(Duration::from_millis(3)),
            incoming: Incoming::new(),
            holds: Reminders::new(),
            wrong: wrong.clone(),
        }
    }

    fn request<'t>(
        &'t self,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
        &Request { account, amount, hold }: &Request,
    ) -> TxResult<Verdict> {
        let of = &self.accounts[account];
        let counter = if hold.is_some() { &of.held } else { &of.paid };
        let number = counter.get(tx)? + 1;
        counter.set(tx, number)?;
        match hold {
            Some(hold) => self.holds.arm_after(tx, ctx, (account, number), hold, amount)?,
            None => {
                let payment = Payment { account, number, amount };
                self.payments.send(tx, ctx, account as u64, payment)?;
            }
        }
        let Some(left) = of.balance.get(tx)?.checked_sub(amount) else {
            // With what was to be sent.
            tx.undo();
            return Ok(Err(NotCovered));
        };
        of.balance.set(tx, left)?;
        Ok(Ok(number))
    }

    fn audit<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Audited> {
        let mut found = Audited {
            unconfirmed: self.payments.unconfirmed(tx)?,
            held: self.holds.len(tx)?,
            ..Audited::default()
        };
        for account in &self.accounts {
            found.sum += account.balance.get(tx)?;
            found.paid.push(account.paid.get(tx)?);
            found.received.push(account.received.get(tx)?);
            found.holds += account.held.get(tx)?;
            found.returned += account.returned.get(tx)?;
        }
        Ok(found)
    }
}

impl SpeculativeActor for Bank {
    type Msg = ToBank;

    fn started<'t>(&'t self, tx: &mut Tx<'t>, ctx: &mut SpeculativeContext<'_, Self>) -> TxResult {
        self.holds.resume(tx, ctx)
    }

    fn handle<'t>(
        &'t self,
        message: &'t ToBank,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        match message {
            ToBank::Connect(other) => other.connect(&self.payments, tx, ctx)?,
            ToBank::Heard(event) => self.payments.hear(tx, ctx, event)?,
            ToBank::Request(id, request, reply) => {
                let answer = self.answers.once(tx, *id, |tx| self.request(tx, ctx, request))?;
                ctx.reply(reply, answer);
            }
            ToBank::Audit(reply) => ctx.reply(reply, self.audit(tx)?),
            ToBank::Paid(delivery) => {
                let Some(payment) = self.incoming.receive(tx, ctx, delivery)? else {
                    return Ok(());
                };
                let account = &self.accounts[payment.account];
                let number = account.received.get(tx)? + 1;
                if payment.number != number {
                    let text = format!("{payment:?} instead of {number}");
                    self.wrong.lock().unwrap().push(text);
                }
                account.received.set(tx, number)?;
                account.balance.update(tx, |balance| balance + payment.amount)?;
            }
            ToBank::Returned(due) => {
                let Some(amount) = self.holds.due(tx, due)? else { return Ok(()) };
                let account = &self.accounts[due.key().0];
                account.returned.update(tx, |returned| returned + 1)?;
                account.balance.update(tx, |balance| balance + amount)?;
            }
        }
        Ok(())
    }
}

pub(crate) fn spawn(
    theater: &Theater,
    store: &Store,
    name: &str,
    processing: Processing,
    wrong: &Wrong,
) -> Result<DurableRef<ToBank>, RecoverError> {
    theater.spawn_durable(store, name, Bank::new(wrong), processing)
}

/// Each pays the other.
pub(crate) fn connect(banks: [&DurableRef<ToBank>; 2]) {
    let [one, other] = banks;
    for (from, to) in [(one, other), (other, one)] {
        let _ = from.send(ToBank::Connect(Box::new(to.actor_ref())));
    }
}

pub(crate) fn audit(bank: &DurableRef<ToBank>) -> Result<Audited, AskError> {
    bank.ask(ToBank::Audit).wait()
}

/// Waits until nothing is under way any more, and checks that all has come.
///
/// # Panics
/// If something is wrong, or does not come.
pub(crate) fn check_at_rest(banks: [&DurableRef<ToBank>; 2], wrong: &Wrong) {
    let begun = std::time::Instant::now();
    let audited = || banks.map(|bank| audit(bank).expect("it answers"));
    while audited().iter().any(|bank| bank.unconfirmed + bank.held > 0) {
        assert!(begun.elapsed() < Duration::from_secs(60), "{:?} {wrong:?}", audited());
        std::thread::sleep(Duration::from_millis(1));
    }
    // What was audited before belongs to two moments.
    let [one, other] = audited();
    assert!(wrong.lock().unwrap().is_empty(), "{wrong:?}");
    let found = format!("{one:?} {other:?}");
    assert_eq!(one.sum + other.sum, 2 * ACCOUNTS as u64 * BEGIN, "{found}");
    assert_eq!(one.paid, other.received, "{found}");
    assert_eq!(other.paid, one.received, "{found}");
    assert_eq!([one.holds, other.holds], [one.returned, other.returned], "{found}");
}

/// One of a bank, over all lives of that.
#[derive(Debug)]
pub(crate) struct Client {
    id: u128,
    last: u64,
    /// What it has not heard of; the one with the number `last`.
    unheard: Option<Request>,
    /// The last ones, up to `last` without that, and their answers.
    heard: VecDeque<(u64, Request, Verdict)>,
}

impl Client {
    pub(crate) fn new(id: u128) -> Self {
        Self { id, last: 0, unheard: None, heard: VecDeque::new() }
    }

    fn ask(
        &self,
        bank: &DurableRef<ToBank>,
        number: u64,
        request: Request,
    ) -> odeon_core::Ask<Answered> {
        let id = RequestId { client: self.id, number };
        bank.ask(move |reply| ToBank::Request(id, request, reply))
    }

    /// Makes requests, and repeats some of them, until one fails.
    ///
    /// # Panics
    /// If an answer is another one than before.
    pub(crate) fn live(
        &mut self,
        bank: &DurableRef<ToBank>,
        requests: usize,
        random: &mut Random,
    ) -> Result<(), AskError> {
        for _ in 0..requests {
            if self.unheard.is_none() && random.below(3) == 0 && !self.heard.is_empty() {
                self.repeat(bank, random)?;
            } else {
                self.go_on(bank, random)?;
            }
        }
        Ok(())
    }

    /// Of what was answered.
    fn repeat(&self, bank: &DurableRef<ToBank>, random: &mut Random) -> Result<(), AskError> {
        let (number, request, before) = self.heard[random.below(self.heard.len())];
        let expected = if number + WINDOW > self.last { Ok(before) } else { Err(Forgotten) };
        let answer = self.ask(bank, number, request).wait()?;
        assert_eq!(answer, expected, "{number} of {self:?}");
        Ok(())
    }

    /// With what is unheard, or something new; now and then twice at once.
    fn go_on(&mut self, bank: &DurableRef<ToBank>, random: &mut Random) -> Result<(), AskError> {
        let request = self.unheard.unwrap_or_else(|| {
            self.last += 1;
            let hold =
                (random.below(4) == 0).then(|| Duration::from_micros(random.below(4_000) as u64));
            let amount = 1 + random.below(BEGIN as usize / 2) as u64;
            Request { account: random.below(ACCOUNTS), amount, hold }
        });
        self.unheard = Some(request);
        let asks = (random.below(4) == 0)
            .then(|| self.ask(bank, self.last, request))
            .into_iter()
            .chain([self.ask(bank, self.last, request)]);
        let answers: Vec<_> = asks.collect::<Vec<_>>().into_iter().map(|ask| ask.wait()).collect();
        for answer in answers {
            let answer = answer?.expect("it is the last one");
            match self.heard.back() {
                Some((number, _, before)) if *number == self.last => {
                    assert_eq!(*before, answer, "{self:?}");
                }
                _ => {
                    self.unheard = None;
                    self.heard.push_back((self.last, request, answer));
                    if self.heard.len() as u64 > 2 * WINDOW {
                        self.heard.pop_front();
                    }
                }
            }
        }
        Ok(())
    }
}
