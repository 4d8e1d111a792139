//! Readers and writers: lookups of several clients at once.

use super::script::{DictionaryEntries, DictionaryRequest, DictionaryScript, entries};
use crate::clients::{Clients, RequestServer, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;

#[derive(Message)]
enum DictionaryRead {
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
    entries: DictionaryEntries,
    clients: Clients<u32>,
    writes: u64,
}

impl ReadWriteActor for DictionaryActor {
    type Read = DictionaryRead;
    type Write = Put;

    fn read(&self, look: DictionaryRead, _ctx: &mut ReadContext<'_, Self>) {
        match look {
            DictionaryRead::Get { client, key } => self.clients.answer(client, self.entries[&key]),
            DictionaryRead::Writes(reply) => reply.send(self.writes),
        }
    }

    fn write(&mut self, Put { client, key, value }: Put, _ctx: &mut WriteContext<'_, Self>) {
        self.entries.insert(key, value);
        self.writes += 1;
        self.clients.answer(client, value);
    }
}

impl RequestServer<DictionaryRequest> for ActorRef<ReadWrite<DictionaryRead, Put>> {
    #[inline]
    fn request(&self, client: usize, request: DictionaryRequest) {
        let _ = match request {
            DictionaryRequest::Get(key) => self.read(DictionaryRead::Get { client, key }),
            DictionaryRequest::Put(key, value) => self.write(Put { client, key, value }),
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
    let writes = move || dictionary.ask_read(DictionaryRead::Writes).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(writes) }
}
