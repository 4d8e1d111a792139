//! Readers: actors of the pool that handle reads of another actor beside its own turn.

use std::sync::Arc;

use super::ReadWriteActor;
use super::shared::SharedActor;
use crate::turn::behavior::{Behavior, NoInner};
use crate::turn::context::Context;

/// Reads for one actor. It is sent no messages, but woken.
pub(super) struct ReaderActor<A: ReadWriteActor> {
    shared: Arc<SharedActor<A>>,
    number: usize,
    batch: Vec<A::Read>,
}

impl<A: ReadWriteActor> ReaderActor<A> {
    pub(super) fn new(shared: Arc<SharedActor<A>>, number: usize) -> Self {
        Self { shared, number, batch: Vec::new() }
    }
}

impl<A: ReadWriteActor> Behavior for ReaderActor<A> {
    type Msg = ();
    type Inner = NoInner<()>;
    const DEFERS: bool = true;

    fn handle(&mut self, (): (), _: &mut Context<'_, Self>) {}

    fn handle_deferred(&mut self, _: &mut Context<'_, Self>) -> bool {
        self.shared.work(self.number, &mut self.batch)
    }
}
