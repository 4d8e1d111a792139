//! How a theater is reached, and how it reaches others.

mod certified;
mod said;
mod tls;

#[cfg(test)]
mod tests;

use std::time::Duration;

use odeon_theater::{LinkConfig, Secret};
use serde_json::Value;
use zenoh::Config;

use crate::ZenohError;

pub use self::tls::Tls;

/// How many bytes a packet may have.
// TUNE: what Zenoh puts into one batch of 64 kB, with room for its own heads: a longer packet
// would be cut and put together again.
pub const LARGEST_PACKET: usize = 60_000;

/// How many bytes a message of Zenoh's may have that comes.
pub(crate) const LARGEST_INCOMING: &str = "transport/link/rx/max_message_size";

/// TUNE: bytes, guessed 2026-11: many times a packet; what Zenoh itself tells of theaters and keys
/// has some 100 bytes for each of them. By its own setting, 1 GiB, anybody could have that much
/// memory taken.
const LARGEST: usize = 1 << 20;

/// TUNE: 1 s: the first time after which TCP asks for a connection again, and more than a heartbeat
/// (250 ms) and some times that a packet is under way.
const SENDING_AGAIN: Duration = Duration::from_secs(1);

/// TUNE: 10 s, which is Zenoh's own: with less, who gets no time for a while costs connections.
const LEAST_LEASE: Duration = Duration::from_secs(10);

const LEASE: &str = "transport/link/tx/lease";

/// Settings of a [`ZenohTransport`](crate::ZenohTransport): plain data, to be changed field by
/// field.
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
    /// Where to listen, as Zenoh writes endpoints: `tcp/127.0.0.1:7447`, `tls/localhost:7447`; port
    /// 0 is any free one. None: others do.
    pub listen: Vec<String>,
    /// Whom to connect to: other theaters, or Zenoh routers. A router tells theaters that listen of
    /// each other, and passes packets on between its clients only: `more` with `mode` `"client"`.
    pub connect: Vec<String>,
    /// Whether theaters of the local network are found by multicast.
    pub discover: bool,
    /// For how long a connection may be cut, or nothing get through, without anybody being taken
    /// for dead: 2 s. What it costs is said at [`dead_after`](Self::dead_after). The same for all
    /// theaters.
    pub longest_cut: Duration,
    /// How long a connection may be silent before Zenoh gives it up, and makes another one. `None`:
    /// it follows [`longest_cut`](Self::longest_cut)
    /// ([`lease_or_followed`](Self::lease_or_followed)). What is set stays, and is refused when a
    /// theater joins if it is less than [`dead_after`](Self::dead_after); also if it is set in
    /// `more`. The same for all theaters.
    pub lease: Option<Duration>,
    /// Certificates. With them all endpoints have to begin with `tls/`, or with `quic/` where the
    /// program has its Zenoh built with that (the feature `transport_quic`; this crate asks for TCP
    /// and TLS only). Any other one is refused when a theater joins, also in `more`, since whoever
    /// comes by it shows none; so is one that says itself whether they are shown
    /// (`#enable_mtls=..`), and whatever `more` says against it: no `enable_mtls`, or other
    /// `protocols`. Of endpoints of which others tell, only these are used. The files have to be
    /// there then, each with what it is for in PEM ([`Tls::check`]).
    pub tls: Option<Tls>,
    /// What theaters of the cluster know each other by, whatever the endpoints are. For
    /// [`join`](crate::join); who gives links settings of its own by `Network::join` says it there,
    /// as `LinkConfig::secret`.
    pub secret: Option<Secret>,
    /// More of Zenoh's configuration: its keys, and values in JSON5. They go before what is said
    /// above, and before what is set for packets: messages of Zenoh's above 1 MiB are not taken
    /// (`transport/link/rx/max_message_size`).
    pub more: Vec<(String, String)>,
}

impl Default for ZenohSettings {
    fn default() -> Self {
        Self {
            listen: Vec::new(),
            connect: Vec::new(),
            discover: false,
            longest_cut: Duration::from_secs(2),
            lease: None,
            tls: None,
            secret: None,
            more: Vec::new(),
        }
    }
}

impl ZenohSettings {
    /// After how long a silence links are to take the other side for dead, so that a cut as long as
    /// [`longest_cut`](Self::longest_cut) is borne: twice as long as that, and a second. A theater
    /// that is killed is noticed so much later.
    ///
    /// TCP sends again what gets lost after 0.2, 0.6, 1.4, 3 s, or after twice as long each time
    /// from another beginning, and asks for a connection again after 1, 3, 7 s: so what is sent
    /// during a cut may get through as late as when that has lasted twice as long. In the second
    /// there is the last time before the cut that anything was sent.
    pub fn dead_after(&self) -> Duration {
        self.longest_cut.saturating_mul(2).saturating_add(SENDING_AGAIN)
    }

    /// Settings for links by Zenoh, for [`Network::join`](odeon_theater::Network::join): to be
    /// changed field by field, with a [`dead_after`](LinkConfig::dead_after) that bears cuts as
    /// long as is said here.
    ///
    /// ```
    /// use odeon_theater::LinkConfig;
    /// use odeon_zenoh::ZenohSettings;
    /// use std::time::Duration;
    ///
    /// let settings = ZenohSettings { longest_cut: Duration::from_secs(4), ..Default::default() };
    /// let config = LinkConfig { window: 16 << 20, ..settings.link_config("shop") };
    /// assert_eq!(config.dead_after, Duration::from_secs(9));
    /// ```
    pub fn link_config(&self, cluster: &str) -> LinkConfig {
        let (secret, dead_after) = (self.secret.clone(), self.dead_after());
        LinkConfig { secret, dead_after, ..LinkConfig::new(cluster, LARGEST_PACKET) }
    }

    /// The [`lease`](Self::lease) that is set; otherwise twice [`dead_after`](Self::dead_after),
    /// and 10 s at least.
    ///
    /// WHY so long: what Zenoh sees of a cut is what links see, no packet from the last one before
    /// it until TCP sends again, which is at most `dead_after`. So a lease of `dead_after` would
    /// just do, and both would give up at one moment; which of them comes first would be decided by
    /// who gets time first. If Zenoh does, theaters that have been told of each other by a third
    /// one make no other connection, and a cut that could have been borne is an end. So it is twice
    /// that: Zenoh has as much time again as all that it waits for needs. What it costs is little:
    /// whoever is dead has been taken for dead by links before, and only its connection is kept for
    /// so long.
    ///
    /// ```
    /// use odeon_zenoh::ZenohSettings;
    /// use std::time::Duration;
    ///
    /// let settings = ZenohSettings { longest_cut: Duration::from_secs(5), ..Default::default() };
    /// assert_eq!(settings.lease_or_followed(), Duration::from_secs(22));
    /// ```
    pub fn lease_or_followed(&self) -> Duration {
        self.lease.unwrap_or_else(|| self.dead_after().saturating_mul(2).max(LEAST_LEASE))
    }

    /// Whether a connection that is cut for a while is there longer than links wait for it:
    /// theaters that have been told of each other by a third one do not make another one. What is
    /// looked at is what Zenoh has been told in the end.
    fn lasts(&self, config: &Config) -> Result<(), ZenohError> {
        let said = config.get_json(LEASE).map_err(|error| ZenohError::settings(LEASE, &*error))?;
        // Zenoh has taken it as a number.
        let lease = Duration::from_millis(said.trim().parse().unwrap_or(u64::MAX));
        let least = self.dead_after().min(Duration::from_millis(u64::MAX));
        if lease >= least {
            return Ok(());
        }
        let because = format!(
            "it is at least {least:?}, twice longest_cut and a second: Zenoh would give up connections that links still wait for"
        );
        Err(ZenohError::refused(format!("the setting lease, {lease:?}"), &because))
    }

    pub(crate) fn to_config(&self) -> Result<Config, ZenohError> {
        let mut config = Config::default();
        let mut set = |key: &str, value: &str| {
            config.insert_json5(key, value).map_err(|error| ZenohError::settings(key, &*error))
        };
        set("mode", "\"peer\"")?;
        set("scouting/multicast/enabled", &self.discover.to_string())?;
        set("listen/endpoints", &list(&self.listen))?;
        set("connect/endpoints", &list(&self.connect))?;
        // No longer than Zenoh can write.
        let lease = u64::try_from(self.lease_or_followed().as_millis()).unwrap_or(u64::MAX);
        set(LEASE, &lease.to_string())?;
        set(LARGEST_INCOMING, &LARGEST.to_string())?;
        // TUNE: ms, guessed 2026-11: several attempts before a link counts as dead. Zenoh's own are
        // 1, 2 and 4 s.
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
        said::can_be_done(&config)?;
        self.lasts(&config)?;
        if self.tls.is_some() {
            certified::certified_only(&mut config)?;
        }
        Ok(config)
    }
}

fn list(endpoints: &[String]) -> String {
    Value::from(endpoints).to_string()
}

/// That it can be told so is [checked](Tls::check).
fn quoted(path: &std::path::Path) -> String {
    Value::from(path.to_string_lossy()).to_string()
}
