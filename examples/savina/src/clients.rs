//! Clients of one server: each has one request under way at a time, and checks every answer.

use crate::book::AddressBook;
use odeon::prelude::*;
use odeon_example_run::Finish;
use odeon_example_run::Post;

/// What a client asks for, in which order, and what may be answered.
pub(crate) trait Script: Send + 'static {
    type Request: Send;
    type Answer: Copy + Send + 'static;

    /// The next request, until there is none.
    fn next(&mut self) -> Option<Self::Request>;

    /// Checks the answer to the last one.
    fn check(&self, answer: Self::Answer) -> Result<(), String>;
}

/// Where requests go: the address of a server of some kind.
pub(crate) trait RequestServer<R>: Clone + Send + 'static {
    /// Sends the request of the client with this number, who is answered by [`ToClient::Answer`].
    fn request(&self, client: usize, request: R);
}

/// A server and its clients, ready to run.
pub(crate) struct SetUp<T> {
    /// Has all clients begin.
    pub(crate) begin: Box<dyn FnOnce()>,
    /// What the server has in the end.
    pub(crate) outcome: Box<dyn FnOnce() -> Option<T>>,
}

/// The policy of a version that has one.
pub(crate) fn policy(version: &str) -> Option<ReadWritePolicy> {
    match version {
        "arrival-order" => Some(ReadWritePolicy::ArrivalOrder),
        "readers-first" => Some(ReadWritePolicy::ReadersFirst),
        "writers-first" => Some(ReadWritePolicy::WritersFirst),
        _ => None,
    }
}

/// What a client is told.
pub(crate) enum ToClient<A> {
    Begin,
    Answer(A),
}

impl<A: Send + 'static> Message for ToClient<A> {}

/// All clients of a server, which knows them by their numbers.
pub(crate) struct Clients<A: Send + 'static>(AddressBook<ToClient<A>>);

impl<A: Copy + Send + 'static> Clients<A> {
    pub(crate) fn new() -> Self {
        Self(AddressBook::new())
    }

    /// Makes a client for each script.
    pub(crate) fn fill<S: Script<Answer = A>>(
        &self,
        theater: &Theater,
        scripts: impl IntoIterator<Item = S>,
        server: &impl RequestServer<S::Request>,
        finish: &Finish,
    ) {
        let client = |(number, script)| {
            theater.spawn(Client { number, script, server: server.clone(), finish: finish.clone() })
        };
        self.0.fill(scripts.into_iter().enumerate().map(client).collect());
    }

    pub(crate) fn begin(&self) {
        self.0.all().iter().for_each(|client| client.post(ToClient::Begin));
    }

    #[inline]
    pub(crate) fn answer(&self, client: usize, answer: A) {
        self.0.actor(client).post(ToClient::Answer(answer));
    }
}

impl<A: Send + 'static> Clone for Clients<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

struct Client<S, T> {
    number: usize,
    script: S,
    server: T,
    finish: Finish,
}

impl<S: Script, T: RequestServer<S::Request>> Actor for Client<S, T> {
    type Msg = ToClient<S::Answer>;

    fn handle(&mut self, message: Self::Msg, _ctx: &mut Context<'_, Self>) {
        if let ToClient::Answer(answer) = message {
            if let Err(wrong) = self.script.check(answer) {
                return self.finish.arrive_if(false, || wrong);
            }
        }
        match self.script.next() {
            Some(request) => self.server.request(self.number, request),
            None => self.finish.arrive(),
        }
    }
}
