//! An actor that handles one request at a time.

use super::Cells;
use super::script::{ListAnswer, ListRequest, ListScript};
use crate::clients::{Clients, RequestServer, SetUp};
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

#[derive(Message)]
enum ToList {
    Request { client: usize, request: ListRequest },
    Numbers(Reply<Vec<i32>>),
}

struct ListActor {
    cells: Cells,
    clients: Clients<ListAnswer>,
}

impl Actor for ListActor {
    type Msg = ToList;

    fn handle(&mut self, message: ToList, _ctx: &mut Context<'_, Self>) {
        let (client, request) = match message {
            ToList::Request { client, request } => (client, request),
            ToList::Numbers(reply) => return reply.send(self.cells.numbers().collect()),
        };
        let answer = match request {
            ListRequest::Add(number) => {
                self.cells.add(number);
                ListAnswer::Added(number)
            }
            ListRequest::Contains(number) => ListAnswer::Contains(self.cells.contains(number)),
            ListRequest::Size => ListAnswer::Size(self.cells.size()),
        };
        self.clients.answer(client, answer);
    }
}

impl RequestServer<ListRequest> for ActorRef<ToList> {
    fn request(&self, client: usize, request: ListRequest) {
        self.post(ToList::Request { client, request });
    }
}

pub(super) fn set_up(
    theater: &Theater,
    scripts: Vec<ListScript>,
    finish: &Finish,
) -> SetUp<Vec<i32>> {
    let clients = Clients::new();
    let list = theater.spawn(ListActor { cells: Cells::default(), clients: clients.clone() });
    clients.fill(theater, scripts, &list, finish);
    let numbers = move || list.ask(ToList::Numbers).wait().ok();
    SetUp { begin: Box::new(move || clients.begin()), outcome: Box::new(numbers) }
}
