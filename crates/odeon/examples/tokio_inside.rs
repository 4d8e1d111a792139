//! tokio's timers, channels and tasks inside an asynchronous actor, and the actor inside a tokio
//! program.
//!
//! cargo run -p odeon --features tokio --example tokio_inside

use std::time::Duration;

use odeon::prelude::*;
use odeon::tokio::{TheaterBuilderExt, TheaterExt};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

/// Hands words to a task and waits for what it makes of them.
struct Translator {
    words: mpsc::Sender<&'static str>,
    translated: mpsc::Receiver<String>,
}

#[derive(Message)]
enum Request {
    Translate(&'static str, Reply<Result<String, &'static str>>),
}

impl AsyncActor for Translator {
    type Msg = Request;

    async fn handle(&mut self, msg: Request, _ctx: &mut AsyncContext<'_, Self>) {
        let Request::Translate(word, reply) = msg;
        if self.words.send(word).await.is_err() {
            return reply.send(Err("the task has ended"));
        }
        let answer = timeout(Duration::from_secs(1), self.translated.recv()).await;
        reply.send(match answer {
            Ok(Some(answer)) => Ok(answer),
            Ok(None) => Err("the task has ended"),
            Err(_too_late) => Err("it takes too long"),
        });
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (words, mut to_translate) = mpsc::channel(1);
    let (answers, translated) = mpsc::channel(1);
    tokio::spawn(async move {
        while let Some(word) = to_translate.recv().await {
            if word == "hard" {
                sleep(Duration::from_secs(3600)).await;
            }
            sleep(Duration::from_millis(1)).await;
            let backwards: String = str::chars(word).rev().collect();
            if answers.send(backwards).await.is_err() {
                break;
            }
        }
    });

    let theater = Theater::builder().tokio_current().build()?;
    let translator = theater.spawn(Translator { words, translated });
    for word in ["star", "live", "hard"] {
        match translator.ask(|reply| Request::Translate(word, reply)).await? {
            Ok(translated) => println!("{word}: {translated}"),
            Err(why) => println!("{word}: {why}"),
        }
    }
    let report = theater.shutdown_async(Duration::from_secs(5)).await;
    println!("left: {}", report.leftovers.len());
    Ok(())
}
