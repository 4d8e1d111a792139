//! A client that asks over connections that it keeps open, one request at a time on each.

use crate::account::failed;
use odeon_example_run::RunError;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// As many requests over each connection; how long all of them took.
pub(crate) async fn ask_all(
    server: SocketAddr,
    connections: usize,
    accounts: usize,
    requests: u64,
) -> Result<Duration, RunError> {
    let mut open = Vec::with_capacity(connections);
    for _ in 0..connections {
        let connection = TcpStream::connect(server).await.map_err(failed)?;
        connection.set_nodelay(true).map_err(failed)?;
        open.push(connection);
    }
    let begun = Instant::now();
    let mut asking = JoinSet::new();
    for (number, connection) in open.into_iter().enumerate() {
        asking.spawn(ask(connection, number % accounts, requests));
    }
    while let Some(asked) = asking.join_next().await {
        asked.map_err(failed)??;
    }
    Ok(begun.elapsed())
}

async fn ask(mut connection: TcpStream, account: usize, requests: u64) -> Result<(), RunError> {
    let request = format!("GET /deposit/{account} HTTP/1.1\r\nhost: self\r\n\r\n");
    let mut response = [0; 1024];
    for _ in 0..requests {
        connection.write_all(request.as_bytes()).await.map_err(failed)?;
        let mut length = 0;
        while !is_whole(&response[..length])? {
            let read = connection.read(&mut response[length..]).await.map_err(failed)?;
            if read == 0 {
                return Err(failed("the server has closed a connection"));
            }
            length += read;
        }
    }
    Ok(())
}

/// Whether all of a response is there; it has a length, as all that axum answers with a text.
fn is_whole(response: &[u8]) -> Result<bool, RunError> {
    let Ok(text) = std::str::from_utf8(response) else { return Err(failed("no text")) };
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return Ok(false) };
    if !head.starts_with("HTTP/1.1 200") {
        return Err(failed(format!("the server says {head:?}")));
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|length| length.parse().ok());
    length.map(|length: usize| body.len() >= length).ok_or_else(|| failed("no length"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_whole_with_its_last_byte() {
        let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n17";
        for length in 0..response.len() {
            assert!(!is_whole(&response[..length]).unwrap(), "{length}");
        }
        assert!(is_whole(response).unwrap());
        assert!(is_whole(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").is_err());
        assert!(is_whole(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
