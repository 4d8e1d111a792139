//! Readers and writers: the reads of one actor run at once, a write runs alone.
//!
//! | question | file |
//! |---|---|
//! | what a user writes | this one, `patterns/read_write/context.rs` |
//! | what an actor's own turn does with a message | `patterns/read_write/owner.rs` |
//! | which message goes next | `patterns/read_write/waiting.rs` |
//! | who may read or write the state, and when | `patterns/read_write/phase.rs` and its loom model; the state: `patterns/read_write/shared.rs` |
//! | who reads besides the actor's own turn | `patterns/read_write/reader.rs` |
//! | when that pays | `patterns/read_write/pace.rs` |
//!
//! While reads are short the actor's own turn handles all messages as a plain actor does: no lock,
//! no atomic operation, and a look at the clock with every 64th read. Once reads are found to be
//! long, it gathers what its mailbox holds, and if that is worth it leaves reads in a shared place,
//! its *phase*, from which it takes them one by one, as its *readers* do: actors of the pool that
//! are made when first needed. A write waits until the phase is over.
//!
//! After Imam and Sarkar: "Selectors: Actors with Multiple Guarded Mailboxes" (AGERE 2014), section
//! 6, whose three policies these are; there each read is a task of its own.

mod context;
mod owner;
mod pace;
mod phase;
mod reader;
mod shared;
mod waiting;

use std::fmt;
use std::sync::Arc;

use crate::messaging::actor_ref::ActorRef;
use crate::messaging::ask::Ask;
use crate::messaging::reply::Reply;
use crate::vocabulary::error::SendError;
use crate::vocabulary::message::Message;
use pace::Pace;
use shared::SharedActor;
use waiting::ReadWriteQueue;

pub use context::{ReadContext, WriteContext};

/// An actor whose messages either read its state or write it. Several reads may run at once, on all
/// workers of the pool; a write runs alone. That reads only read, the compiler sees: they get
/// `&self`.
///
/// It is spawned inside a [`ReadWriting`], wherever an [`Actor`](crate::Actor) can be.
///
/// # Guarantees
/// S29. A panic in any of these functions is a failure of this actor (S5, S15), once the reads that
/// are under way are over.
///
/// # Example
/// ```
/// use odeon_core::*;
/// use std::collections::HashMap;
///
/// struct Dictionary(HashMap<u32, String>);
/// struct Get(u32, Reply<Option<String>>);
/// struct Put(u32, String);
/// impl Message for Get {}
/// impl Message for Put {}
///
/// impl ReadWriteActor for Dictionary {
///     type Read = Get;
///     type Write = Put;
///
///     fn read(&self, Get(key, reply): Get, _ctx: &mut ReadContext<'_, Self>) {
///         reply.send(self.0.get(&key).cloned());
///     }
///
///     fn write(&mut self, Put(key, text): Put, _ctx: &mut WriteContext<'_, Self>) {
///         self.0.insert(key, text);
///     }
/// }
///
/// let theater = Theater::new()?;
/// let dictionary = Dictionary(HashMap::new());
/// let dictionary = theater.spawn(ReadWriting::new(dictionary, ReadWritePolicy::ArrivalOrder));
///
/// dictionary.write(Put(1, "one".into()))?;
/// assert_eq!(dictionary.ask_read(|reply| Get(1, reply)).wait()?, Some("one".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A read cannot change the state:
/// ```compile_fail,E0594
/// # use odeon_core::*;
/// struct Counter { reads: u64 }
/// impl ReadWriteActor for Counter {
///     type Read = ();
///     type Write = ();
///     fn read(&self, (): (), _ctx: &mut ReadContext<'_, Self>) { self.reads += 1 }
///     fn write(&mut self, (): (), _ctx: &mut WriteContext<'_, Self>) {}
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no actor with reads and writes",
    note = "reads of one `ReadWriteActor` run at once, so it is `Sync` too"
)]
pub trait ReadWriteActor: Send + Sync + Sized + 'static {
    /// Messages that read.
    type Read: Message;
    /// Messages that write.
    type Write: Message;

    /// Handles a message that reads. Others may be handled at the same moment.
    fn read(&self, msg: Self::Read, ctx: &mut ReadContext<'_, Self>);

    /// Handles a message that writes, alone.
    fn write(&mut self, msg: Self::Write, ctx: &mut WriteContext<'_, Self>);

    /// As [`Actor::started`](crate::Actor::started).
    fn started(&mut self, ctx: &mut WriteContext<'_, Self>) {
        let _ = ctx;
    }

    /// As [`Actor::stopped`](crate::Actor::stopped).
    fn stopped(&mut self) {}
}

/// The message of an actor with reads and writes. [`ActorRef::read`] and its like make it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadWrite<R, W> {
    /// Reads the state.
    Read(R),
    /// Writes it.
    Write(W),
}

impl<R: Message, W: Message> Message for ReadWrite<R, W> {
    fn message_name(&self) -> &'static str {
        match self {
            Self::Read(read) => read.message_name(),
            Self::Write(write) => write.message_name(),
        }
    }
}

/// Who goes first where reads and writes of one actor wait for each other.
///
/// In all of them the writes of one sender are begun in the order in which they were sent, and so
/// are its reads, but for those that several workers share at one time: each takes some of them. An
/// actor on a pinned or dedicated stage goes by the order of arrival whatever its policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReadWritePolicy {
    /// A write waits for all reads before it, and reads behind a write wait for it. Nobody starves,
    /// and a read sees exactly those writes that have arrived before it.
    #[default]
    ArrivalOrder,
    /// Reads go before writes that wait. A write waits while reads keep coming: **writers may
    /// starve**.
    ReadersFirst,
    /// A write goes as soon as the reads under way are over; those that a worker has taken and not
    /// begun wait behind it. Reads wait while writes keep coming: **readers may starve**.
    WritersFirst,
}

/// When reads of one actor are left to several workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ReadSharing {
    /// When those that wait take long enough together, by the time that some of those before have
    /// taken. Never in a theater with one worker.
    #[default]
    WhenItPays,
    /// Whenever several wait: for reads that are known to be long, and for tests in virtual time,
    /// where nothing takes any.
    Always,
    /// Never: the actor's own turn handles them all, in the order that the policy says.
    Never,
}

/// A [`ReadWriteActor`] as an [`Actor`](crate::Actor), to be spawned by
/// [`spawn`](crate::Theater::spawn), or in another way by [`actor`](crate::Theater::actor).
///
/// A restart keeps all messages that wait, and the policy of the first state: those of later ones
/// are not looked at. It waits for the reads that are under way; so does the end of the actor.
///
/// On a pinned or dedicated stage, in a [`Bounded`](crate::Bounded) and as a member of a worker
/// pool that counts loads, its reads run one after the other.
///
/// ```
/// # use odeon_core::*;
/// # struct Sorted(Vec<u32>);
/// # struct Has(u32, Reply<bool>);
/// # struct Add(u32);
/// # impl Message for Has {}
/// # impl Message for Add {}
/// # impl ReadWriteActor for Sorted {
/// #     type Read = Has;
/// #     type Write = Add;
/// #     fn read(&self, Has(n, reply): Has, _: &mut ReadContext<'_, Self>) { reply.send(self.0.contains(&n)) }
/// #     fn write(&mut self, Add(n): Add, _: &mut WriteContext<'_, Self>) { self.0.push(n) }
/// # }
/// let theater = Theater::new()?;
/// let make = || ReadWriting::new(Sorted(Vec::new()), ReadWritePolicy::WritersFirst);
/// let sorted = theater.actor().supervised(Supervision::new()).spawn(make);
/// sorted.write(Add(7))?;
/// let has = sorted.ask_read(|reply| Has(7, reply)).wait()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ReadWriting<A: ReadWriteActor> {
    shared: Arc<SharedActor<A>>,
    policy: ReadWritePolicy,
    sharing: ReadSharing,
    /// Reads, and writes, are handled as they come, until something says otherwise.
    has_direct_reads: bool,
    has_direct_writes: bool,
    /// Nothing waits or is shared.
    rests: bool,
    /// Nobody but this actor's own turn ever handles them, and it goes on with nothing that it
    /// defers.
    is_serial: bool,
    /// Reads take so long that what the mailbox holds is gathered first.
    gathers: bool,
    /// There may be reads in the phase, or readers under way.
    is_open: bool,
    /// The last reader ends the state.
    is_abandoned: bool,
    most_readers: usize,
    /// Messages that have been deferred, and counted by this turn's budget all the same.
    miscounted: i32,
    pace: Pace,
    waiting: ReadWriteQueue<A::Read, A::Write>,
}

impl<A: ReadWriteActor> ReadWriting<A> {
    /// An actor that is processed by `policy`.
    pub fn new(actor: A, policy: ReadWritePolicy) -> Self {
        const {
            assert!(
                A::Read::MAILBOXES == 1 && A::Write::MAILBOXES == 1,
                "reads and writes have one mailbox: which go first is for the policy to say"
            );
        }
        Self {
            shared: Arc::new(SharedActor::new(actor)),
            policy,
            sharing: ReadSharing::default(),
            has_direct_reads: false,
            has_direct_writes: false,
            rests: true,
            is_serial: true,
            gathers: false,
            is_open: false,
            is_abandoned: false,
            most_readers: 0,
            miscounted: 0,
            pace: Pace::default(),
            waiting: ReadWriteQueue::default(),
        }
    }

    /// When reads are left to several workers.
    #[must_use]
    pub fn sharing(mut self, sharing: ReadSharing) -> Self {
        self.sharing = sharing;
        self
    }
}

impl<A: ReadWriteActor> fmt::Debug for ReadWriting<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadWriting")
            .field("policy", &self.policy)
            .field("sharing", &self.sharing)
            .finish_non_exhaustive()
    }
}

impl<R: Message, W: Message> ActorRef<ReadWrite<R, W>> {
    /// Sends a message that reads.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[inline]
    pub fn read(&self, message: R) -> Result<(), SendError<ReadWrite<R, W>>> {
        self.send(ReadWrite::Read(message))
    }

    /// Sends a message that writes.
    ///
    /// # Errors
    /// As [`send`](Self::send).
    #[inline]
    pub fn write(&self, message: W) -> Result<(), SendError<ReadWrite<R, W>>> {
        self.send(ReadWrite::Write(message))
    }

    /// Asks a question that reads. See [`ask`](Self::ask).
    #[inline]
    pub fn ask_read<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> R) -> Ask<T> {
        self.ask(|reply| ReadWrite::Read(question(reply)))
    }

    /// Asks a question that writes. See [`ask`](Self::ask).
    #[inline]
    pub fn ask_write<T: Send + 'static>(&self, question: impl FnOnce(Reply<T>) -> W) -> Ask<T> {
        self.ask(|reply| ReadWrite::Write(question(reply)))
    }
}
