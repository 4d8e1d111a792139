//! The actor of a theater that others ask about it, and to have its actors moved: by it a theater
//! is seen and served from outside.

use std::fmt;
use std::time::Duration;

use odeon_core::wire::Erased;
use odeon_core::{Actor, ActorRef, Ask, Context, Message, Reply};
use serde::{Deserialize, Serialize};

use crate::network::WeakNetwork;
use crate::{Drained, MigrateError, Migrated, MobileId, Network, Overview, RemoteError, TheaterId};

/// Under which name each theater publishes its control actor: another one for another version of
/// what it is told, so that who speaks another one does not find it.
const CONTROL: &str = "odeon/control/4";

/// What a [`ControlActor`] is asked.
#[derive(Serialize, Deserialize)]
#[non_exhaustive]
pub enum ControlRequest {
    /// What the theater can say of itself.
    Overview(Reply<Overview>),
    /// A mobile actor that sits in the theater is to move.
    Move {
        /// Which one.
        actor: MobileId,
        /// To where.
        to: TheaterId,
        /// What has come of it, as by [`Network::migrate`]; [`MigrateError::NotHere`] if it does
        /// not sit here.
        reply: Reply<Result<Migrated, MigrateError>>,
    },
    /// The theater is to be [drained](Network::drain).
    Drain {
        /// For how long at most.
        within: Duration,
        /// What has come of it.
        reply: Reply<Drained>,
    },
    /// The theater is to be [reopened](Network::reopen).
    Reopen(Reply<()>),
}

impl Message for ControlRequest {}

/// Lets other theaters of the network see what there is in this one, and have its actors moved,
/// until it is dropped: the command `odeon theater ps|move|drain` asks for that. Whoever has joined
/// may; so theaters have one only if they ask for it.
///
/// ```
/// use odeon_core::Theater;
/// use odeon_theater::{ControlActor, ControlRequest, InMemoryNetwork, LinkConfig, Network, TheaterId};
/// # use std::sync::Arc;
/// # use std::time::{Duration, Instant};
/// # let net = InMemoryNetwork::new(1);
/// # let theaters = [Theater::builder().name("till").build()?, Theater::new()?];
/// # let join = |n: usize| Network::join(&theaters[n], TheaterId::from_bits(n as u128 + 1), LinkConfig::new("shop", 65_000), |id, ears| {
/// #     Ok::<_, std::convert::Infallible>(Arc::new(net.join(id, ears)))
/// # }).unwrap();
/// # let (network, elsewhere) = (join(0), join(1));
/// # let (ends, begun) = (Arc::new(std::sync::atomic::AtomicBool::new(false)), Instant::now());
/// # let driver = { let (net, ends) = (net.clone(), ends.clone()); std::thread::spawn(move || while !ends.load(std::sync::atomic::Ordering::SeqCst) {
/// #     net.step(begun.elapsed()); std::thread::sleep(Duration::from_micros(200));
/// # })};
/// let _control = ControlActor::serve(&network);
///
/// // In another theater:
/// let control = elsewhere.control_of(network.id()).wait()??;
/// assert_eq!(control.ask(ControlRequest::Overview).wait()?.name, "till");
/// # ends.store(true, std::sync::atomic::Ordering::SeqCst);
/// # driver.join().unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ControlActor {
    network: WeakNetwork,
    actor: ActorRef<ControlRequest>,
}

impl ControlActor {
    /// Gives a theater a control actor.
    ///
    /// # Panics
    /// If it has one already, or has been shut down.
    #[track_caller]
    pub fn serve(network: &Network) -> Self {
        assert!(!network.publishes(CONTROL), "the theater has a control actor already");
        let serves = Serves(network.downgrade());
        let actor = network.spawn(serves).expect("the theater has not been shut down");
        network.publish_erased(CONTROL, Erased::of(&actor));
        Self { network: network.downgrade(), actor }
    }
}

impl Drop for ControlActor {
    fn drop(&mut self) {
        if let Some(network) = self.network.upgrade() {
            network.unpublish_any(CONTROL);
        }
        self.actor.stop();
    }
}

impl fmt::Debug for ControlActor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlActor").finish_non_exhaustive()
    }
}

impl Network {
    /// The control actor of another theater. The answer is [`RemoteError::NotFound`] if it has
    /// none, or one of another version.
    pub fn control_of(
        &self,
        theater: TheaterId,
    ) -> Ask<Result<ActorRef<ControlRequest>, RemoteError>> {
        self.at(theater).lookup(CONTROL)
    }
}

struct Serves(WeakNetwork);

impl Actor for Serves {
    type Msg = ControlRequest;

    fn handle(&mut self, asked: ControlRequest, ctx: &mut Context<'_, Self>) {
        // Who leaves answers nothing.
        let Some(network) = self.0.upgrade() else { return };
        match asked {
            ControlRequest::Overview(reply) => reply.send(network.overview()),
            ControlRequest::Move { actor, to, reply } => {
                pass_on(network.migrate_resident(actor, to), reply, ctx);
            }
            ControlRequest::Drain { within, reply } => pass_on(network.drain(within), reply, ctx),
            ControlRequest::Reopen(reply) => {
                network.reopen();
                reply.send(());
            }
        }
    }
}

/// Answers what is answered here. If nothing is, the asker is told that there is no answer.
fn pass_on<T: Send + 'static>(answer: Ask<T>, reply: Reply<T>, ctx: &mut Context<'_, Serves>) {
    ctx.pipe(answer, move |_, answer, _| {
        if let Ok(answer) = answer {
            reply.send(answer);
        }
    });
}
