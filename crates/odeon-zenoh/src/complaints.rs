//! Connections that come to nothing: who connects and is no theater, or shows no certificate of the
//! authority, and who does not let this program in.
//!
//! No theater is known by then, so no
//! [`MembershipEvent::Refused`](odeon_theater::MembershipEvent::Refused) tells of them. Zenoh tells
//! its log, by the crate `tracing`: that is heard here (`complaints/ear.rs`), put into words, and
//! kept within bounds (`complaints/sparing.rs`), since anybody can connect as often as they like.

mod ear;
mod sparing;

use std::fmt;
use std::sync::mpsc::sync_channel;
use std::thread;

use odeon_sync::contained::quietly;
use tracing::Level;

use crate::error::plain;
use ear::Ear;

/// A connection that has come to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Complaint {
    /// Somebody has connected to this program and was not let in: for a certificate, or since no
    /// theater speaks so.
    NotLetIn(String),
    /// This program has connected to an endpoint, and comes to nobody by it.
    NotLetInBy {
        /// The endpoint.
        endpoint: String,
        /// Why.
        because: String,
    },
    /// Nobody listens at an endpoint; perhaps not yet.
    NobodyAt {
        /// The endpoint.
        endpoint: String,
        /// What the system says.
        because: String,
    },
    /// So many more were left out, as they came too fast.
    LeftOut(u64),
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotLetIn(why) => write!(f, "somebody who has connected: {why}"),
            Self::NotLetInBy { endpoint, because } | Self::NobodyAt { endpoint, because } => {
                write!(f, "{endpoint}: {because}")
            }
            Self::LeftOut(count) => write!(f, "{count} more connections came to nothing"),
        }
    }
}

/// Has `hear` called with each [`Complaint`], from now on, by all sessions of Zenoh in this
/// process: for the `main` of a program that has no other use for the events of `tracing`. The same
/// is told once in a minute, and ten different ones; how many were left out is told before the
/// next. `hear` is called on a thread of its own, so it may do anything: use networks and leave
/// them, panic, which is the end of that call only, or wait, which leaves out what comes meanwhile
/// and is too much.
///
/// `false`: the program has a subscriber of `tracing` already, which hears all of this and more; or
/// the system has no thread left.
///
/// ```
/// use odeon_zenoh::hear_complaints;
///
/// let is_heard = hear_complaints(|complaint| eprintln!("{complaint}"));
/// assert!(is_heard && !hear_complaints(|_| {}), "one can be heard by");
/// ```
pub fn hear_complaints(hear: impl Fn(Complaint) + Send + Sync + 'static) -> bool {
    // TUNE: as many as are told in two minutes.
    let (tell, told) = sync_channel::<Complaint>(2 * (sparing::MOST + 1));
    // Ends at once if nobody is to tell anything.
    let hears = move || {
        for complaint in told {
            quietly(|| hear(complaint));
        }
    };
    let thread = thread::Builder::new().name("odeon-zenoh-complaints".into()).spawn(hears);
    thread.is_ok() && tracing::subscriber::set_global_default(Ear::new(tell)).is_ok()
}

/// TUNE: found in Zenoh 1.10.2: where it tells of connections, and what else it tells there is
/// passed over.
const ACCEPTING: &str = "zenoh_transport::unicast::establishment::accept";
const ACCEPTING_IN_TIME: &str = "zenoh_transport::unicast::manager";
const CONNECTING: &str = "zenoh::net::runtime::orchestrator";
const TLS: &str = "zenoh_link_tls::unicast";

/// Whether something may be told of connections there.
fn is_heard(target: &str, level: Level) -> bool {
    level <= Level::DEBUG && [ACCEPTING, ACCEPTING_IN_TIME, CONNECTING, TLS].contains(&target)
}

/// What that means, if it is a complaint.
fn complaint(target: &str, level: Level, said: &str) -> Option<Complaint> {
    match target {
        ACCEPTING if !is_of_two_that_met(said) && !said.starts_with("New transport link") => {
            Some(Complaint::NotLetIn(format!("it does not speak as theaters do ({})", plain(said))))
        }
        ACCEPTING_IN_TIME if said.starts_with("Failed to accept link before deadline") => {
            let why = "it did not speak as theaters do for as long as is waited";
            Some(Complaint::NotLetIn(why.into()))
        }
        TLS if level <= Level::WARN => {
            // WHY without the hint: Zenoh gives it for all that can go wrong.
            let (why, hint) = said.split_once(". Hint: ").unwrap_or((said, ""));
            let why = plain(why);
            let is_about_files = why.contains("os error 24");
            let why = if is_about_files { format!("{why}: {hint}") } else { of_certificates(why) };
            Some(Complaint::NotLetIn(why))
        }
        CONNECTING => not_let_in_by(said),
        _ => None,
    }
}

fn not_let_in_by(said: &str) -> Option<Complaint> {
    let said = said.strip_prefix("Unable to connect to ")?;
    let said = said.strip_prefix("configured peer ").unwrap_or(said);
    let (endpoint, because) = said.split_once("! ")?;
    if is_of_two_that_met(because) {
        return None;
    }
    let because = because.split(" Retry in ").next().unwrap_or(because);
    let (endpoint, because) = (endpoint.to_owned(), plain(because));
    let nobody = ["os error 111", "os error 113", "os error 101", "os error 110", "os error 61"];
    Some(match nobody.iter().any(|number| because.contains(number)) {
        true => Complaint::NobodyAt { endpoint, because },
        false => Complaint::NotLetInBy { endpoint, because: of_certificates(because) },
    })
}

/// What TLS says, with what that means for who has set up certificates.
fn of_certificates(why: String) -> String {
    let means = [
        ("peer certificate", "its certificate is refused"),
        ("peer sent no certificates", "it shows no certificate"),
        (
            "fatal alert",
            "it refuses the certificate of this program, or the way in which that speaks",
        ),
        ("corrupt message", "it does not speak TLS"),
    ];
    match means.iter().find(|(said, _)| why.contains(said)) {
        Some((_, meaning)) => format!("{meaning} ({why})"),
        None => why,
    }
}

/// Two theaters that connect to each other at the same time need one of the connections only; who
/// is closed meanwhile has not been refused.
fn is_of_two_that_met(said: &str) -> bool {
    ["MAX_LINKS", "CONNECTION_TO_SELF"].iter().any(|reason| said.contains(reason))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_zenoh_tells_is_put_into_words() {
        let refused = |why: &str| Some(Complaint::NotLetIn(why.into()));
        let at = "tcp/127.0.0.1:7447";
        for (target, level, said, expected) in [
            (
                TLS,
                Level::WARN,
                "invalid peer certificate: UnknownIssuer. Hint: increase the system open file limit.",
                refused("its certificate is refused (invalid peer certificate: UnknownIssuer)"),
            ),
            (
                TLS,
                Level::WARN,
                "Too many open files (os error 24). Hint: increase the limit.",
                refused("Too many open files (os error 24): increase the limit."),
            ),
            (TLS, Level::DEBUG, "Accepted TLS connection on 1: 2. None.", None),
            (ACCEPTING, Level::DEBUG, "New transport link accepted from a to b", None),
            (ACCEPTING, Level::DEBUG, "Received a close message (reason MAX_LINKS)", None),
            (
                ACCEPTING,
                Level::DEBUG,
                "no message at /a/accept.rs:7.",
                refused("it does not speak as theaters do (no message)"),
            ),
            (
                CONNECTING,
                Level::DEBUG,
                "Unable to connect to configured peer tcp/127.0.0.1:7447! refused (os error 111) at tcp.rs:1. Retry in 1s.",
                Some(Complaint::NobodyAt {
                    endpoint: at.into(),
                    because: "refused (os error 111)".into(),
                }),
            ),
            (
                CONNECTING,
                Level::WARN,
                "Unable to connect to tcp/127.0.0.1:7447! no InitAck at open.rs:1.",
                Some(Complaint::NotLetInBy { endpoint: at.into(), because: "no InitAck".into() }),
            ),
            (CONNECTING, Level::DEBUG, "Listener added: tcp/127.0.0.1:7447", None),
        ] {
            assert!(is_heard(target, level));
            assert_eq!(complaint(target, level, said), expected, "{said}");
        }
        assert!(!is_heard("zenoh::net::routing", Level::WARN) && !is_heard(TLS, Level::TRACE));
    }
}
