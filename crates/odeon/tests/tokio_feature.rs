//! The feature `tokio` of the facade.
#![cfg(feature = "tokio")]

use std::time::Duration;

use odeon::prelude::*;
use odeon::tokio::{TheaterBuilderExt, TheaterExt};

struct Sleeper;

#[derive(Message)]
struct Sleep(Reply<()>);

impl AsyncActor for Sleeper {
    type Msg = Sleep;
    async fn handle(&mut self, Sleep(reply): Sleep, _ctx: &mut AsyncContext<'_, Self>) {
        tokio::time::sleep(Duration::from_millis(1)).await;
        reply.send(());
    }
}

#[tokio::test]
async fn s13_the_facade_brings_tokio_along() {
    let theater = Theater::builder().tokio_current().build().unwrap();
    let sleeper = theater.spawn(Sleeper);
    assert_eq!(sleeper.ask(Sleep).await, Ok(()));
    assert!(theater.shutdown_async(Duration::from_secs(5)).await.leftovers.is_empty());
}
