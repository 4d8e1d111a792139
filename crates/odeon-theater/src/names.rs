//! Names of actors that all theaters of a network know.
//!
//! | question | file |
//! |---|---|
//! | what a user calls | this one; `names/{settings,error,registration}.rs` |
//! | what is a name server, what do servers tell each other? | `names/{server,tell}.rs` |
//! | who are the servers of a name? | `names/view.rs` |
//! | how do they find each other, what is handed over? | `names/peers.rs` |
//! | how is a name given away? | `names/deciding.rs` |
//! | for how long is a question kept that cannot be answered yet? | `names/waiting.rs` |
//! | how is it found out whether somebody still has it? | `names/doubting.rs` |
//! | what does the theater of an actor do for its names? | `names/home.rs` |
//! | how is a name taken back? | `names/unregistering.rs` |
//! | what becomes of them when the actor moves? | `names/following.rs` |
//! | what if the way to it is lost, before they have followed? | `names/orphans.rs` |
//! | what if servers take another theater for the home? | `names/confirming.rs` |
//! | how does a question get its answer, whoever is lost meanwhile? | `names/asking.rs` |
//! | from a name to a reference | `names/finding.rs` |
//!
//! PROTOCOL
//! 1. A name is known to its *servers*, those that rank first among all in sight, and to its
//!    *home*, the theater of the actor. The home says whether a registration is in force; nobody
//!    else ends one, unless the home is lost.
//! 2. The first server decides. It gives a name away when all servers of the name have answered
//!    that they see the same servers, and know of no other registration. So two that give the same
//!    name away need servers of which none is the same.
//! 3. Two servers that meet hand over to each other what they and their actors have and the other
//!    one is a server of; only then they count on each other's silence: what is not known is not
//!    there once all in sight have handed over, no theater is linked of which it is not known
//!    whether it takes part, and the second server of the name says that it sees the same servers
//!    of it.
//! 4. When a server comes or goes, whoever knows a name tells those that are its servers and were
//!    not.
//! 5. Each registration has a stamp, greater than all that its first server has seen, if there is a
//!    greater number. Of two of one name that meet, all servers keep the one with the lesser stamp
//!    (or identity), and challenge the other: its home asks the home of the first one whether that
//!    is in force, and gives in or has its own known again.
//! 6. Whoever is in the way of a registration, or cannot be found, is doubted: the first server
//!    asks its home, and forgets what that does not hold, or what no server in sight sees the home
//!    of.
//! 7. A question is asked again until there is an answer or its time is up. A registration asked
//!    for twice is the same one.
//! 8. A claim is a registration without an actor: the right to spawn one. Its home gives it up when
//!    the time for it is over.
//! 9. A registration follows its actor, with its identity and its stamp: its home has the theater
//!    where the actor sits *adopt* it. That has the first server give the name to the same
//!    registration once more (2), at home there, under the next number of *moves*; then the old
//!    home lets go. Until then that is the home, and if nothing comes of it has itself given the
//!    name under the number after that. Of what is known of one registration the greatest number of
//!    moves counts, up to one that nobody comes to, and what is said of an earlier home ends no
//!    later one. If the way to the actor is lost meanwhile the registration is an *orphan*: it is
//!    let go here, and its actor is looked for in all theaters in sight and in each that comes into
//!    sight, since it is kept where it sits for so long (`network/migration/cut_off.rs`). There the
//!    name is given to it as in (2), under the next number.
//! 10. Who was the home passes on what is asked of it, as long as it remembers; who does not find a
//!     registration where it was asks the first server.
//! 11. A home that hears by (2) of another one of the same registration, whose number of moves is
//!     not less, takes the number after that: a home lets go only when the theater of the actor is
//!     the home (9), or when the registration is over. A registration that has moved is
//!     *confirmed*: its home has the first server give it the name once more, `seek_every` after
//!     it has come, after two times that, three times, and so on for `seek_for`, and from the
//!     beginning when a server comes or goes. So servers that have forgotten it, since they took
//!     another theater for its home, which is lost or says that it is none, know it again.

mod asking;
mod confirming;
mod deciding;
mod doubting;
mod entry;
mod error;
mod finding;
mod following;
mod home;
mod orphans;
mod peers;
mod registration;
mod server;
mod settings;
mod tell;
#[cfg(test)]
mod tests;
mod unregistering;
mod view;
mod waiting;

use odeon_sync::contained::{Theirs, quietly};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use odeon_core::extend::{question, send_unhindered};
use odeon_core::wire::Erased;
use odeon_core::{ActorRef, Ask, Context, Message};
use odeon_sync::Mutex;
use odeon_sync::atomic::{AtomicBool, Ordering};
use serde::Serialize;
use serde::de::DeserializeOwned;

use self::finding::{Make, Wanted};
use self::peers::SERVER;
use self::server::Server;
use self::tell::Tell;
use self::view::View;
use crate::{Network, TheaterId};

pub use self::error::NameError;
pub use self::registration::{NameEvent, Registration};
pub use self::settings::NameSettings;

/// Names of actors that all theaters of a network know which take part (S33). Made by
/// [`join`](Self::join); clones are the same.
///
/// The answers can be awaited and waited for, also for a limited time.
///
/// ```
/// use odeon_core::*;
/// use odeon_theater::{InMemoryNetwork, LinkConfig, NameError, NameSettings, Names, Network, TheaterId};
/// use std::sync::Arc;
/// # struct Counter(u32);
/// # #[derive(serde::Serialize, serde::Deserialize)]
/// # struct Next(Reply<u32>);
/// # impl Message for Next {}
/// # impl Actor for Counter {
/// #     type Msg = Next;
/// #     fn handle(&mut self, Next(reply): Next, _: &mut Context<'_, Self>) { self.0 += 1; reply.send(self.0) }
/// # }
/// let theater = Arc::new(Theater::new()?);
/// let net = InMemoryNetwork::new(1);
/// let network = Network::join(&theater, TheaterId::random(), LinkConfig::new("shop", 65_000), |id, listener| {
///     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, listener)))
/// })?;
/// let names = Names::join(&network, NameSettings::default());
///
/// let tickets = theater.spawn(Counter(0));
/// let registration = names.register("tickets", &tickets).wait()??;
/// assert_eq!(names.lookup::<Next>("tickets").wait()??, tickets);
/// let again = names.register("tickets", &theater.spawn(Counter(0))).wait()?;
/// assert_eq!(again.unwrap_err(), NameError::AlreadyRegistered(network.id()));
///
/// assert!(registration.unregister().wait()??);
/// let spawner = theater.clone();
/// let numbers = names.lookup_or_spawn("tickets", move || spawner.spawn(Counter(7))).wait()??;
/// assert_eq!(numbers.ask(Next).wait()?, 8);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Names {
    inner: Arc<Handle>,
}

/// What all clones have in common.
struct Handle {
    network: Network,
    server: ActorRef<Tell>,
    servers: Arc<Mutex<Vec<TheaterId>>>,
    has_left: AtomicBool,
}

impl Names {
    /// Has a theater take part in the names of its network, as a server too, until it
    /// [leaves](Self::leave) or the last clone is dropped. The network is kept as long.
    ///
    /// # Panics
    /// If a setting is out of its range, the theater takes part already, or it has been shut down.
    #[track_caller]
    pub fn join(network: &Network, settings: NameSettings) -> Self {
        if let Err(wrong) = settings.validate() {
            panic!("{wrong}");
        }
        assert!(!network.publishes(SERVER), "the theater takes part in names already");
        let me = network.id();
        let servers = Arc::new(Mutex::new(vec![me]));
        let clock = network.clock();
        // Beyond the numbers that an earlier server of this theater can have come to.
        let last = u64::try_from(clock.now().as_nanos()).unwrap_or(0);
        let server = network.spawn(Server {
            me,
            network: network.downgrade(),
            clock,
            servers: servers.clone(),
            view: View::new(me, settings.replicas),
            settings,
            peers: BTreeMap::new(),
            search: Default::default(),
            held: HashMap::new(),
            stamp: 0,
            giving: BTreeMap::new(),
            waiting: BTreeMap::new(),
            looks_at_waiting: false,
            in_doubt: HashSet::new(),
            inquiries: HashMap::new(),
            own: HashMap::new(),
            moved: HashMap::new(),
            looks_at_moved: false,
            orphans: HashMap::new(),
            confirms: false,
            requests: HashMap::new(),
            last,
            subscribers: Vec::new(),
        });
        let server = server.expect("the theater has not been shut down");
        network.publish_erased(SERVER, Erased::of(&server));
        let has_left = AtomicBool::new(false);
        let inner = Handle { network: network.clone(), server, servers, has_left };
        Self { inner: Arc::new(inner) }
    }

    /// Gives an actor a name, which keeps the actor as a reference does. It has it until it ends,
    /// its theater is lost or takes part no longer, or it is [unregistered](Self::unregister). An
    /// actor may have several names, and live in another theater than this one.
    ///
    /// Once there is an answer, everybody who looks the name up finds the actor, also if as many
    /// theaters are lost at once as [`replicas`](NameSettings::replicas) allows.
    ///
    /// # Errors
    /// In the answer: [`NameError::AlreadyRegistered`] if an actor has the name, be it the same
    /// one; [`NameError::Ended`], [`NameError::TakesNoPart`], [`NameError::Unavailable`].
    pub fn register<M: Message + Serialize + DeserializeOwned>(
        &self,
        name: &str,
        actor: &ActorRef<M>,
    ) -> Ask<Result<Registration, NameError>> {
        let (reply, ask) = question();
        let actor = Erased::of(actor);
        let Some(address) = self.inner.network.address_of(&actor) else {
            reply.send(Err(NameError::TakesNoPart));
            return ask;
        };
        let name = name.to_owned();
        self.step(move |it, ctx| {
            let (named, server) = (name.clone(), ctx.actor_ref());
            let done = move |made: home::Registered| {
                reply.send(made.map(|id| Registration::new(named, id, server)));
            };
            if address.theater == it.me.bits() {
                it.register(&name, actor, it.me, ctx, |_, made| done(made));
            } else {
                let deadline = it.deadline();
                it.register_elsewhere(address, name, actor, deadline, Box::new(done), ctx);
            }
        });
        ask
    }

    /// Takes a name from the actor that has it, wherever that is. `false`: nobody had it.
    ///
    /// # Errors
    /// In the answer: [`NameError::Unavailable`].
    pub fn unregister(&self, name: &str) -> Ask<Result<bool, NameError>> {
        let (reply, ask) = question();
        let name = name.to_owned();
        self.step(move |it, ctx| {
            let deadline = it.deadline();
            it.unregister(&name, None, deadline, reply, ctx);
        });
        ask
    }

    /// The actor that has this name. Whoever sends often keeps the reference: a lookup asks two
    /// theaters.
    ///
    /// Whoever has been told that a theater has joined finds what is known there: the answer waits
    /// until the two have met.
    ///
    /// # Errors
    /// In the answer: [`NameError::NotFound`], [`NameError::OtherMessages`],
    /// [`NameError::Unavailable`].
    pub fn lookup<M: Message + Serialize + DeserializeOwned>(
        &self,
        name: &str,
    ) -> Ask<Result<ActorRef<M>, NameError>> {
        self.find(name, None)
    }

    /// The actor that has this name; if there is none, the one that `make` spawns in this theater
    /// gets it.
    ///
    /// However many theaters race, one of them has its `make` called, in an actor of its own; it
    /// has [`spawn_within`](NameSettings::spawn_within) for it. If that is not enough another one
    /// may be called too, but one actor gets the name.
    ///
    /// # Errors
    /// In the answer, as for [`lookup`](Self::lookup) but for `NotFound`; and
    /// [`NameError::Panicked`], [`NameError::Ended`] if what `make` has spawned has ended,
    /// [`NameError::TakesNoPart`] if it is of another theater.
    pub fn lookup_or_spawn<M: Message + Serialize + DeserializeOwned>(
        &self,
        name: &str,
        make: impl FnOnce() -> ActorRef<M> + Send + 'static,
    ) -> Ask<Result<ActorRef<M>, NameError>> {
        self.find(name, Some(Theirs::of(Box::new(move || Erased::of(&make())))))
    }

    fn find<M: Message + Serialize + DeserializeOwned>(
        &self,
        name: &str,
        make: Option<Make>,
    ) -> Ask<Result<ActorRef<M>, NameError>> {
        let (reply, ask) = question();
        let name = name.to_owned();
        self.step(move |it, ctx| it.lookup(name, make, Box::new(Wanted(reply)), ctx));
        ask
    }

    /// Takes the names from those actors of this theater to which nobody refers, neither here, nor
    /// elsewhere, nor in a message that is under way: they end, as by
    /// [`Network::stop_unreferenced`]. Answers the names, of those of which `may` says so.
    ///
    /// Whoever looks one up at that moment finds it, and keeps it, or finds nobody.
    pub fn stop_unreferenced(
        &self,
        may: impl Fn(&str) -> bool + Send + 'static,
    ) -> Ask<Vec<String>> {
        let (reply, ask) = question();
        // The server outlives the user's code: whoever has no answer learns so.
        let may = Theirs::of(may);
        self.step(move |it, ctx| {
            let names = it.own_names();
            let chosen = quietly(move || {
                let may = may.take();
                names.into_iter().filter(|name| may(name)).collect()
            });
            if let Some(chosen) = chosen {
                reply.send(it.release_unreferenced(&chosen, ctx));
            }
        });
        ask
    }

    /// Has an actor told what happens to names of actors of this theater, or registered from here.
    /// It is told until it stops.
    pub fn subscribe(&self, subscriber: &ActorRef<NameEvent>) {
        let subscriber = subscriber.clone();
        self.step(move |it, _| it.subscribers.push(subscriber));
    }

    /// The theaters that take part, as far as this one knows; it is one of them.
    pub fn servers(&self) -> Vec<TheaterId> {
        self.inner.servers.lock().expect("nothing panics under this lock").clone()
    }

    /// Takes part no longer: names of actors of this theater are free, others go on by the other
    /// servers. Questions of this theater that are under way have no answer.
    pub fn leave(&self) {
        self.inner.leave();
    }

    /// Has the server do something in a turn of its own. If it has ended nobody does: what would be
    /// answered is not.
    fn step(&self, step: impl FnOnce(&mut Server, &mut Context<'_, Server>) + Send + 'static) {
        let _ = send_unhindered(&self.inner.server, Tell::then(step));
    }
}

impl Handle {
    fn leave(&self) {
        // ORDERING: Relaxed: decides who leaves, and nothing else hangs on it.
        if !self.has_left.swap(true, Ordering::Relaxed) {
            self.network.unpublish_any(SERVER);
            self.server.stop();
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.leave();
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Names").field("servers", &self.servers()).finish_non_exhaustive()
    }
}
