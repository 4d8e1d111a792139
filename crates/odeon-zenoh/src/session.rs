//! Opening a session of Zenoh, and why that has not worked, in words for whoever has made the settings.

use std::io;
use std::net::{TcpListener, ToSocketAddrs, UdpSocket};

use zenoh::{Session, Wait};

use crate::{ZenohError, ZenohSettings};

/// A session as the settings say.
pub(crate) fn open_session(settings: &ZenohSettings) -> Result<Session, ZenohError> {
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
        open_session(&settings).expect_err("nobody can listen there").to_string()
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
