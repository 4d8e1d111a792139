//! Companions: what comes to an actor with lanes together with a message, beside the message
//! itself.
//!
//! The tag of such a message is even, where a lane is odd: the number of a place in a table of the
//! process, where lane and companion wait. Whoever takes the message empties the place; also who
//! takes it only to drop it, so that a companion learns from its drop that its message is lost.
//! Messages without one know nothing of this.

use std::any::Any;
use std::sync::{LazyLock, Mutex, MutexGuard};

use super::Lane;

/// What comes with a message; whoever sent it knows the type.
pub type Companion = Box<dyn Any + Send>;

/// Lane and companion of a message that is under way.
type LaneAndCompanion = (Lane, Companion);

/// TUNE: pieces of the table, so that few senders meet; a power of two.
const SHARDS: u32 = 16;
/// Places of one piece: all tags are below 2^24.
const PLACES: usize = (1 << 23) / SHARDS as usize - 1;

/// One piece of the table.
#[derive(Default)]
struct CompanionShard {
    places: Vec<Option<LaneAndCompanion>>,
    free: Vec<u32>,
}

/// Of `std` also in models: nobody waits or calls anything under these locks.
static TABLE: LazyLock<[Mutex<CompanionShard>; SHARDS as usize]> =
    LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));

fn shard(number: u32) -> MutexGuard<'static, CompanionShard> {
    TABLE[number as usize].lock().expect("no panic happens under this lock")
}

/// Whether a tag is that of a message with a companion.
#[inline(always)]
pub(crate) fn is_told_by(tag: u32) -> bool {
    tag & 1 == 0
}

/// Leaves a companion for a message of `lane`: its tag.
///
/// # Errors
/// The companion, if there are as many as the table has room for.
pub(crate) fn leave(lane: Lane, companion: Companion) -> Result<u32, Companion> {
    let number = lane.number() >> 1 & (SHARDS - 1);
    let mut shard = shard(number);
    let place = match shard.free.pop() {
        Some(place) => place,
        None if shard.places.len() < PLACES => {
            shard.places.push(None);
            shard.places.len() as u32 - 1
        }
        None => return Err(companion),
    };
    shard.places[place as usize] = Some((lane, companion));
    // Not 0, which is no tag.
    Ok(((place + 1) * SHARDS + number) << 1)
}

/// Takes what was left for the message with this tag.
pub(crate) fn take(tag: u32) -> LaneAndCompanion {
    debug_assert!(is_told_by(tag) && tag != 0);
    let (place, number) = ((tag >> 1) / SHARDS - 1, (tag >> 1) % SHARDS);
    let mut shard = shard(number);
    let waiting = shard.places[place as usize].take().expect("a tag is taken once");
    shard.free.push(place);
    waiting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_taken_once_and_its_place_used_again() {
        let lane = |number| Lane::of_number(number);
        let tags: Vec<u32> = (0..1000)
            .map(|number| leave(lane(number), Box::new(number)).expect("room for some"))
            .collect();
        assert!(tags.iter().all(|tag| is_told_by(*tag) && *tag > 0 && *tag < 1 << 24));
        assert!(!is_told_by(lane(7).number()));
        for (number, tag) in (0..1000_u64).zip(&tags) {
            let (of, companion) = take(*tag);
            assert_eq!((of, *companion.downcast::<u64>().unwrap()), (lane(number), number));
        }
        let again = leave(lane(0), Box::new(())).expect("room for some");
        assert!(tags.contains(&again));
        drop(take(again));
    }
}
