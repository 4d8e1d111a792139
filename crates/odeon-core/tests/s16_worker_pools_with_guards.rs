//! S16 and S3: members of a worker pool have their guards and their selection.

use std::time::Duration;

use odeon_core::*;

const SOON: Duration = Duration::from_secs(30);

/// Hands out what it has; nobody gets anything while it has nothing.
struct Shelf(Vec<u32>);

enum Deed {
    Put(u32),
    Get(Reply<u32>),
}

impl Message for Deed {
    const MAILBOXES: usize = 2;
    fn mailbox(&self) -> usize {
        if let Self::Put(_) = self { 1 } else { 0 }
    }
}

impl Shelf {
    fn deed(&mut self, deed: Deed) {
        match deed {
            Deed::Put(item) => self.0.push(item),
            Deed::Get(reply) => reply.send(self.0.pop().expect("guarded")),
        }
    }
}

impl Actor for Shelf {
    type Msg = Deed;
    fn selection(&self) -> Selection {
        Selection::priority().when_all_closed(WhenAllClosed::Stop)
    }
    fn guards(&self, guards: &mut DeclaredGuards<'_, Deed>) {
        guards.set(0, !self.0.is_empty());
        guards.set(1, self.0.len() < 2);
    }
    fn handle(&mut self, deed: Deed, _: &mut Context<'_, Self>) {
        self.deed(deed);
    }
}

struct AsyncShelf(Shelf);

impl AsyncActor for AsyncShelf {
    type Msg = Deed;
    fn guards(&self, guards: &mut DeclaredGuards<'_, Deed>) {
        Actor::guards(&self.0, guards);
    }
    async fn handle(&mut self, deed: Deed, _: &mut AsyncContext<'_, Self>) {
        self.0.deed(deed);
    }
}

#[test]
fn s16_members_have_their_guards_and_their_selection_whatever_the_routing() {
    let theater = Theater::builder().workers(2).build().unwrap();
    for routing in [Routing::RoundRobin, Routing::LeastLoaded] {
        let members = || theater.actor().supervised(Supervision::new());
        let pools = [
            members().pool(1, routing, |_| Shelf(Vec::new())),
            members().pool(1, routing, |_| AsyncShelf(Shelf(Vec::new()))),
        ];
        for pool in pools {
            let early: Vec<_> = (0..50).map(|_| pool.ask(Deed::Get)).collect();
            (0..50).for_each(|item| pool.send(Deed::Put(item)).unwrap());
            let got = early.into_iter().map(|early| early.wait_timeout(SOON).unwrap());
            let mut got: Vec<_> = got.collect();
            got.sort_unstable();
            assert_eq!(got, (0..50).collect::<Vec<_>>());
        }
    }
}
