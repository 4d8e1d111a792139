//! `idle_actor_bytes`: the memory of actors that have nothing to do.

use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender};

use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::memory;
use crate::params::IdleActors;

struct Touch {
    answer: EndSignal<()>,
}

struct Idler {
    mailbox: UnboundedReceiver<Touch>,
}

impl Idler {
    async fn run(mut self) {
        while let Some(Touch { answer }) = self.mailbox.recv().await {
            answer.send(());
        }
    }
}

pub fn run(host: &Host, params: &IdleActors) -> Result<u64, String> {
    let (end, ending) = host.end_signal();
    let mut idlers: Vec<UnboundedSender<Touch>> = Vec::with_capacity(params.actors);
    let before = memory::resident_bytes()?;
    for _ in 0..params.actors {
        let (idler, mailbox) = mpsc::unbounded_channel();
        host.handle().spawn(Idler { mailbox }.run());
        idlers.push(idler);
    }
    for few in idlers.chunks(memory::IDLE_ACTORS_AT_ONCE) {
        for idler in few {
            let answer = end.clone();
            idler.send(Touch { answer }).expect("every idler lives");
        }
        ending.wait_for(few.len())?;
    }
    let after = memory::resident_bytes()?;
    Ok(after.saturating_sub(before))
}
