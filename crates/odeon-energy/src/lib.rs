//! Energy as a number: joules of a run, of an actor, of a message.
//!
//! ```
//! use odeon_energy::{Gauge, Machine};
//!
//! let machine = Machine::look();
//! for why in &machine.missing {
//!     println!("{why}");
//! }
//! let mut gauge = Gauge::new(machine.meter);
//! let ((), reading) = gauge.measure(|| { /* the work */ });
//! println!("{reading}");
//! ```
//!
//! A figure ([`Figure`]) is a number with its bounds and its source, or [`Unavailable`] with the
//! reason. It is never zero for want of a counter, and never a guess: a sum of which one part is
//! unavailable is unavailable.
//!
//! | question | file |
//! |---|---|
//! | what does a counter count, and how well? | `domain.rs`, `meter.rs` |
//! | which counters has a processor? | `rapl.rs`, `rapl/*` |
//! | which counters have GPUs? | `nvml.rs`, `nvml/*` |
//! | all of a machine's | `machine.rs`, `composite.rs`, `shared.rs` |
//! | what has a run taken? | `gauge.rs`, `reading.rs`, `idle.rs` |
//! | whose joules were they? | `attribution.rs`, `attribution/*` |
//! | who chooses frequencies? | `governor.rs` |
//! | numbers and why there are none | `estimate.rs`, `unavailable.rs` |
//!
//! The questions are those of Hayduk's thesis, *Exploiting Concurrency and Heterogeneity for
//! Energy-efficient Computing: An Actor-based Approach* (2017), 6.2, 6.5 and 6.6, which read a
//! power meter at the plug; its future work (7.2.2, 7.2.3) asks for measurements within the system.
#![forbid(unsafe_code)]

mod attribution;
mod composite;
mod domain;
mod estimate;
mod gauge;
mod governor;
mod idle;
mod machine;
mod meter;
mod nvml;
mod rapl;
mod reading;
mod shared;
mod sysfs;
mod unavailable;

pub use attribution::{
    ActorJoules, Attribution, DeviceUse, Divided, DividedDevice, MachineLoad, PowerSpread, Share,
    shares,
};
pub use composite::{Composite, Overlap};
pub use domain::{Domain, DomainKind};
pub use estimate::{Estimate, Figure};
pub use gauge::{Gauge, Span};
pub use governor::{CPUS, CpuFrequency, GovernorError, Governors, GovernorsSet};
pub use idle::{Idle, IdlePower};
pub use machine::Machine;
pub use meter::{Count, Meter};
pub use nvml::NvidiaGpus;
pub use rapl::{Found, POWERCAP, Rapl, Scope};
pub use reading::{Part, Reading};
pub use shared::{KeptUp, SharedMeter};
pub use unavailable::{Cause, Unavailable};
