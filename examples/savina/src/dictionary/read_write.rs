//! Readers and writers: lookups of several clients at once.

use super::script::{DictionaryScript, Entries, Request, entries};
use crate::clients::{Clients, Server, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;

#[derive(Message)]
enum Look {
    Get { client: usize, key: u32 },
    Writes(Reply<u64>),
}

#[derive(Message)]
struct Put {
    client: usize,
    key: u32,
    value: u32,
}

struct DictionaryActor {
    entries: Entries,
    clients: Clients<u32>,
    writes: u64,
}

impl ReadWriteActor for DictionaryActor {
    type Read = Look;
    type Write = Put;

    fn read(&self, look: Look, _ctx: &mut ReadContext<'_, Self>) {
        match look {
            Look::Get { client, key } => self.clients.answer(client, self.entries[&key]),
            Look::Writes(reply) => reply.send(self.writes),
        }
    }

    fn write(&mut self, Put { client, key, value }: Put, _ctx: &mut WriteContext<'_, Self>) {
        self.entries.insert(key, value);
        self.writes += 1;
        self.clients.answer(client, value);
    }
}

impl Server<Request> for ActorRef<ReadWrite<Look, Put>> {
    #[inline]
    fn request(&self, client: usize, request: Request) {
        let _ = match request {
            Request::Get(key) => self.read(Look::Get { client, key }),
            Request::Put(key, value) => self.write(Put { client, key, value }),
        };
    }
}

pub(super) fn set_up(
    theater: &Theater,
    policy: ReadWritePolicy,
    scripts: Vec<DictionaryScript>,
    finish: &Finish,
) -> SetUp<u64> {
    let clients = Clients::new();
    let actor = DictionaryActor { entries: entries(), clients: clients.clone(), writes: 0 };
    let dictionary = theater.spawn(ReadWriting::new(actor, policy));
    clients.fill(theater, scripts, &dictionary, finish);
    let writes = move || dictionary.ask_read(Look::Writes).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(writes) }
}
