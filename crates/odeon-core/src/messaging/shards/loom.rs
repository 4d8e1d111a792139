//! Exhaustive models of what keeps an actor while a shard of it has messages. The inbox and the
//! keeper are the real ones; a thread that has to have the shard scheduled gives it the turn.

use odeon_sync::{Arc, Mutex, thread};

use super::{ActorKeeper, go_idle_with};
use crate::mailbox::{Inbox, InboxOwner, Pushed, WentIdle, label};

/// A reference to the actor: the actor is kept as long as there is one.
type Reference = Arc<()>;

struct ShardModel {
    inbox: Inbox<u32>,
    owner: Mutex<Option<InboxOwner<u32>>>,
    keeper: ActorKeeper<Reference>,
    handled: Mutex<Vec<u32>>,
}

/// As a sender: it has a reference of its own only until it has sent.
fn send(shard: &ShardModel, actor: Reference, message: u32) {
    let pushed = shard.inbox.push(label::of_mailbox(0), message);
    if let Pushed::WakeOwner = pushed {
        shard.keeper.put(actor.clone());
        drop(actor);
        turn(shard);
    }
}

/// A turn of the shard: what it handles keeps the actor.
fn turn(shard: &ShardModel) {
    let mut owner = shard.owner.lock().unwrap().take().expect("woken once");
    loop {
        // SAFETY: we hold the owner's side of this inbox.
        while let Some((_, message)) = unsafe { owner.pop(&shard.inbox) } {
            assert!(shard.keeper.kept().is_some(), "a message without what keeps its actor");
            // SAFETY: the model pushes messages only.
            shard.handled.lock().unwrap().push(unsafe { message.assume_init() });
        }
        let mut place = shard.owner.lock().unwrap();
        let went = go_idle_with(Some(&shard.keeper), || {
            // SAFETY: as above.
            let went = unsafe { InboxOwner::go_idle(&mut owner, &shard.inbox) };
            if went == WentIdle::Yes {
                *place = Some(std::mem::replace(&mut owner, Inbox::new().1));
            }
            went
        });
        drop(place);
        if went == WentIdle::Yes {
            return;
        }
        thread::yield_now();
    }
}

#[test]
fn a_shard_with_a_message_keeps_its_actor_and_an_idle_one_does_not() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let actor = Reference::default();
        let (inbox, owner) = Inbox::new();
        let keeper = ActorKeeper::new(actor.clone());
        drop(keeper.take());
        let shard = Arc::new(ShardModel {
            inbox,
            owner: Mutex::new(Some(owner)),
            keeper,
            handled: Mutex::default(),
        });
        let senders = [1, 2].map(|message| {
            let (shard, actor) = (shard.clone(), actor.clone());
            thread::spawn(move || send(&shard, actor, message))
        });
        senders.into_iter().for_each(|sender| sender.join().unwrap());
        let mut handled = std::mem::take(&mut *shard.handled.lock().unwrap());
        handled.sort_unstable();
        assert_eq!(handled, [1, 2]);
        assert!(shard.keeper.kept().is_none(), "an idle shard keeps nobody");
        assert_eq!(Arc::strong_count(&actor), 1);
    });
}
