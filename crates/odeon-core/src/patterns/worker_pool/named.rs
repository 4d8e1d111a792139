//! Worker pools that are found by their names.

use std::any::{Any, type_name};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use odeon_sync::{Mutex, MutexGuard};

use super::WorkerPool;
use crate::process::theater_shared::TheaterShared;
use crate::runtime::naming::{LookupError, NameTaken, Naming, OtherType};
use crate::runtime::theater::Theater;
use crate::turn::async_behavior::AsyncBehavior;
use crate::turn::async_context::AsyncContext;
use crate::turn::behavior::Behavior;
use crate::turn::context::Context;
use crate::vocabulary::message::Message;

/// The named worker pools of a theater. It keeps them: whoever looks one up finds its members
/// alive.
#[derive(Default)]
struct NamedWorkerPools(Mutex<PoolsByName>);

type PoolsByName = HashMap<Arc<str>, Box<dyn ErasedPool>>;

/// A worker pool, its message type forgotten.
trait ErasedPool: Send + Sync {
    fn as_any(&self) -> &dyn Any;
    fn message_type(&self) -> &'static str;
}

impl<M: Message> ErasedPool for WorkerPool<M> {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn message_type(&self) -> &'static str {
        type_name::<M>()
    }
}

impl NamedWorkerPools {
    /// Those of a theater.
    fn of(theater: &TheaterShared) -> &Self {
        theater.attachments.get_or_attach(|| {
            Naming::of(theater).also_clear(|theater| Self::of(theater).clear());
            Self::default()
        })
    }

    fn lock(&self) -> MutexGuard<'_, PoolsByName> {
        self.0.lock().expect("no panic happens under the lock of named worker pools")
    }

    /// The theater has ended: forgets them all.
    fn clear(&self) {
        let entries = std::mem::take(&mut *self.lock());
        // Outside of the lock: the members end, which runs users' code.
        drop(entries);
    }
}

impl TheaterShared {
    fn register_worker_pool<M: Message>(
        &self,
        name: &str,
        pool: &WorkerPool<M>,
    ) -> Result<(), NameTaken> {
        match NamedWorkerPools::of(self).lock().entry(name.into()) {
            Entry::Occupied(_) => Err(NameTaken::by_worker_pool(name)),
            Entry::Vacant(place) => {
                // Under the lock, as the end of the theater forgets all names: nothing is entered
                // behind that.
                if !self.is_stopping() {
                    place.insert(Box::new(pool.clone()));
                }
                Ok(())
            }
        }
    }

    fn unregister_worker_pool(&self, name: &str) -> bool {
        let taken = NamedWorkerPools::of(self).lock().remove(name);
        // Outside of the lock, as in `clear`.
        taken.is_some()
    }

    fn worker_pool<M: Message>(&self, name: &str) -> Result<WorkerPool<M>, LookupError> {
        let pools = NamedWorkerPools::of(self).lock();
        let Some(pool) = pools.get(name) else {
            return Err(LookupError::NotFound { name: name.into() });
        };
        let found = pool.as_any().downcast_ref::<WorkerPool<M>>().cloned();
        found.ok_or_else(|| {
            let (named, asked) = (pool.message_type(), type_name::<M>());
            LookupError::OtherType(OtherType { name: name.into(), named, asked })
        })
    }
}

impl Theater {
    /// Gives a worker pool a name in this theater, which keeps its members as a handle does, until
    /// it is [unregistered](Self::unregister_worker_pool) or the theater ends. Names of worker
    /// pools, groups and actors have nothing to do with each other. A theater that is ending
    /// remembers none.
    ///
    /// # Errors
    /// If a worker pool has the name, be it the same one.
    ///
    /// ```
    /// # use odeon_core::*;
    /// # struct Hasher;
    /// # enum Job { Hash(String, Reply<usize>) }
    /// # impl Message for Job {}
    /// # impl Actor for Hasher {
    /// #     type Msg = Job;
    /// #     fn handle(&mut self, Job::Hash(text, reply): Job, _: &mut Context<'_, Self>) { reply.send(text.len()) }
    /// # }
    /// let theater = Theater::new()?;
    /// let hashers = theater.actor().supervised(Supervision::new()).pool(2, Routing::RoundRobin, |_| Hasher);
    /// theater.register_worker_pool("hashers", &hashers)?;
    /// drop(hashers);
    ///
    /// let hashers = theater.worker_pool::<Job>("hashers")?;
    /// assert_eq!(hashers.ask(|reply| Job::Hash("four".into(), reply)).wait()?, 4);
    /// assert!(matches!(theater.worker_pool::<u32>("hashers"), Err(LookupError::OtherType(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register_worker_pool<M: Message>(
        &self,
        name: &str,
        pool: &WorkerPool<M>,
    ) -> Result<(), NameTaken> {
        self.shared().register_worker_pool(name, pool)
    }

    /// Takes a name from the worker pool that has it. `false`: none had it.
    pub fn unregister_worker_pool(&self, name: &str) -> bool {
        self.shared().unregister_worker_pool(name)
    }

    /// The worker pool that has this name.
    ///
    /// # Errors
    /// [`LookupError::NotFound`] if none has the name, [`LookupError::OtherType`] if it has other
    /// messages than `M`.
    pub fn worker_pool<M: Message>(&self, name: &str) -> Result<WorkerPool<M>, LookupError> {
        self.shared().worker_pool(name)
    }
}

impl<A: Behavior> Context<'_, A> {
    /// As [`Theater::worker_pool`], in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn worker_pool<M: Message>(&self, name: &str) -> Result<WorkerPool<M>, LookupError> {
        self.theater().worker_pool(name)
    }
}

impl<A: AsyncBehavior> AsyncContext<'_, A> {
    /// As [`Theater::worker_pool`], in the theater of this actor.
    ///
    /// # Errors
    /// As there.
    pub fn worker_pool<M: Message>(&self, name: &str) -> Result<WorkerPool<M>, LookupError> {
        self.theater().worker_pool(name)
    }
}
