//! A group: what is published goes to every member; who ends leaves it.
//!
//! cargo run -p odeon --example publish

use std::sync::mpsc::{Sender, channel};

use odeon::prelude::*;

#[derive(Clone)]
enum News {
    Headline(&'static str),
    Goodbye,
}

impl Message for News {}

/// Tells what it has heard when it ends.
struct Reader {
    name: &'static str,
    patience: usize,
    heard: Vec<&'static str>,
    tell: Sender<String>,
}

impl Actor for Reader {
    type Msg = News;

    fn handle(&mut self, msg: News, ctx: &mut Context<'_, Self>) {
        match msg {
            News::Headline(headline) => self.heard.push(headline),
            News::Goodbye => ctx.stop(),
        }
        if self.heard.len() == self.patience {
            ctx.stop();
        }
    }

    fn stopped(&mut self) {
        let heard = self.heard.join(", ");
        let _ = self.tell.send(format!("{} heard: {heard}", self.name));
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let theater = Theater::new()?;
    // Anybody in the theater finds it by its name.
    let news = theater.group::<News>("news")?;
    let (tell, told) = channel();
    for (name, patience) in [("Ada", 2), ("Grace", 100)] {
        let reader = Reader { name, patience, heard: Vec::new(), tell: tell.clone() };
        news.join(&theater.spawn(reader));
    }

    println!("sent to {}", news.publish(News::Headline("it rains")));
    println!("sent to {}", theater.group::<News>("news")?.publish(News::Headline("it pours")));
    println!("{}", told.recv()?);
    println!("sent to {}", news.publish(News::Headline("the sun shines")));
    println!("sent to {}", news.publish(News::Goodbye));
    println!("{}", told.recv()?);
    println!("members: {}", news.len());
    Ok(())
}
