//! Opening a session of Zenoh, and why that has not worked, in words for whoever has made the
//! settings; and closing it.

use std::io;
use std::net::{TcpListener, ToSocketAddrs, UdpSocket};
use std::ops::Deref;
use std::thread;

use odeon_sync::contained::forget;
use zenoh::{Session, Wait};

use crate::called::is_called_by_zenoh;
use crate::{ZenohError, ZenohSettings};

/// A session that is closed when this is dropped.
pub(crate) struct OpenSession(
    /// `None`: it is being dropped.
    Option<Session>,
);

impl OpenSession {
    pub(crate) fn close(&self) {
        self.0.clone().into_iter().for_each(close);
    }
}

impl Deref for OpenSession {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.0.as_ref().expect("it is there until the drop")
    }
}

impl Drop for OpenSession {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(close);
    }
}

/// A thread on which Zenoh can be waited for. WHY: a thread that has tokio's runtime of one thread
/// Zenoh takes for an error, and panics.
fn thread_of_its_own() -> thread::Builder {
    thread::Builder::new().name("odeon-zenoh".into())
}

/// Closes a session, on another thread. Waits for that, unless it is Zenoh that calls: it waits for
/// all whom it has called to return, for 10 s.
fn close(session: Session) {
    let closes = move || {
        // A session that is closed twice is closed.
        let _ = session.close().wait();
    };
    // Without a thread the session is dropped here, which closes it too.
    if let Ok(thread) = thread_of_its_own().spawn(closes) {
        if !is_called_by_zenoh() {
            let _ = thread.join().map_err(forget);
        }
    }
}

/// A session as the settings say.
pub(crate) fn open_session(settings: &ZenohSettings) -> Result<OpenSession, ZenohError> {
    thread::scope(|scope| {
        let because = |why: &str| ZenohError::refused("opening a session".into(), why);
        let thread = thread_of_its_own().spawn_scoped(scope, || open(settings));
        let thread = thread.map_err(|error| because(&error.to_string()))?;
        let opened = thread.join().map_err(|panic| {
            forget(panic);
            because("Zenoh has panicked at these settings")
        })?;
        opened.map(|session| OpenSession(Some(session)))
    })
}

fn open(settings: &ZenohSettings) -> Result<Session, ZenohError> {
    if let Some(tls) = &settings.tls {
        tls.check()?;
    }
    zenoh::open(settings.to_config()?).wait().map_err(|error| {
        let mut endpoints = settings.listen.iter();
        let taken = endpoints.find_map(|endpoint| Some((endpoint, cannot_listen(endpoint)?)));
        match taken {
            Some((endpoint, because)) => {
                ZenohError::refused(format!("listening at {endpoint}"), &because)
            }
            None => ZenohError::of("opening a session", error),
        }
    })
}

/// Why nobody can listen there, found out by doing it.
fn cannot_listen(endpoint: &str) -> Option<String> {
    let (protocol, place) = endpoint.split_once('/')?;
    let place = place.split(['#', '?']).next()?;
    let addresses = match place.to_socket_addrs() {
        Ok(addresses) => addresses.collect::<Vec<_>>(),
        Err(error) => return Some(format!("no address is found for {place}: {error}")),
    };
    let listen = |address| match protocol {
        "quic" | "udp" => UdpSocket::bind(address).map(drop),
        _ => TcpListener::bind(address).map(drop),
    };
    let error = addresses.iter().find_map(|address| listen(address).err())?;
    let port = place.rsplit(':').next()?;
    Some(match error.kind() {
        io::ErrorKind::AddrInUse => {
            format!(
                "port {port} is in use: end the program that listens there, or take another port; 0 is any free one"
            )
        }
        io::ErrorKind::AddrNotAvailable => {
            format!(
                "this machine has no address {}: take one of its own, or 0.0.0.0 for all",
                host(place)
            )
        }
        io::ErrorKind::PermissionDenied => {
            format!("this program may not listen at port {port}: take one above 1023")
        }
        _ => error.to_string(),
    })
}

fn host(place: &str) -> &str {
    place.rsplit_once(':').map_or(place, |(host, _)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(listen: String) -> String {
        let settings = ZenohSettings { listen: vec![listen], ..ZenohSettings::default() };
        open_session(&settings).err().expect("nobody can listen there").to_string()
    }

    #[test]
    fn a_port_that_is_taken_is_named_and_what_can_be_done() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = taken.local_addr().unwrap().port();
        assert_eq!(
            said(format!("tcp/127.0.0.1:{port}")),
            format!(
                "listening at tcp/127.0.0.1:{port}: port {port} is in use: end the program that \
                 listens there, or take another port; 0 is any free one"
            )
        );
    }

    #[test]
    fn an_address_of_another_machine_is_named() {
        let said = said("tcp/192.0.2.1:7447".into());
        assert!(said.starts_with("listening at tcp/192.0.2.1:7447: this machine has no"), "{said}");
    }
}
