//! Coordinated transactions that actors of several theaters take part in: handled wholly or not at all, whatever the network loses and whichever
//! theater dies.
#![forbid(unsafe_code)]

mod abroad;
mod agent;
mod ending;
mod following;
mod id;
mod joining;
mod leading;
mod parts;
mod peers;
mod records;
mod sizes;
mod tell;
mod urgency;

pub use joining::Coordination;
