//! Who runs a woken actor, and when.
//!
//! A *stage* gives turns: the pool (`pool.rs`: work stealing; its workers are threads, `worker.rs`,
//! or tasks of another runtime, `worker_task.rs`) or a thread that owns its actors (`pinned.rs`:
//! pinned and dedicated stages). `submit.rs` is the seam between waking and running.

mod alarm;
mod callers;
pub(crate) mod envelope;
mod find_work;
pub(crate) mod foreign;
mod idle;
mod lifo_turns;
pub(crate) mod local_ring;
mod monitor;
pub(crate) mod pinned;
pub(crate) mod placement;
pub(crate) mod pool;
mod probe;
pub(crate) mod seen_stage;
pub(crate) mod submit;
pub(crate) mod timers;
pub(crate) mod worker;
pub(crate) mod worker_task;
