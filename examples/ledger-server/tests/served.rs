//! A server in this process, asked by sockets.

use odeon::durable::{DurableRef, SpawnDurable, Store};
use odeon::prelude::*;
use odeon_example_ledger::{Memo, ToLedger, Transfer, TransferLedger};
use odeon_example_ledger_server::packets::LedgerRequest;
use odeon_example_ledger_server::{router, serve};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

fn folder(of: &str) -> PathBuf {
    std::env::temp_dir().join(format!("odeon-ledger-{of}-{}", std::process::id()))
}

fn open(folder: &Path) -> (Theater, DurableRef<ToLedger>) {
    let (theater, store) = (Theater::new().unwrap(), Store::open(folder).unwrap());
    let ledger =
        theater.spawn_durable(&store, "ledger", TransferLedger::new(4, 100), Processing::default());
    (theater, ledger.unwrap())
}

async fn end(theater: Theater) {
    let ended = tokio::task::spawn_blocking(|| drop(theater.shutdown(Duration::from_secs(60))));
    ended.await.unwrap();
}

fn transfer(number: u64, from: u32, to: u32, amount: u64) -> LedgerRequest {
    let memo = Memo { client: 7, number, text: [b'x'; 32] };
    LedgerRequest::Transfer(Transfer { from, to, amount, memo })
}

/// Sends all requests before it reads anything, and nothing more.
async fn pipelined(ledger: &DurableRef<ToLedger>, requests: &[LedgerRequest]) -> Vec<u8> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = tokio::spawn(serve(listener, ledger.actor_ref()));
    let mut connection = TcpStream::connect(address).await.unwrap();
    let mut bytes = Vec::new();
    requests.iter().for_each(|request| request.write(&mut bytes));
    connection.write_all(&bytes).await.unwrap();
    connection.shutdown().await.unwrap();
    let mut answers = Vec::new();
    connection.read_to_end(&mut answers).await.unwrap();
    serving.abort();
    answers
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pipelined_requests_are_answered_in_their_order_and_are_there_afterwards() {
    let folder = folder("pipelined");
    let (theater, ledger) = open(&folder);
    let mut requests: Vec<LedgerRequest> =
        (1..=90).map(|number| transfer(number, 0, 1, 1)).collect();
    requests.extend([transfer(91, 0, 1, 11), transfer(92, 0, 4, 1), LedgerRequest::Look(0)]);
    requests.push(LedgerRequest::Audit);
    let answers = pipelined(&ledger, &requests).await;
    assert_eq!(answers.len(), 90 + 2 + 57 + 16);
    assert!(answers[..90].iter().all(|answer| *answer == 0), "{answers:?}");
    assert_eq!(answers[90..92], [1, 2]);
    let state = &answers[92..149];
    assert_eq!((state[0], state[1], state[9], state[17]), (1, 10, 7, 90), "{state:?}");
    assert_eq!(state[25..], [b'x'; 32]);
    let books = [400_u64.to_le_bytes(), 90_u64.to_le_bytes()].concat();
    assert_eq!(answers[149..], books);
    drop(ledger);
    end(theater).await;

    let (theater, ledger) = open(&folder);
    assert_eq!(ledger.recovered_commits(), 91, "one begins the log");
    let answers = pipelined(&ledger, &[LedgerRequest::Look(0), LedgerRequest::Look(4)]).await;
    assert_eq!(answers[..57], *state);
    assert_eq!(answers[57], 0);
    drop(ledger);
    end(theater).await;
    std::fs::remove_dir_all(&folder).unwrap();
}

async fn ask(address: std::net::SocketAddr, what: &str, body: &str) -> (u16, String) {
    let mut connection = TcpStream::connect(address).await.unwrap();
    let length = body.len();
    let request = format!(
        "{what} HTTP/1.1\r\nHost: here\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    );
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_ask_by_http() {
    let folder = folder("http");
    let (theater, ledger) = open(&folder);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = listener.local_addr().unwrap();
    let serving = axum::serve(listener, router(ledger.actor_ref()));
    let serving = tokio::spawn(async move { serving.await });
    let wanted = r#"{"from": 1, "to": 2, "amount": 30, "client": 5, "text": "rent"}"#;
    assert_eq!(ask(at, "POST /transfers", wanted).await, (200, "done".to_owned()));
    let too_much = r#"{"from": 1, "to": 2, "amount": 71}"#;
    assert_eq!(ask(at, "POST /transfers", too_much).await.0, 409);
    let nobody = r#"{"from": 1, "to": 9, "amount": 1}"#;
    assert_eq!(ask(at, "POST /transfers", nobody).await.0, 404);
    let long = format!(r#"{{"from": 1, "to": 2, "amount": 1, "text": "{}"}}"#, "x".repeat(33));
    let told = "the text has more than 32 bytes".to_owned();
    assert_eq!(ask(at, "POST /transfers", &long).await, (400, told));
    let misspelt = r#"{"from": 1, "to": 2, "amount": 1, "txt": "rent"}"#;
    assert_eq!(ask(at, "POST /transfers", misspelt).await.0, 422);
    let (code, account) = ask(at, "GET /accounts/1", "").await;
    let account: serde_json::Value = serde_json::from_str(&account).unwrap();
    let expected = serde_json::json!({"balance": 70, "client": 5, "number": 0, "text": "rent"});
    assert_eq!((code, account), (200, expected));
    assert_eq!(ask(at, "GET /accounts/4", "").await.0, 404);
    let (_, books) = ask(at, "GET /audit", "").await;
    let books: serde_json::Value = serde_json::from_str(&books).unwrap();
    assert_eq!(books, serde_json::json!({"sum": 400, "transfers": 1}));
    serving.abort();
    drop(ledger);
    end(theater).await;
    std::fs::remove_dir_all(&folder).unwrap();
}
