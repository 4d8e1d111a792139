//! A bounded buffer with guards, for tests.

use super::{Log, Note};
use odeon_core::{ActorRef, MailboxName, MailboxOf, Message, Reply, Supervision, Theater};
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult, fail,
};
use odeon_stm::{Cause, TQueue, TVar, Tx};
use std::collections::BTreeMap;
use std::thread;

/// Who has put it, and the how many-th of that one it is.
pub type Item = (usize, u64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Port {
    /// Always open.
    Control,
    /// While there is room.
    Put,
    /// While there are items.
    Get,
    /// While there is no room.
    Full,
}

impl MailboxName for Port {
    fn number(self) -> usize {
        self as usize
    }
}

impl MailboxOf<Use> for Port {}

pub enum What {
    Put(Item),
    Get(Option<Reply<Item>>),
    /// Takes an item out, and puts it into another buffer within the same transaction.
    Forward(ActorRef<Use>),
    SetRoom(u64),
    /// Answers how many items there are.
    Count(Reply<u64>),
    Fail,
}

pub struct Use {
    pub what: What,
    pub access: Access,
    pub to: Port,
}

impl Message for Use {
    const MAILBOXES: usize = 4;

    fn mailbox(&self) -> usize {
        self.to.number()
    }

    fn access(&self) -> Access {
        self.access
    }
}

impl Use {
    fn of(what: What, to: Port) -> Self {
        Self { what, access: Access::Update, to }
    }

    pub fn put(item: Item) -> Self {
        Self::of(What::Put(item), Port::Put)
    }

    pub fn get(reply: Option<Reply<Item>>) -> Self {
        Self::of(What::Get(reply), Port::Get)
    }

    pub fn forward(to: &ActorRef<Self>) -> Self {
        Self::of(What::Forward(to.clone()), Port::Get)
    }

    pub fn set_room(room: u64) -> Self {
        Self::of(What::SetRoom(room), Port::Control)
    }

    /// Answers at any time.
    pub fn count(reply: Reply<u64>) -> Self {
        Self::of(What::Count(reply), Port::Control)
    }

    /// Answers when there is no room.
    pub fn count_when_full(reply: Reply<u64>, access: Access) -> Self {
        Self { access, ..Self::of(What::Count(reply), Port::Full) }
    }

    pub fn fail() -> Self {
        Self::of(What::Fail, Port::Control)
    }

    pub fn with(self, access: Access) -> Self {
        Self { access, ..self }
    }
}

pub struct Buffer {
    room: TVar<u64>,
    items: TQueue<Item>,
    /// What was taken out, in the order of the commits.
    log: ActorRef<Note<Item>>,
}

impl Buffer {
    pub fn new(room: u64, log: &ActorRef<Note<Item>>) -> Self {
        Self { room: TVar::new(room), items: TQueue::new(), log: log.clone() }
    }

    fn has_room<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<bool> {
        Ok((self.items.len(tx)? as u64) < self.room.get(tx)?)
    }

    fn take<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<Item> {
        let item = *self.items.pop(tx)?.expect("taken from an empty buffer");
        self.log.send(Note::Of(item)).expect("it lives as long as the test");
        Ok(item)
    }
}

impl SpeculativeActor for Buffer {
    type Msg = Use;

    fn admits<'t>(&'t self, mailbox: usize, tx: &mut Tx<'t>) -> TxResult<bool> {
        let port = [Port::Control, Port::Put, Port::Get, Port::Full][mailbox];
        Ok(match port {
            Port::Control => true,
            Port::Put => self.has_room(tx)?,
            Port::Get => !self.items.is_empty(tx)?,
            Port::Full => !self.has_room(tx)?,
        })
    }

    fn handle<'t>(
        &'t self,
        msg: &'t Use,
        tx: &mut Tx<'t>,
        ctx: &mut SpeculativeContext<'_, Self>,
    ) -> TxResult {
        assert_eq!(ctx.mailbox(), msg.to.number());
        if msg.to == Port::Full {
            assert!(!self.has_room(tx)?, "not full");
        }
        match &msg.what {
            What::Put(item) => {
                assert!(self.has_room(tx)?, "put into a full buffer");
                self.items.push(tx, *item)?;
            }
            What::Get(reply) => {
                let item = self.take(tx)?;
                if let Some(reply) = reply {
                    ctx.reply(reply, item);
                }
            }
            What::Forward(to) => {
                let item = self.take(tx)?;
                ctx.join(to, Use::put(item));
            }
            What::SetRoom(room) => self.room.set(tx, *room)?,
            What::Count(reply) => ctx.reply(reply, self.items.len(tx)? as u64),
            What::Fail => return fail("as it was told"),
        }
        Ok(())
    }
}

/// A buffer, and what was taken out of it.
pub struct Watched {
    pub buffer: SpeculativeRef<Use>,
    taken: Log<Item>,
    log: ActorRef<Note<Item>>,
}

impl Watched {
    pub fn new(theater: &Theater, room: u64, processing: Processing) -> Self {
        let taken = Log::new();
        let log = theater.spawn(taken.clone());
        let buffer = theater.spawn_speculative(Buffer::new(room, &log), processing);
        Self { buffer, taken, log }
    }

    /// One that is made anew when it fails, with more room.
    pub fn supervised(
        theater: &Theater,
        rooms: [u64; 2],
        supervision: Supervision,
        processing: Processing,
    ) -> Self {
        let taken = Log::new();
        let log = theater.spawn(taken.clone());
        let (mut rooms, its_log) = (rooms.into_iter(), log.clone());
        let make = move || Buffer::new(rooms.next().expect("fails once"), &its_log);
        let buffer = theater.spawn_speculative_supervised(supervision, processing, make);
        Self { buffer, taken, log }
    }

    /// What was taken out by messages that have been answered, in the order of the commits.
    pub fn taken(&self) -> Vec<Item> {
        // Behind what was sent before.
        self.log.ask(Note::Count).wait().expect("it counts");
        self.taken_so_far()
    }

    /// What the log has come to know of.
    pub fn taken_so_far(&self) -> Vec<Item> {
        self.taken.all()
    }

    /// The same, when nobody else refers to the buffer.
    pub fn into_taken(self) -> Log<Item> {
        self.taken
    }

    /// How often an attempt has asked to wait.
    pub fn refusals(&self) -> u64 {
        let rollbacks = self.buffer.speculation().rollbacks;
        rollbacks.iter().filter(|(cause, _)| *cause == Cause::Retry).map(|(_, count)| count).sum()
    }

    /// Waits until a guard has refused somebody.
    pub fn wait_for_refusal(&self) {
        while self.refusals() == 0 {
            thread::yield_now();
        }
    }
}

/// What each of so many senders has put, in order.
#[track_caller]
pub fn assert_all_in_order(taken: &[Item], senders: usize, each: u64) {
    let mut of_sender: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    taken.iter().for_each(|(sender, n)| of_sender.entry(*sender).or_default().push(*n));
    assert_eq!(of_sender.len(), senders);
    for (sender, numbers) in of_sender {
        assert_eq!(numbers, (0..each).collect::<Vec<_>>(), "of sender {sender}");
    }
}

/// Every way of processing.
pub fn each_processing() -> Vec<Processing> {
    vec![
        Processing::sequential(),
        Processing::concurrent().width(2),
        Processing::concurrent().width(5),
        Processing::sequential().non_blocking(),
        Processing::concurrent().non_blocking().width(3),
        Processing::adaptive(),
    ]
}
