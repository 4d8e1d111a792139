//! `create`: one actor spawns many, each of which acknowledges and stops.

use std::time::Instant;

use ractor::{Actor, ActorProcessingErr, ActorRef};

use super::{start, stop};
use crate::end_signal::EndSignal;
use crate::host::Host;
use crate::params::Create;
use crate::peer::Sample;

enum CreatorMessage {
    Start,
    Started,
}

struct Creator;

struct CreatorState {
    actors: usize,
    acknowledged: usize,
    end: EndSignal<()>,
}

impl Actor for Creator {
    type Msg = CreatorMessage;
    type State = CreatorState;
    type Arguments = CreatorState;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        state: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(state)
    }

    async fn handle(
        &self,
        myself: ActorRef<Self::Msg>,
        message: Self::Msg,
        state: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        match message {
            CreatorMessage::Start => {
                for _ in 0..state.actors {
                    start(Child, myself.clone()).await;
                }
            }
            CreatorMessage::Started => {
                state.acknowledged += 1;
                if state.acknowledged == state.actors {
                    state.end.send(());
                }
            }
        }
        Ok(())
    }
}

struct Child;

impl Actor for Child {
    type Msg = ();
    type State = ActorRef<CreatorMessage>;
    type Arguments = ActorRef<CreatorMessage>;

    async fn pre_start(
        &self,
        _: ActorRef<Self::Msg>,
        creator: Self::Arguments,
    ) -> Result<Self::State, ActorProcessingErr> {
        Ok(creator)
    }

    /// The first thing that runs in the child's own task; `pre_start` runs in the creator's.
    async fn post_start(
        &self,
        myself: ActorRef<Self::Msg>,
        creator: &mut Self::State,
    ) -> Result<(), ActorProcessingErr> {
        creator.cast(CreatorMessage::Started).expect("the creator lives");
        myself.stop(None);
        Ok(())
    }
}

pub fn run(host: &Host, params: &Create) -> Result<Sample, String> {
    let (end, ending) = host.end_signal();
    let state = CreatorState { actors: params.actors, acknowledged: 0, end };
    let creator = host.block_on(start(Creator, state));

    let started = Instant::now();
    creator.cast(CreatorMessage::Start).expect("the creator lives");
    ending.wait()?;
    let elapsed = started.elapsed();

    stop(&[creator]);
    let ops = params.actors as u64;
    Ok(Sample { ops, elapsed })
}
