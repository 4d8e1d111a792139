//! How a program takes part in a cluster.

use clap::Args;
use odeon_core::Theater;
use odeon_theater::{Network, Secret};
use odeon_zenoh::{Tls, ZenohSettings};
use std::fs::File;
use std::path::PathBuf;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::complaints::Complaints;
use super::error::TheaterError;

/// TUNE: s, guessed 2026-11: who leaves has told all that it has to tell in milliseconds.
const UNTIL_LEFT: Duration = Duration::from_secs(3);

#[derive(Args, Clone)]
pub(super) struct Reach {
    /// Where to listen, as tcp/127.0.0.1:7447; port 0 is any free one.
    #[arg(long, value_name = "ENDPOINT", value_delimiter = ',', value_parser = endpoint)]
    listen: Vec<String>,
    /// Theaters or Zenoh routers to connect to.
    #[arg(long, value_name = "ENDPOINT", value_delimiter = ',', value_parser = endpoint)]
    connect: Vec<String>,
    /// Find theaters of the local network by multicast.
    #[arg(long)]
    discover: bool,
    /// The cluster to take part in.
    #[arg(long, value_name = "NAME", default_value = "odeon", value_parser = cluster)]
    cluster: String,
    /// For how long connections may be cut, in seconds, without anybody being taken for dead: the
    /// same for all theaters of the cluster.
    #[arg(long, value_name = "SECONDS", default_value = "2", value_parser = clap::value_parser!(u64).range(0..=3_600))]
    longest_cut: u64,
    /// File with the secret of the cluster, of 16 bytes at least: who does not know it is not let
    /// in.
    #[arg(long, value_name = "FILE")]
    secret_file: Option<PathBuf>,
    /// Certificate of the authority that has signed all others, for endpoints tls/..
    #[arg(long, value_name = "FILE", requires = "tls_certificate", requires = "tls_key")]
    tls_authority: Option<PathBuf>,
    /// Certificate to show.
    #[arg(long, value_name = "FILE", requires = "tls_authority")]
    tls_certificate: Option<PathBuf>,
    /// Its private key.
    #[arg(long, value_name = "FILE", requires = "tls_authority")]
    tls_key: Option<PathBuf>,
}

fn endpoint(text: &str) -> Result<String, String> {
    let parts = text.split_once('/').and_then(|(_, place)| place.rsplit_once(':'));
    match parts {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => Ok(text.into()),
        _ => Err("an endpoint is written as tcp/127.0.0.1:7447".into()),
    }
}

fn cluster(text: &str) -> Result<String, String> {
    match text.len() {
        1..=64 => Ok(text.into()),
        _ => Err("the name of a cluster has 1 to 64 bytes".into()),
    }
}

impl Reach {
    /// An error if there is no way in which others could be met, or one that certificates do not
    /// guard.
    pub(super) fn check(&self, others: &str) -> Result<(), TheaterError> {
        if self.connect.is_empty() && self.listen.is_empty() && !self.discover {
            return Err(TheaterError::argument(
                "--connect",
                format!(
                    "{others} cannot be found: \
                --connect, --listen or --discover says how"
                ),
            ));
        }
        let endpoints = [("--listen", &self.listen), ("--connect", &self.connect)];
        for (argument, endpoints) in endpoints.into_iter().filter(|_| self.tls_authority.is_some())
        {
            let is_plain = |it: &&String| !it.starts_with("tls/") && !it.starts_with("quic/");
            if let Some(plain) = endpoints.iter().find(is_plain) {
                let problem = format!("who comes by {plain} shows no certificate: tls/..");
                return Err(TheaterError::argument(argument, problem));
            }
        }
        Ok(())
    }

    /// For who stays only briefly: it is to be reached by theaters that do not listen.
    pub(super) fn listening_somewhere(&self) -> Self {
        let mut reach = self.clone();
        if reach.listen.is_empty() {
            let is_near = |endpoint: &String| {
                endpoint.contains("/127.0.0.1:") || endpoint.contains("/localhost:")
            };
            let near = !reach.connect.is_empty() && reach.connect.iter().all(is_near);
            let place = if near { "tcp/127.0.0.1:0" } else { "tcp/0.0.0.0:0" };
            // Not beside a protocol that asks for certificates.
            if reach.tls_authority.is_none() {
                reach.listen.push(place.into());
            }
        }
        reach
    }

    pub(super) fn connects_to(&self) -> String {
        if self.connect.is_empty() { "there".into() } else { self.connect.join(", ") }
    }

    /// How long a theater may take that is asked to do something, and lives.
    ///
    /// WHY: what it does itself takes milliseconds. But a move waits for as long as links do for a
    /// theater that is not there, and once more if it is cut off while the actor is under way; what
    /// is asked, and the answer, wait no longer for the one who asks. So it is twice as long as
    /// links wait.
    pub(super) fn until_answered(&self) -> Duration {
        self.connections().dead_after().saturating_mul(2)
    }

    /// How connections are, without what they are made by.
    fn connections(&self) -> ZenohSettings {
        ZenohSettings {
            longest_cut: Duration::from_secs(self.longest_cut),
            ..ZenohSettings::default()
        }
    }

    pub(super) fn join(&self, theater: Theater) -> Result<GuestTheater, TheaterError> {
        let tls = match (&self.tls_authority, &self.tls_certificate, &self.tls_key) {
            (Some(authority), Some(certificate), Some(key)) => Some(Tls {
                authority: authority.clone(),
                certificate: certificate.clone(),
                key: key.clone(),
            }),
            _ => None,
        };
        let secret = self.secret_file.as_ref().map(|path| {
            Secret::from_file(path).map_err(|error| {
                TheaterError::argument("--secret-file", format!("{}: {error}", path.display()))
            })
        });
        let settings = ZenohSettings {
            listen: self.listen.clone(),
            connect: self.connect.clone(),
            discover: self.discover,
            tls,
            secret: secret.transpose()?,
            ..self.connections()
        };
        let files = [
            ("--tls-authority", &self.tls_authority),
            ("--tls-certificate", &self.tls_certificate),
            ("--tls-key", &self.tls_key),
        ];
        for (argument, path) in files {
            if let Some((path, Err(error))) = path.as_ref().map(|path| (path, File::open(path))) {
                let problem = format!("{}: {error}", path.display());
                return Err(TheaterError::argument(argument, problem));
            }
        }
        let complaints = Some(Complaints::hear());
        let network = odeon_zenoh::join(&theater, &self.cluster, &settings);
        let network = network.map_err(TheaterError::failed)?;
        Ok(GuestTheater { network, theater, complaints })
    }
}

/// TUNE: ms, guessed 2026-11: a connection is closed in some of them.
const UNTIL_CLOSED: Duration = Duration::from_millis(500);

/// This program's theater, among the others.
pub(super) struct GuestTheater {
    // In this order: who goes says so first.
    pub(super) network: Network,
    pub(super) theater: Theater,
    /// Connections that have come to nothing, until somebody says them.
    pub(super) complaints: Option<Complaints>,
}

impl GuestTheater {
    /// One that only asks something.
    pub(super) fn visiting(reach: &Reach) -> Result<Self, TheaterError> {
        reach.check("the theaters")?;
        let theater = Theater::builder().name("odeon theater").workers(1).build();
        reach.listening_somewhere().join(theater.map_err(TheaterError::failed)?)
    }

    /// Leaves, and answers whether all have heard of it.
    ///
    /// WHY a thread closes the connections: Zenoh waits up to 10 s for one that is being opened, to
    /// a program that stands still; nothing is lost if this program ends meanwhile, as all have
    /// been told by then.
    pub(super) fn leave(self) -> bool {
        let have_heard = self.network.leave(UNTIL_LEFT);
        let (tell, told) = channel();
        let network = self.network;
        std::thread::spawn(move || {
            drop(network);
            // An error means that nobody waits any more.
            let _ = tell.send(());
        });
        // An error means that the time is up.
        let _ = told.recv_timeout(UNTIL_CLOSED);
        drop(self.theater.shutdown(UNTIL_LEFT));
        have_heard
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        reach: Reach,
    }

    #[test]
    fn who_asks_waits_longer_than_a_move_may_take() {
        let waits = |options: &[&str]| {
            let line = ["odeon"].iter().chain(options);
            let Line { reach } = Line::try_parse_from(line).expect("it is right");
            let links = reach.connections().link_config("shop").dead_after;
            assert!(reach.until_answered() >= 2 * links);
            reach.until_answered()
        };
        assert_eq!(waits(&[]), Duration::from_secs(10));
        assert_eq!(waits(&["--longest-cut", "5"]), Duration::from_secs(22));
    }
}
