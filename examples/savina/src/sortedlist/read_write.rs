//! Readers and writers: several clients look through the list at once.

use super::Cells;
use super::script::{ListAnswer, ListRequest, ListScript};
use crate::clients::{Clients, RequestServer, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;

#[derive(Message)]
enum ListRead {
    Contains { client: usize, number: i32 },
    Size { client: usize },
    Numbers(Reply<Vec<i32>>),
}

#[derive(Message)]
struct Add {
    client: usize,
    number: i32,
}

struct ListActor {
    cells: Cells,
    clients: Clients<ListAnswer>,
}

impl ReadWriteActor for ListActor {
    type Read = ListRead;
    type Write = Add;

    fn read(&self, look: ListRead, _ctx: &mut ReadContext<'_, Self>) {
        match look {
            ListRead::Contains { client, number } => {
                self.clients.answer(client, ListAnswer::Contains(self.cells.contains(number)));
            }
            ListRead::Size { client } => {
                self.clients.answer(client, ListAnswer::Size(self.cells.size()))
            }
            ListRead::Numbers(reply) => reply.send(self.cells.numbers().collect()),
        }
    }

    fn write(&mut self, Add { client, number }: Add, _ctx: &mut WriteContext<'_, Self>) {
        self.cells.add(number);
        self.clients.answer(client, ListAnswer::Added(number));
    }
}

impl RequestServer<ListRequest> for ActorRef<ReadWrite<ListRead, Add>> {
    fn request(&self, client: usize, request: ListRequest) {
        let _ = match request {
            ListRequest::Add(number) => self.write(Add { client, number }),
            ListRequest::Contains(number) => self.read(ListRead::Contains { client, number }),
            ListRequest::Size => self.read(ListRead::Size { client }),
        };
    }
}

pub(super) fn set_up(
    theater: &Theater,
    policy: ReadWritePolicy,
    scripts: Vec<ListScript>,
    finish: &Finish,
) -> SetUp<Vec<i32>> {
    let clients = Clients::new();
    let actor = ListActor { cells: Cells::default(), clients: clients.clone() };
    let list = theater.spawn(ReadWriting::new(actor, policy));
    clients.fill(theater, scripts, &list, finish);
    let numbers = move || list.ask_read(ListRead::Numbers).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(numbers) }
}
