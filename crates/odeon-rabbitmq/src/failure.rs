//! Errors of a worker process, as they travel.

use odeon_device::DeviceError;
use serde::{Deserialize, Serialize};

/// A [`DeviceError`] of somebody else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum RemoteFailure {
    Unavailable(String),
    OutOfMemory { asked: u64, available: u64 },
    Kernel(String),
    Lost(String),
    Disconnected(String),
    Invalid(String),
}

impl RemoteFailure {
    /// With the beginning of its text, which has `most_bytes` at most.
    pub(crate) fn of(error: &DeviceError, most_bytes: usize) -> Self {
        let cut = |why: &str| cut(why, most_bytes.min(LONGEST)).to_owned();
        match error {
            DeviceError::Unavailable(why) => Self::Unavailable(cut(why)),
            &DeviceError::OutOfMemory { asked, available } => {
                Self::OutOfMemory { asked, available }
            }
            DeviceError::Kernel(why) => Self::Kernel(cut(why)),
            DeviceError::Lost(why) => Self::Lost(cut(why)),
            DeviceError::Disconnected(why) => Self::Disconnected(cut(why)),
            DeviceError::Invalid(why) => Self::Invalid(cut(why)),
            // Of a kind that came later.
            other => Self::Invalid(cut(&other.to_string())),
        }
    }

    /// What the client is told.
    pub(crate) fn to_error(&self, tries: u32) -> DeviceError {
        let say = |why: &str| match tries {
            0 => why.to_owned(),
            1 => format!("{why} (in a worker process)"),
            _ => format!("{why} (tried {tries} times in worker processes)"),
        };
        match self {
            Self::Unavailable(why) => DeviceError::Unavailable(say(why)),
            &Self::OutOfMemory { asked, available } => {
                DeviceError::OutOfMemory { asked, available }
            }
            Self::Kernel(why) => DeviceError::Kernel(say(why)),
            Self::Lost(why) => DeviceError::Lost(say(why)),
            Self::Disconnected(why) => DeviceError::Disconnected(say(why)),
            Self::Invalid(why) => DeviceError::Invalid(say(why)),
        }
    }
}

/// TUNE: guessed 2026-11: bytes of what a compiler says that travel.
const LONGEST: usize = 16 << 10;

/// The beginning of a text, in at most so many bytes.
pub(crate) fn cut(text: &str, most_bytes: usize) -> &str {
    let mut end = most_bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_arrives_as_what_it_was() {
        let text = || "why".to_owned();
        for error in [
            DeviceError::Unavailable(text()),
            DeviceError::OutOfMemory { asked: 5, available: 3 },
            DeviceError::Kernel(text()),
            DeviceError::Lost(text()),
            DeviceError::Disconnected(text()),
            DeviceError::Invalid(text()),
        ] {
            let bytes = postcard::to_allocvec(&RemoteFailure::of(&error, 100)).unwrap();
            let failure: RemoteFailure = postcard::from_bytes(&bytes).unwrap();
            assert_eq!(failure.to_error(0), error);
        }
        let said = RemoteFailure::Lost(text()).to_error(3).to_string();
        assert_eq!(said, "the device is lost: why (tried 3 times in worker processes)");
    }

    #[test]
    fn long_texts_are_cut_where_a_character_ends() {
        let ends = (0..=5).map(|most| cut("a\u{e9}b", most)).collect::<Vec<_>>();
        assert_eq!(ends, ["", "a", "a", "a\u{e9}", "a\u{e9}b", "a\u{e9}b"]);
        let long = DeviceError::Kernel("x".repeat(1 << 20));
        assert_eq!(RemoteFailure::of(&long, 7), RemoteFailure::Kernel("x".repeat(7)));
        assert_eq!(
            RemoteFailure::of(&long, usize::MAX),
            RemoteFailure::Kernel("x".repeat(LONGEST))
        );
    }
}
