//! How a theater is reached, and how it reaches others.

mod certified;
mod tls;

use std::time::Duration;

use odeon_theater::Secret;
use zenoh::Config;

use crate::ZenohError;

pub use self::tls::Tls;

/// How many bytes a message of Zenoh's may have that comes.
pub(crate) const LARGEST_INCOMING: &str = "transport/link/rx/max_message_size";

/// TUNE: bytes, guessed 2026-11: many times a packet; what Zenoh itself tells of theaters and keys has some 100 bytes for each of them. By its own setting, 1 GiB,
/// anybody could have that much memory taken.
const LARGEST: usize = 1 << 20;

/// Settings of a [`ZenohTransport`](crate::ZenohTransport): plain data, to be changed field by field.
///
/// ```
/// use odeon_zenoh::ZenohSettings;
///
/// let settings = ZenohSettings {
///     listen: vec!["tcp/0.0.0.0:7447".into()],
///     connect: vec!["tcp/other.example:7447".into()],
///     ..ZenohSettings::default()
/// };
/// assert!(!settings.discover);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ZenohSettings {
    /// Where to listen, as Zenoh writes endpoints: `tcp/127.0.0.1:7447`, `tls/localhost:7447`; port 0 is any free one. None: others do.
    pub listen: Vec<String>,
    /// Whom to connect to: other theaters, or Zenoh routers. A router tells theaters that listen of each other, and passes packets on between its
    /// clients only: `more` with `mode` `"client"`.
    pub connect: Vec<String>,
    /// Whether theaters of the local network are found by multicast.
    pub discover: bool,
    /// How long a connection may be silent before Zenoh gives it up. 1 s. The same for all theaters.
    pub lease: Duration,
    /// Certificates. With them all endpoints have to begin with `tls/` or `quic/`: any other one is refused, also in `more`, since whoever comes by it
    /// shows none.
    pub tls: Option<Tls>,
    /// What theaters of the cluster know each other by, whatever the endpoints are. For [`join`](crate::join); who gives links settings of its own by
    /// `Network::join` says it there, as `LinkConfig::secret`.
    pub secret: Option<Secret>,
    /// More of Zenoh's configuration: its keys, and values in JSON5. They go before what is said above, and before what is set for packets: messages of
    /// Zenoh's above 1 MiB are not taken (`transport/link/rx/max_message_size`).
    pub more: Vec<(String, String)>,
}

impl Default for ZenohSettings {
    fn default() -> Self {
        Self {
            listen: Vec::new(),
            connect: Vec::new(),
            discover: false,
            lease: Duration::from_secs(1),
            tls: None,
            secret: None,
            more: Vec::new(),
        }
    }
}

impl ZenohSettings {
    pub(crate) fn to_config(&self) -> Result<Config, ZenohError> {
        let mut config = Config::default();
        let mut set = |key: &str, value: &str| {
            config.insert_json5(key, value).map_err(|error| ZenohError::settings(key, &*error))
        };
        set("mode", "\"peer\"")?;
        set("scouting/multicast/enabled", &self.discover.to_string())?;
        set("listen/endpoints", &list(&self.listen))?;
        set("connect/endpoints", &list(&self.connect))?;
        set("transport/link/tx/lease", &self.lease.as_millis().to_string())?;
        set(LARGEST_INCOMING, &LARGEST.to_string())?;
        // TUNE: ms, guessed 2026-11: at least two attempts before a link counts as dead after 2 s. Zenoh's own are 1, 2 and 4 s.
        set(
            "connect/retry",
            "{ period_init_ms: 100, period_max_ms: 1000, period_increase_factor: 2 }",
        )?;
        if let Some(Tls { authority, certificate, key }) = &self.tls {
            let (certificate, private) = (quoted(certificate), quoted(key));
            set("transport/link/tls/root_ca_certificate", &quoted(authority))?;
            set("transport/link/tls/enable_mtls", "true")?;
            set("transport/link/tls/listen_certificate", &certificate)?;
            set("transport/link/tls/listen_private_key", &private)?;
            set("transport/link/tls/connect_certificate", &certificate)?;
            set("transport/link/tls/connect_private_key", &private)?;
        }
        self.more.iter().try_for_each(|(key, value)| set(key, value))?;
        if self.tls.is_some() {
            certified::certified_only(&mut config)?;
        }
        Ok(config)
    }
}

fn list(endpoints: &[String]) -> String {
    let quoted: Vec<String> = endpoints.iter().map(|endpoint| format!("{endpoint:?}")).collect();
    format!("[{}]", quoted.join(","))
}

fn quoted(path: &std::path::Path) -> String {
    format!("{:?}", path.to_string_lossy())
}
