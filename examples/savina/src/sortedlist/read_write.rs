//! Readers and writers: several clients look through the list at once.

use super::Cells;
use super::script::{Answer, ListScript, Request};
use crate::clients::{Clients, Server, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;

#[derive(Message)]
enum Look {
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
    clients: Clients<Answer>,
}

impl ReadWriteActor for ListActor {
    type Read = Look;
    type Write = Add;

    fn read(&self, look: Look, _ctx: &mut ReadContext<'_, Self>) {
        match look {
            Look::Contains { client, number } => {
                self.clients.answer(client, Answer::Contains(self.cells.contains(number)));
            }
            Look::Size { client } => self.clients.answer(client, Answer::Size(self.cells.size())),
            Look::Numbers(reply) => reply.send(self.cells.numbers().collect()),
        }
    }

    fn write(&mut self, Add { client, number }: Add, _ctx: &mut WriteContext<'_, Self>) {
        self.cells.add(number);
        self.clients.answer(client, Answer::Added(number));
    }
}

impl Server<Request> for ActorRef<ReadWrite<Look, Add>> {
    fn request(&self, client: usize, request: Request) {
        let _ = match request {
            Request::Add(number) => self.write(Add { client, number }),
            Request::Contains(number) => self.read(Look::Contains { client, number }),
            Request::Size => self.read(Look::Size { client }),
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
    let numbers = move || list.ask_read(Look::Numbers).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(numbers) }
}
