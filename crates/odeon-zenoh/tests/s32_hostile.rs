//! S32: messages whose code panics, fails, or ends the theater that reads them harm nobody but
//! themselves, when Zenoh's threads read them; nor do listeners and subscriptions that do so.

use crate::support::{LONG, until};
use odeon_core::{Actor, ActorRef, Context, DeadLetterReason, Message, Reply, Theater};
use odeon_sync::contained::{drop_quietly, quietly};
use odeon_theater::{LinkConfig, Listener, Network, TheaterId, Transport};
use odeon_zenoh::bare::{Bare, Batching};
use odeon_zenoh::{ZenohError, ZenohSettings, ZenohTransport};
use serde::de::Error as _;
use serde::ser::{Error as _, SerializeSeq};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Context as TaskContext, Poll, Wake, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::support::endpoint::listening;
use crate::support::place::cluster;

/// Its destructor panics.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !thread::panicking() {
            throw();
        }
    }
}

fn throw() -> ! {
    resume_unwind(Box::new("hostile"))
}

type Work = Box<dyn FnOnce() + Send>;

/// What is done by who reads [`Odd::Works`] of a number.
static WORK: LazyLock<Mutex<HashMap<u32, Work>>> = LazyLock::new(Mutex::default);

enum Odd {
    /// Writes no byte.
    Nothing,
    /// Writes so many bytes.
    Huge(usize),
    FailsWritten,
    FailsRead,
    PanicsWritten,
    PanicsRead,
    PanicsDropped(Bomb),
    Works(u32),
}

/// What [`Odd`] is written as, but for those that are not.
#[derive(Serialize, Deserialize)]
enum Written {
    Nothing,
    FailsRead,
    PanicsRead,
    PanicsDropped,
    Works(u32),
}

impl Serialize for Odd {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match *self {
            Self::Nothing => return serializer.serialize_unit(),
            Self::Huge(length) => {
                let mut all = serializer.serialize_seq(Some(length))?;
                (0..length).try_for_each(|byte| all.serialize_element(&(byte as u8)))?;
                return all.end();
            }
            Self::FailsWritten => return Err(S::Error::custom("hostile")),
            Self::PanicsWritten => throw(),
            Self::FailsRead => Written::FailsRead,
            Self::PanicsRead => Written::PanicsRead,
            Self::PanicsDropped(_) => Written::PanicsDropped,
            Self::Works(number) => Written::Works(number),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Odd {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Nothing => Self::Nothing,
            Written::FailsRead => return Err(D::Error::custom("hostile")),
            Written::PanicsRead => throw(),
            Written::PanicsDropped => Self::PanicsDropped(Bomb),
            Written::Works(number) => {
                let work = WORK.lock().unwrap().remove(&number);
                work.expect("it is read once")();
                Self::Works(number)
            }
        })
    }
}

#[derive(Serialize, Deserialize)]
enum Say {
    Number(u64),
    Odd(Odd),
    All(Reply<Vec<u64>>),
}

impl Message for Say {}

#[derive(Default)]
struct Ear(Vec<u64>);

impl Actor for Ear {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Number(number) => self.0.push(number),
            // Otherwise a destructor that panics is the actor's failure.
            Say::Odd(odd) => drop_quietly(odd),
            Say::All(reply) => reply.send(self.0.clone()),
        }
    }
}

#[track_caller]
fn heard(ear: &ActorRef<Say>) -> Vec<u64> {
    ear.ask(Say::All).wait_timeout(LONG).unwrap()
}

struct Place {
    theater: Theater,
    network: Network,
    lost: Arc<Mutex<Vec<DeadLetterReason>>>,
}

fn place(settings: &ZenohSettings, config: &LinkConfig) -> Result<Place, ZenohError> {
    let lost: Arc<Mutex<Vec<_>>> = Arc::default();
    let notes = lost.clone();
    let theater = Theater::builder()
        .workers(1)
        .on_dead_letter(move |letter| notes.lock().unwrap().push(letter.reason))
        .build()
        .unwrap();
    let network = Network::join(&theater, TheaterId::random(), config.clone(), |me, listener| {
        ZenohTransport::open(settings, &config.cluster, me, listener)
            .map(|transport| transport as Arc<dyn Transport>)
    })?;
    Ok(Place { theater, network, lost })
}

/// Two theaters, and an ear of the second one known in the first one.
fn pair(test: &str) -> (Place, Place, ActorRef<Say>) {
    let config = LinkConfig {
        largest_message: 1 << 20,
        ..ZenohSettings::default().link_config(&cluster(test))
    };
    let (endpoint, here) = listening(|endpoint| {
        place(&ZenohSettings { listen: vec![endpoint.into()], ..Default::default() }, &config)
    });
    let connect = ZenohSettings { connect: vec![endpoint], ..Default::default() };
    let there = place(&connect, &config).unwrap();
    there.network.publish("ear", &there.theater.spawn(Ear::default()));
    until("they meet", || here.network.members().len() == 1);
    let found = here.network.at(there.network.id()).lookup("ear");
    let ear = found.wait_timeout(LONG).unwrap().unwrap();
    (here, there, ear)
}

fn works(ear: &ActorRef<Say>, number: u32, work: impl FnOnce() + Send + 'static) {
    WORK.lock().unwrap().insert(number, Box::new(work));
    ear.send(Say::Odd(Odd::Works(number))).unwrap();
}

#[test]
fn s32_odd_messages_are_lost_and_others_go_on() {
    let (here, there, ear) = pair("odd-messages");
    let odd: [fn() -> Odd; 8] = [
        || Odd::Nothing,
        || Odd::Huge(2 << 20),
        || Odd::FailsWritten,
        || Odd::FailsRead,
        || Odd::PanicsWritten,
        || Odd::PanicsRead,
        || Odd::PanicsDropped(Bomb),
        || Odd::Huge(100),
    ];
    let mut number = 0;
    for odd in odd {
        // Who drops what it sends hears the destructor's panic itself.
        let _ = quietly(|| ear.send(Say::Odd(odd())));
        ear.send(Say::Number(number)).unwrap();
        number += 1;
    }
    assert_eq!(heard(&ear), (0..number).collect::<Vec<_>>());
    assert_eq!((here.network.members().len(), there.network.members().len()), (1, 1));
    let lost = |place: &Place| place.lost.lock().unwrap().clone();
    assert!(
        lost(&here).iter().chain(&lost(&there)).all(|&why| why == DeadLetterReason::Unwritable)
    );
    assert_eq!(lost(&here).len(), 3, "written by here: {:?}", lost(&here));
}

/// Whether something is done in much less time than Zenoh waits for what does not end (10 s).
#[track_caller]
fn soon(what: &str, act: impl FnOnce()) {
    let begun = Instant::now();
    act();
    assert!(begun.elapsed() < Duration::from_secs(7), "{what}: {:?}", begun.elapsed());
}

#[test]
fn s32_who_reads_a_message_may_leave_the_network_and_drop_the_last_of_it() {
    for (number, leaves) in [(1, true), (2, false)] {
        let (here, there, ear) = pair(&format!("left-{leaves}"));
        let (done, is_done) = channel();
        let Place { theater, network, .. } = there;
        works(&ear, number, move || {
            if leaves {
                network.leave(Duration::ZERO);
            }
            drop(network);
            done.send(()).unwrap();
        });
        soon("who leaves is not heard of", || {
            is_done.recv_timeout(LONG).unwrap();
            until("it has gone", || here.network.members().is_empty());
        });
        soon("a theater ends", || drop(theater));
        soon("this one ends", || drop(here));
    }
}

#[test]
fn s32_who_reads_a_message_may_drop_the_theater() {
    let (here, there, ear) = pair("dropped-theater");
    let (done, is_done) = channel();
    works(&ear, 3, move || {
        drop(there);
        done.send(()).unwrap();
    });
    soon("the theater ends", || {
        is_done.recv_timeout(LONG).unwrap();
        until("it has gone", || here.network.members().is_empty());
    });
    soon("this one ends", || drop(here));
}

#[test]
fn s32_a_handler_may_drop_its_network_and_a_message_may_when_it_is_dropped() {
    struct Leaves(Option<Network>);
    impl Actor for Leaves {
        type Msg = Drops;
        fn handle(&mut self, _: Drops, _: &mut Context<'_, Self>) {
            drop(self.0.take());
        }
    }
    struct Drops(#[expect(dead_code, reason = "is there to be dropped")] Option<Network>);
    impl Message for Drops {}
    for (test, by_message) in [("handler-drops", false), ("message-drops", true)] {
        let (here, there, _ear) = pair(test);
        let Place { theater, network, .. } = there;
        let (kept, sent) = match by_message {
            true => (None, Drops(Some(network))),
            false => (Some(network), Drops(None)),
        };
        theater.spawn(Leaves(kept)).send(sent).unwrap();
        soon(test, || until("it has gone", || here.network.members().is_empty()));
        soon("a theater ends", || drop(theater));
    }
}

#[test]
fn s32_a_waker_that_panics_when_an_answer_comes_harms_no_other_question() {
    struct Panics(AtomicUsize);
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, SeqCst);
            throw();
        }
    }
    let (_here, _there, ear) = pair("panicking-waker");
    for count in 0..20 {
        let panics = Arc::new(Panics(AtomicUsize::new(0)));
        let waker = Waker::from(panics.clone());
        let mut asked = pin!(ear.ask(Say::All).into_future());
        let first = asked.as_mut().poll(&mut TaskContext::from_waker(&waker));
        if first.is_pending() {
            until("it is woken", || panics.0.load(SeqCst) == 1);
        }
        let answered = asked.as_mut().poll(&mut TaskContext::from_waker(Waker::noop()));
        assert!(first.is_ready() || answered == Poll::Ready(Ok((0..count).collect())));
        ear.send(Say::Number(count)).unwrap();
    }
    assert_eq!(heard(&ear), (0..20).collect::<Vec<_>>());
}

/// Panics at all that it is told, and drops the transport if it is to.
#[derive(Default)]
struct Hostile {
    packets: AtomicUsize,
    told: AtomicUsize,
    own: Mutex<Option<Arc<ZenohTransport>>>,
    drops: AtomicBool,
}

impl Listener for Hostile {
    fn packet(&self, _: TheaterId, _: &[u8]) {
        self.packets.fetch_add(1, SeqCst);
        if self.drops.load(SeqCst) {
            drop(self.own.lock().unwrap().take());
        }
        throw();
    }

    fn appeared(&self, _: TheaterId) {
        self.told.fetch_add(1, SeqCst);
        throw();
    }

    fn vanished(&self, _: TheaterId) {
        self.told.fetch_add(1, SeqCst);
        throw();
    }
}

#[test]
fn s32_a_listener_may_panic_and_drop_the_transport_while_it_hears_a_packet() {
    let cluster = cluster("hostile-listener");
    let [a, b] = [1, 2].map(TheaterId::from_bits);
    let hears = Arc::new(Hostile::default());
    let (endpoint, transport) = listening(|endpoint| {
        let settings = ZenohSettings { listen: vec![endpoint.into()], ..Default::default() };
        ZenohTransport::open(&settings, &cluster, a, hears.clone())
    });
    let connect = ZenohSettings { connect: vec![endpoint], ..Default::default() };
    let other = Arc::new(Hostile::default());
    let sends = ZenohTransport::open(&connect, &cluster, b, other.clone()).unwrap();
    until("several packets come", || {
        sends.send(a, vec![1; 100]);
        hears.packets.load(SeqCst) >= 20
    });
    until("it is told of the other", || hears.told.load(SeqCst) == 1);
    *hears.own.lock().unwrap() = Some(transport);
    hears.drops.store(true, SeqCst);
    soon("the transport is dropped by who hears", || {
        until("it has gone", || {
            sends.send(a, vec![1; 100]);
            other.told.load(SeqCst) == 2
        });
    });
    assert!(hears.own.lock().is_ok_and(|own| own.is_none()));
    soon("the other one is closed", || sends.close());
}

#[test]
fn s32_a_subscription_may_panic_bring_bombs_and_drop_its_session() {
    let (endpoint, hears) = listening(|endpoint| {
        Bare::open(&ZenohSettings { listen: vec![endpoint.into()], ..Default::default() })
    });
    let says =
        Bare::open(&ZenohSettings { connect: vec![endpoint], ..Default::default() }).unwrap();
    let count = Arc::new(AtomicUsize::new(0));
    let (counts, bomb) = (count.clone(), Bomb);
    let panics = hears.subscribe("hostile", move |_| {
        let _ = &bomb;
        counts.fetch_add(1, SeqCst);
        throw();
    });
    let panics = panics.unwrap();
    let publisher = says.publisher("hostile", Batching::Off).unwrap();
    let put = || publisher.put(vec![1; 100]).unwrap();
    until("several come", || {
        put();
        count.load(SeqCst) >= 20
    });
    drop(panics);
    let session = Arc::new(Mutex::new(None));
    let (drops, gone) = (session.clone(), Arc::new(AtomicBool::new(false)));
    let (is_gone, bomb) = (gone.clone(), Bomb);
    let subscription = hears.subscribe("hostile", move |_| {
        let _ = &bomb;
        let session: Option<Bare> = drops.lock().unwrap().take();
        if let Some(session) = session {
            drop(session);
            is_gone.store(true, SeqCst);
        }
    });
    *session.lock().unwrap() = Some(hears);
    soon("a session is dropped by who hears", || {
        until("it is dropped", || {
            put();
            gone.load(SeqCst)
        });
    });
    soon("what is left is dropped", || drop((subscription, session)));
    soon("the other one is dropped", || drop((publisher, says)));
}
