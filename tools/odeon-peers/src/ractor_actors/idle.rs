//! `idle_actor_bytes`: the memory of actors that have nothing to do.

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::memory;
use crate::params::IdleActors;

struct Touch {
    answer: EndSignal<()>,
}

struct Idler;

impl Actor for Idler {
    type Msg = Touch;
    type State = ();
    type Arguments = ();

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        (): Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(())
    }

    async fn handle(
        &self,
        _: ActorRef<Self::Msg>,
        touch: Self::Msg,
        _: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        touch.answer.send(());
        Ok(())
    }
}

pub fn run(host: &Host, params: &IdleActors) -> Result<u64, String> {
    let (end, ending) = host.end_signal();
    let mut idlers = Vec::with_capacity(params.actors);
    let before = memory::resident_bytes()?;
    host.block_on(async {
        for _ in 0..params.actors {
            idlers.push(start(Idler, ()).await);
        }
    });
    for few in idlers.chunks(memory::IDLE_ACTORS_AT_ONCE) {
        for idler in few {
            let answer = end.clone();
            idler.cast(Touch { answer }).expect("every idler lives");
        }
        ending.wait_for(few.len())?;
    }
    let after = memory::resident_bytes()?;

    stop(&idlers);
    Ok(after.saturating_sub(before))
}
