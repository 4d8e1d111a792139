//! An actor that handles one request at a time.

use super::script::{DictionaryEntries, DictionaryRequest, DictionaryScript, entries};
use crate::clients::{Clients, RequestServer, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

#[derive(Message)]
enum ToDictionary {
    Request { client: usize, request: DictionaryRequest },
    Writes(Reply<u64>),
}

struct DictionaryActor {
    entries: DictionaryEntries,
    clients: Clients<u32>,
    writes: u64,
}

impl Actor for DictionaryActor {
    type Msg = ToDictionary;

    fn handle(&mut self, message: ToDictionary, _ctx: &mut Context<'_, Self>) {
        match message {
            ToDictionary::Request { client, request: DictionaryRequest::Get(key) } => {
                self.clients.answer(client, self.entries[&key]);
            }
            ToDictionary::Request { client, request: DictionaryRequest::Put(key, value) } => {
                self.entries.insert(key, value);
                self.writes += 1;
                self.clients.answer(client, value);
            }
            ToDictionary::Writes(reply) => reply.send(self.writes),
        }
    }
}

impl RequestServer<DictionaryRequest> for ActorRef<ToDictionary> {
    #[inline]
    fn request(&self, client: usize, request: DictionaryRequest) {
        self.post(ToDictionary::Request { client, request });
    }
}

pub(super) fn set_up(
    theater: &Theater,
    scripts: Vec<DictionaryScript>,
    finish: &Finish,
) -> SetUp<u64> {
    let clients = Clients::new();
    let actor = DictionaryActor { entries: entries(), clients: clients.clone(), writes: 0 };
    let dictionary = theater.spawn(actor);
    clients.fill(theater, scripts, &dictionary, finish);
    let writes = move || dictionary.ask(ToDictionary::Writes).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(writes) }
}
