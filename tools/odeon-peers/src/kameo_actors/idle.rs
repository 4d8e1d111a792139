//! `idle_actor_bytes`: the memory of actors that have nothing to do.

use kameo::mailbox;
use kameo::prelude::*;

use super::stop;
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::memory;
use crate::params::IdleActors;

struct Touch {
    answer: EndSignal<()>,
}

#[derive(Actor)]
struct Idler;

impl Message<Touch> for Idler {
    type Reply = ();

    async fn handle(&mut self, touch: Touch, _: &mut Context<Self, Self::Reply>) {
        touch.answer.send(());
    }
}

pub fn run(host: &Host, params: &IdleActors) -> Result<u64, String> {
    let (end, ending) = host.end_signal();
    let mut idlers = Vec::with_capacity(params.actors);
    let before = memory::resident_bytes()?;
    host.block_on(async {
        for _ in 0..params.actors {
            idlers.push(Idler::spawn_with_mailbox(Idler, mailbox::unbounded()));
        }
    });
    for few in idlers.chunks(memory::IDLE_ACTORS_AT_ONCE) {
        for idler in few {
            let answer = end.clone();
            idler.tell(Touch { answer }).blocking_send().expect("every idler lives");
        }
        ending.wait_for(few.len())?;
    }
    let after = memory::resident_bytes()?;

    host.block_on(stop(&idlers));
    Ok(after.saturating_sub(before))
}
