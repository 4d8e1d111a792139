//! An actor that counts words, served over HTTP: axum's handlers ask it through a tower service,
//! which is ready while the actor is not under pressure. When it is, requests are refused at once
//! with 503 instead of making the queue longer.
//!
//! The program asks itself over the loopback interface, checks the answers, and ends.

mod actor_service;

use std::collections::HashMap;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use actor_service::ActorService;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use odeon::prelude::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tower::load_shed::LoadShed;
use tower::{BoxError, ServiceExt};

/// How often each word was asked for.
#[derive(Default)]
struct Words {
    counts: HashMap<String, u64>,
}

#[derive(Message)]
enum ToWords {
    /// Counts a word, and answers with its count.
    Count(String, Reply<u64>),
    /// Does nothing until the other end is dropped: for showing what happens to the others
    /// meanwhile.
    Sleep(Receiver<()>),
    Nothing,
}

impl Actor for Words {
    type Msg = ToWords;
    fn handle(&mut self, msg: ToWords, _ctx: &mut Context<'_, Self>) {
        match msg {
            ToWords::Count(word, reply) => {
                let count = self.counts.entry(word).or_default();
                *count += 1;
                reply.send(*count);
            }
            ToWords::Sleep(until) => drop(until.recv()),
            ToWords::Nothing => {}
        }
    }
}

/// The actor as axum's handlers know it.
type WordService = LoadShed<ActorService<ToWords, String, u64>>;

async fn count(
    State(words): State<WordService>,
    Path(word): Path<String>,
) -> Result<String, (StatusCode, String)> {
    let count = words.oneshot(word).await.map_err(refusal)?;
    Ok(count.to_string())
}

fn refusal(error: BoxError) -> (StatusCode, String) {
    let status = match error.downcast_ref::<AskError>() {
        Some(AskError::Timeout) => StatusCode::GATEWAY_TIMEOUT,
        // The actor has ended, or the load was shed.
        _ => StatusCode::SERVICE_UNAVAILABLE,
    };
    (status, error.to_string())
}

/// Asks the server for a word; the status and the body of the answer.
async fn ask(server: SocketAddr, word: &str) -> Result<(u16, String), Box<dyn Error>> {
    let mut connection = TcpStream::connect(server).await?;
    let request = format!("GET /words/{word} HTTP/1.1\r\nhost: self\r\nconnection: close\r\n\r\n");
    connection.write_all(request.as_bytes()).await?;
    let mut response = String::new();
    connection.read_to_string(&mut response).await?;
    let status = response.split(' ').nth(1).ok_or("no status")?.parse()?;
    let (_, body) = response.split_once("\r\n\r\n").ok_or("no body")?;
    println!("/words/{word}: {status} {body}");
    Ok((status, body.to_owned()))
}

fn check(what: &str, holds: bool) -> Result<(), String> {
    if holds { Ok(()) } else { Err(format!("not as expected: {what}")) }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let theater = Theater::new()?;
    let words = theater.spawn(Words::default());
    let limit = Duration::from_secs(5);
    let service = LoadShed::new(ActorService::new(words.clone(), limit, ToWords::Count));
    let app = Router::new().route("/words/{word}", get(count)).with_state::<()>(service);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    tokio::spawn(async move { axum::serve(listener, app).await });

    check("a first word", ask(server, "stage").await? == (200, "1".into()))?;
    check("the same word", ask(server, "stage").await? == (200, "2".into()))?;
    check("another word", ask(server, "actor").await? == (200, "1".into()))?;

    // Too much is waiting: requests are refused, until half of it is done.
    let (wake_up, sleeps) = channel();
    words.send(ToWords::Sleep(sleeps))?;
    while !words.is_under_pressure() {
        let _ = words.try_send(ToWords::Nothing);
    }
    check("under pressure", ask(server, "stage").await?.0 == 503)?;
    drop(wake_up);
    words.relieved().await;
    check("relieved", ask(server, "stage").await? == (200, "3".into()))?;

    words.stop();
    while !words.is_stopped() {
        tokio::task::yield_now().await;
    }
    check("stopped", ask(server, "stage").await?.0 == 503)?;
    println!("all answers were as expected");
    Ok(())
}
