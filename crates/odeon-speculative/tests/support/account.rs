//! What becomes of each message of some senders.

use super::{Common, Ctx, Do, Lab};
use odeon_core::{Access, ActorId, ActorRef, DeadLetter, StopReport, Supervision, Theater};
use odeon_speculative::{Processing, SpawnSpeculative, SpeculativeRef, TxResult};
use odeon_stm::Tx;
use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// In which way a message is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By its actor.
    Over,
    DeadLetter,
    Returned,
}

thread_local! {
    static WAY: Cell<Way> = const { Cell::new(Way::Over) };
}

fn drop_as<T>(way: Way, value: T) {
    WAY.set(way);
    drop(value);
    WAY.set(Way::Over);
}

#[derive(Default)]
struct Sheet {
    sent: u64,
    /// As their commits came.
    handled: Vec<u64>,
    dropped: Vec<(u64, Way)>,
}

/// See the module.
pub struct Account {
    sheets: Vec<Mutex<Sheet>>,
    /// Those whose dead letters are expected.
    actors: Mutex<Vec<ActorId>>,
    /// Dead letters of others.
    strangers: AtomicU64,
}

/// One message, as a part of it.
pub struct Slip(Arc<SlipOf>);

struct SlipOf {
    account: Arc<Account>,
    sender: usize,
    number: u64,
}

impl Slip {
    /// Notes that the message has been handled, if the attempt commits.
    pub fn note(&self, tx: &mut Tx<'_>) {
        let of = self.0.clone();
        tx.on_commit(move || of.account.sheet(of.sender).handled.push(of.number));
    }
}

impl Drop for Slip {
    fn drop(&mut self) {
        let SlipOf { account, sender, number } = &*self.0;
        account.sheet(*sender).dropped.push((*number, WAY.get()));
    }
}

impl Account {
    pub fn of(senders: usize) -> Arc<Self> {
        Arc::new(Self {
            sheets: (0..senders).map(|_| Mutex::default()).collect(),
            actors: Mutex::default(),
            strangers: AtomicU64::new(0),
        })
    }

    fn sheet(&self, sender: usize) -> std::sync::MutexGuard<'_, Sheet> {
        self.sheets[sender].lock().unwrap()
    }

    /// Dead letters of this actor are expected.
    pub fn expect(&self, actor: ActorId) {
        self.actors.lock().unwrap().push(actor);
    }

    /// For the theater.
    pub fn hook(self: &Arc<Self>) -> impl Fn(DeadLetter) + Send + Sync + 'static {
        let account = self.clone();
        move |letter| account.take(letter)
    }

    fn take(&self, letter: DeadLetter) {
        if !self.actors.lock().unwrap().contains(&letter.actor) {
            self.strangers.fetch_add(1, SeqCst);
        }
        drop_as(Way::DeadLetter, letter.message);
    }

    pub fn take_leftovers(&self, report: StopReport) {
        report.leftovers.into_iter().for_each(|letter| self.take(letter));
    }

    /// Sends the sender's next message. `false`: it has come back.
    pub fn send(
        self: &Arc<Self>,
        to: &ActorRef<Do>,
        sender: usize,
        message: impl FnOnce(u64, Slip) -> Do,
    ) -> bool {
        let mut sheet = self.sheet(sender);
        sheet.sent += 1;
        let number = sheet.sent;
        drop(sheet);
        let slip = Slip(Arc::new(SlipOf { account: self.clone(), sender, number }));
        match to.send(message(number, slip)) {
            Ok(()) => true,
            Err(error) => {
                drop_as(Way::Returned, error.into_message());
                false
            }
        }
    }

    /// What has been handled of a sender so far.
    pub fn handled(&self, sender: usize) -> Vec<u64> {
        self.sheet(sender).handled.clone()
    }

    pub fn handled_of_all(&self) -> u64 {
        self.sheets.iter().map(|sheet| sheet.lock().unwrap().handled.len() as u64).sum()
    }

    /// Every message has been handled once, in the order of its sender, or has come to another
    /// end; `fails`: those that were to fail. If there are others, none of their sender's is
    /// handled behind them. Answers how many were handled, and were not.
    pub fn check(&self, fails: impl Fn(u64) -> bool) -> (u64, u64) {
        assert_eq!(self.strangers.load(SeqCst), 0, "dead letters of others");
        let (mut handled, mut others) = (0, 0);
        for (sender, sheet) in self.sheets.iter().enumerate() {
            let mut sheet = sheet.lock().unwrap();
            let in_order = sheet.handled.windows(2).all(|two| two[0] < two[1]);
            assert!(in_order, "sender {sender}: {:?}", sheet.handled);
            sheet.dropped.sort_by_key(|(number, _)| *number);
            let numbers = sheet.dropped.iter().map(|(number, _)| *number);
            assert!(numbers.eq(1..=sheet.sent), "sender {sender}: {:?}", sheet.dropped);
            let last = sheet.handled.last().copied().unwrap_or(0);
            for &(number, way) in &sheet.dropped {
                let is_handled = sheet.handled.binary_search(&number).is_ok();
                let is_lost = way != Way::Over;
                assert!(!(is_handled && is_lost), "sender {sender}: {number} handled, and {way:?}");
                assert!(is_handled || is_lost || fails(number), "sender {sender}: {number} lost");
                assert!(!is_handled || !fails(number), "sender {sender}: {number} did not fail");
                assert!(
                    !is_lost || number > last,
                    "sender {sender}: {last} behind {number} {way:?}"
                );
                others += u64::from(is_lost);
            }
            handled += sheet.handled.len() as u64;
        }
        (handled, others)
    }
}

/// SplitMix64: what a message does follows from its number.
pub fn mix(number: u64) -> u64 {
    let z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Most handlers are short, some are not, and few are long.
pub fn take_a_while(number: u64) {
    match mix(number) % 64 {
        0 => (0..40_000).for_each(|_| spin_loop()),
        1 => thread::yield_now(),
        2..=9 => (0..500).for_each(|_| spin_loop()),
        _ => {}
    }
}

/// Adds one to a variable, and notes it.
pub fn counts(access: Access, var: usize, number: u64, slip: Slip) -> Do {
    does(access, slip, move |lab, tx, _| {
        take_a_while(number);
        if access.only_reads() { Ok(lab.vars[var].get(tx)?) } else { lab.add(tx, var, 1) }
    })
}

/// Notes what it does.
pub fn does(
    access: Access,
    slip: Slip,
    act: impl for<'t> Fn(&'t Lab, &mut Tx<'t>, &mut Ctx<'_>) -> TxResult<i64> + Send + 'static,
) -> Do {
    Do::with(access, move |lab, tx, ctx| {
        slip.note(tx);
        act(lab, tx, ctx)
    })
}

/// Those that have several inboxes, if there are workers enough.
pub fn divided() -> [Processing; 3] {
    [
        Processing::concurrent().width(2),
        Processing::concurrent().width(4),
        Processing::adaptive().width(4),
    ]
}

pub fn lab_by(theater: &Theater, processing: &Processing) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    (theater.spawn_speculative(Lab::new(&common), processing.clone()), common)
}

pub fn supervised_lab_by(
    theater: &Theater,
    processing: &Processing,
    supervision: Supervision,
) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    let made = common.clone();
    let make = move || Lab::new(&made);
    (theater.spawn_speculative_supervised(supervision, processing.clone(), make), common)
}
