//! Safe code that means no good: values that panic while they are written, read or dropped, and
//! panics that bring such values.
#![allow(unreachable_pub, dead_code, reason = "as in `support`")]

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

/// Its destructor panics.
#[derive(Debug, Default)]
pub struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            resume_unwind(Box::new("a destructor"));
        }
    }
}

pub fn throw_a_bomb() -> ! {
    resume_unwind(Box::new(Bomb))
}

/// What a [`Trap`] is to panic at: its first bits, set by the test for a trap of its own.
pub const WRITTEN: u32 = 1;
pub const READ: u32 = 2;
pub const DROPPED: u32 = 4;

/// A value that panics with a bomb at what it was told to.
#[derive(Debug)]
pub struct Trap(pub u32);

impl Serialize for Trap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 & WRITTEN != 0 {
            throw_a_bomb();
        }
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Trap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let trap = u32::deserialize(deserializer)?;
        if trap & READ != 0 {
            throw_a_bomb();
        }
        Ok(Self(trap))
    }
}

/// How many destructors have panicked.
pub static DROPS: AtomicU32 = AtomicU32::new(0);

impl Drop for Trap {
    fn drop(&mut self) {
        // Also while another panic goes on: who drops what is the user's then ends the process.
        if self.0 & DROPPED != 0 {
            DROPS.fetch_add(1, SeqCst);
            throw_a_bomb();
        }
    }
}
