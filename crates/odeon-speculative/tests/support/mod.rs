//! A speculative actor whose messages say what to do, for tests.
#![allow(dead_code, unreachable_pub, reason = "each test uses a part of it")]

pub mod account;
pub mod buffer;

use odeon_core::{Actor, Ask};
use odeon_core::{ActorRef, AskError, Context, Message, Reply, Supervision, Theater};
use odeon_speculative::{
    Access, Processing, SpawnSpeculative, SpeculativeActor, SpeculativeContext, SpeculativeRef,
    TxResult,
};
use odeon_stm::{TVar, Tx};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

pub type Ctx<'c> = SpeculativeContext<'c, Lab>;
type HandingOn = dyn for<'t> Fn(&'t Lab, &mut Tx<'t>, &mut Ctx<'_>, Option<&'t Reply<i64>>) -> TxResult<i64>
    + Send;

/// What the states of one lab have in common, also after restarts.
#[derive(Default)]
pub struct Common {
    /// Times that a state was made.
    pub lives: AtomicU64,
    /// Times that `stopped` was called.
    pub stops: AtomicU64,
    /// States that were dropped.
    pub drops: AtomicU64,
    /// Handlers that run at this moment.
    pub running: AtomicUsize,
    /// What the variables were in the end.
    pub last: Mutex<Vec<i64>>,
    /// Whether a handler ran in `stopped`.
    pub stopped_beside: AtomicBool,
}

/// The state: some variables.
pub struct Lab {
    pub vars: Vec<TVar<i64>>,
    pub life: u64,
    pub common: Arc<Common>,
    /// Whether its destructor panics.
    pub is_fragile: bool,
}

impl Lab {
    pub fn new(common: &Arc<Common>) -> Self {
        // ORDERING: SeqCst, here and in all of the tests: they count, and nothing else hangs on it.
        let life = common.lives.fetch_add(1, Ordering::SeqCst);
        let vars = (0..8).map(|_| TVar::new(0)).collect();
        Self { vars, life, common: common.clone(), is_fragile: false }
    }

    /// Adds to a variable, and answers the new value.
    pub fn add<'t>(&'t self, tx: &mut Tx<'t>, var: usize, n: i64) -> TxResult<i64> {
        let sum = self.vars[var].get(tx)? + n;
        self.vars[var].set(tx, sum)?;
        Ok(sum)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.common.drops.fetch_add(1, Ordering::SeqCst);
        if self.is_fragile {
            drop(Bomb);
        }
    }
}

/// Panics when it is dropped, by a panic whose payload does as well, and so on: whoever catches it
/// and drops what it has caught panics again.
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        resume_unwind(Box::new(Self));
    }
}

/// Panics with that.
pub fn explode() -> ! {
    resume_unwind(Box::new(Bomb))
}

/// A message.
pub struct Do {
    access: Access,
    act: Box<HandingOn>,
    /// Whether what it comes to is its answer.
    answers: bool,
    answer: Option<Reply<i64>>,
}
impl Message for Do {
    fn access(&self) -> Access {
        self.access
    }
}

impl Do {
    pub fn with(
        access: Access,
        act: impl for<'t> Fn(&'t Lab, &mut Tx<'t>, &mut Ctx<'_>) -> TxResult<i64> + Send + 'static,
    ) -> Self {
        let act: Box<HandingOn> = Box::new(move |lab, tx, ctx, _| act(lab, tx, ctx));
        Self { access, act, answers: true, answer: None }
    }

    /// One that sees to its answer itself.
    pub fn handing_on(
        access: Access,
        act: impl for<'t> Fn(
            &'t Lab,
            &mut Tx<'t>,
            &mut Ctx<'_>,
            Option<&'t Reply<i64>>,
        ) -> TxResult<i64>
        + Send
        + 'static,
    ) -> Self {
        Self { access, act: Box::new(act), answers: false, answer: None }
    }

    pub fn update(
        act: impl for<'t> Fn(&'t Lab, &mut Tx<'t>, &mut Ctx<'_>) -> TxResult<i64> + Send + 'static,
    ) -> Self {
        Self::with(Access::Update, act)
    }

    /// Adds one to a variable.
    pub fn increment(var: usize) -> Self {
        Self::update(move |lab, tx, _| lab.add(tx, var, 1))
    }

    /// Answers a variable.
    pub fn look(var: usize) -> Self {
        Self::with(Access::Snapshot, move |lab, tx, _| Ok(lab.vars[var].get(tx)?))
    }

    /// The same, with an answer.
    pub fn answering(self, answer: Reply<i64>) -> Self {
        Self { answer: Some(answer), ..self }
    }
}

/// Adds one, and joins the same to the last of these actors, and so on to the first one.
pub fn walk(mut rest: Vec<ActorRef<Do>>) -> Do {
    let next = rest.pop();
    Do::update(move |lab, tx, ctx| {
        if let Some(next) = &next {
            ctx.join(next, walk(rest.clone()));
        }
        lab.add(tx, 0, 1)
    })
}

/// Asks what the message comes to.
pub fn ask(lab: &ActorRef<Do>, what: Do) -> Ask<i64> {
    lab.ask(|reply| what.answering(reply))
}

/// What the message comes to.
pub fn result(lab: &ActorRef<Do>, what: Do) -> Result<i64, AskError> {
    ask(lab, what).wait()
}

impl SpeculativeActor for Lab {
    type Msg = Do;

    fn handle<'t>(&'t self, msg: &'t Do, tx: &mut Tx<'t>, ctx: &mut Ctx<'_>) -> TxResult {
        self.common.running.fetch_add(1, Ordering::SeqCst);
        let _running = Running(&self.common.running);
        let answer = (msg.act)(self, tx, ctx, msg.answer.as_ref())?;
        if let Some(reply) = msg.answer.as_ref().filter(|_| msg.answers) {
            ctx.reply(reply, answer);
        }
        Ok(())
    }

    fn stopped(&self) {
        if self.common.running.load(Ordering::SeqCst) > 0 {
            self.common.stopped_beside.store(true, Ordering::SeqCst);
        }
        *self.common.last.lock().unwrap() = self.vars.iter().map(TVar::peek).collect();
        self.common.stops.fetch_add(1, Ordering::SeqCst);
    }
}

struct Running<'a>(&'a AtomicUsize);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// So many at once.
pub fn width(width: usize) -> Processing {
    if width == 1 { Processing::sequential() } else { Processing::concurrent().width(width) }
}

pub fn lab(theater: &Theater, width_: usize) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    (theater.spawn_speculative(Lab::new(&common), width(width_)), common)
}

pub fn supervised_lab(
    theater: &Theater,
    width_: usize,
    supervision: Supervision,
) -> (SpeculativeRef<Do>, Arc<Common>) {
    let common = Arc::new(Common::default());
    let made = common.clone();
    let make = move || Lab::new(&made);
    (theater.spawn_speculative_supervised(supervision, width(width_), make), common)
}

/// An actor that keeps what it is sent.
#[derive(Clone)]
pub struct Log<T>(Arc<Mutex<Vec<T>>>);

impl<T: Clone> Log<T> {
    pub fn new() -> Self {
        Self(Arc::default())
    }

    pub fn all(&self) -> Vec<T> {
        self.0.lock().unwrap().clone()
    }

    pub fn add(&self, value: T) {
        self.0.lock().unwrap().push(value);
    }
}

pub enum Note<T> {
    Of(T),
    /// Answers how many there are.
    Count(Reply<usize>),
}
impl<T: Send + 'static> Message for Note<T> {}

impl<T: Send + 'static> Actor for Log<T> {
    type Msg = Note<T>;
    fn handle(&mut self, note: Note<T>, _: &mut Context<'_, Self>) {
        match note {
            Note::Of(value) => self.0.lock().unwrap().push(value),
            Note::Count(reply) => reply.send(self.0.lock().unwrap().len()),
        }
    }
}

/// Has another actor fail that is linked with it.
pub struct Linked<M: Message>(pub ActorRef<M>);

pub enum ToLinked {
    /// Answers when it is.
    Hear(Reply<()>),
    Fail,
}
impl Message for ToLinked {}

impl<M: Message> Actor for Linked<M> {
    type Msg = ToLinked;
    fn started(&mut self, ctx: &mut Context<'_, Self>) {
        ctx.link(&self.0);
    }
    fn handle(&mut self, told: ToLinked, _: &mut Context<'_, Self>) {
        match told {
            ToLinked::Hear(reply) => reply.send(()),
            ToLinked::Fail => resume_unwind(Box::new("the linked one")),
        }
    }
}
