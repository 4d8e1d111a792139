//! A mobile actor that remembers all it hears, which goes with it: were there two of it, or one
//! that was left half behind, a number would be missing or come twice.
#![allow(unreachable_pub, reason = "as in `support`")]

use odeon_core::{Actor, Context, Message, Reply};
use odeon_theater::Mobile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What has been heard of each sender, in order.
pub type Heard = BTreeMap<usize, Vec<u64>>;

#[derive(Default, Serialize, Deserialize)]
pub struct Log {
    heard: Heard,
}

#[derive(Serialize, Deserialize)]
pub enum Say {
    Number { from: usize, number: u64 },
    Heard(Reply<Heard>),
}

impl Message for Say {}

impl Actor for Log {
    type Msg = Say;

    fn handle(&mut self, msg: Say, _: &mut Context<'_, Self>) {
        match msg {
            Say::Number { from, number } => self.heard.entry(from).or_default().push(number),
            Say::Heard(reply) => reply.send(self.heard.clone()),
        }
    }
}

impl Mobile for Log {
    const KIND: &'static str = "log";
}
