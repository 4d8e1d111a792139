//! The secret of a cluster.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;

/// What all theaters of a cluster know and nobody else: with it
/// ([`LinkConfig::secret`](crate::link::LinkConfig::secret)) each packet is sealed, and who does
/// not know it has no link, changes nothing that is under way, and sends nothing in the name of
/// another.
///
/// It seals by [BLAKE3](https://docs.rs/blake3) with a key, over the packet, its count in its link,
/// and the identities of both theaters. Those have to be other ones at each start
/// ([`TheaterId::random`](crate::link::TheaterId::random)), so that a packet of a former life is
/// for nobody; one that comes twice is one that the link has seen. Sealed is not hidden: who can
/// listen reads along. Against that there is TLS. Nor does a seal keep anybody from keeping
/// theaters busy.
///
/// Who listens can try secrets at leisure, so it has to be one that nobody guesses: as many random
/// bytes as a key has.
///
/// ```
/// use odeon_theater::{LinkConfig, Secret};
///
/// let secret = Secret::new("5f2ba8e1c6f04d53a4c91be7f0d2a6c8")?;
/// let config = LinkConfig { secret: Some(secret), ..LinkConfig::new("shop", 65_000) };
/// assert!(!format!("{config:?}").contains("5f2ba"));
/// assert!(Secret::new("swordfish").is_err());
/// # Ok::<(), odeon_theater::ShortSecret>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    key: [u8; blake3::KEY_LEN],
}

/// How many bytes a secret has at least.
const SHORTEST: usize = 16;

impl Secret {
    /// Of any bytes: the same for all theaters of the cluster.
    ///
    /// # Errors
    /// If there are fewer than 16.
    pub fn new(bytes: impl AsRef<[u8]>) -> Result<Self, ShortSecret> {
        let bytes = bytes.as_ref();
        if bytes.len() < SHORTEST {
            return Err(ShortSecret { length: bytes.len() });
        }
        Ok(Self { key: blake3::derive_key("Odeon 2026-11 secret of a cluster", bytes) })
    }

    /// What a file says, without white space at its end.
    ///
    /// # Errors
    /// If it cannot be read, or says less than 16 bytes ([`io::ErrorKind::InvalidData`]).
    pub fn from_file(path: impl AsRef<Path>) -> io::Result<Self> {
        let said = std::fs::read(path)?;
        Self::new(said.trim_ascii_end())
            .map_err(|short| io::Error::new(io::ErrorKind::InvalidData, short))
    }

    pub(crate) fn key(&self) -> &[u8; blake3::KEY_LEN] {
        &self.key
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// A secret has too few bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortSecret {
    length: usize,
}

impl fmt::Display for ShortSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a secret has at least {SHORTEST} bytes, this one has {}", self.length)
    }
}

impl Error for ShortSecret {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_may_end_with_a_line_break() {
        let path = std::env::temp_dir().join(format!("odeon-secret-{}", std::process::id()));
        std::fs::write(&path, "0123456789abcdef\n").unwrap();
        let read = Secret::from_file(&path).unwrap();
        std::fs::write(&path, "0123456789abcde\n").unwrap();
        let short = Secret::from_file(&path).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert!(read == Secret::new("0123456789abcdef").unwrap());
        assert_eq!(short.to_string(), "a secret has at least 16 bytes, this one has 15");
    }
}
