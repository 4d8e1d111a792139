//! [Zenoh](https://zenoh.io) as the network between theaters: discovery, routing, TLS,
//! reconnection.
//!
//! Zenoh carries packets and promises nothing about them; that messages arrive once and in order is
//! seen to above it, by `odeon_theater::Link`. This is the only crate of Odeon that names it.
//!
//! | question | file |
//! |---|---|
//! | how is a theater reached, and how does it reach others? | `settings.rs` |
//! | with certificates, which ways are not taken? are they there? | `settings/certified.rs`, `settings/tls.rs` |
//! | what is sent under which key? | `keys.rs` |
//! | opening a session, and why that has not worked; closing it | `session.rs`, `error.rs` |
//! | what of users runs on Zenoh's threads? | `called.rs` |
//! | packets out and in, who is there | `transport.rs` |
//! | who has connected and is not let in, or does not let this program in | `complaints.rs`, `complaints/*` |
//! | what does Zenoh cost alone? | `bare.rs`, for benchmarks |
#![forbid(unsafe_code)]

pub mod bare;
mod called;
mod complaints;
mod error;
mod keys;
mod session;
mod settings;
mod transport;

use std::sync::Arc;

use odeon_core::Theater;
use odeon_theater::{Network, TheaterId, Transport};

pub use complaints::{Complaint, hear_complaints};
pub use error::ZenohError;
pub use settings::{LARGEST_PACKET, Tls, ZenohSettings};
pub use transport::ZenohTransport;

/// Has a theater join the others of a cluster by Zenoh, with a new identity and the settings of
/// links that these settings ask for ([`ZenohSettings::link_config`]). For other ones see
/// [`Network::join`].
///
/// ```
/// use odeon_core::*;
/// use odeon_zenoh::{ZenohSettings, join};
///
/// let theater = Theater::new()?;
/// let network = join(&theater, "shop", &ZenohSettings::default())?;
/// assert!(network.members().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If Zenoh cannot be used as the settings say, or they do not go together. If
/// [`longest_cut`](ZenohSettings::longest_cut) is 0. If the name of the cluster has more than 64
/// bytes.
pub fn join(
    theater: &Theater,
    cluster: &str,
    settings: &ZenohSettings,
) -> Result<Network, ZenohError> {
    let mut settings = settings.clone();
    let config = settings.link_config(cluster);
    settings.secret = None;
    if settings.longest_cut.is_zero() {
        return Err(ZenohError::refused("the setting longest_cut, 0".into(), "it is above 0"));
    }
    if let Err(wrong) = config.validate() {
        return Err(ZenohError::refused("the settings of links".into(), wrong));
    }
    Network::join(theater, TheaterId::random(), config, |me, listener| {
        ZenohTransport::open(&settings, cluster, me, listener)
            .map(|transport| transport as Arc<dyn Transport>)
    })
}
