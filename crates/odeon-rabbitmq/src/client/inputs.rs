//! Sending an input to a worker process that lacks it.

use std::collections::VecDeque;

use lapin::BasicProperties;
use lapin::types::ShortString;
use odeon_device::DeviceError;

use crate::broker::BrokerSession;
use crate::input::Input;
use crate::packet::{self, InputPart};
use crate::portable::Portable;
use crate::queue::Queue;
use crate::shared::ContentId;

/// TUNE: guessed 2026-11: bytes of a part. Less for brokers with smaller messages.
const PART: usize = 1 << 20;

/// TUNE: guessed 2026-11: parts that the broker has not confirmed.
const AHEAD: usize = 16;

/// Bytes around those of the part.
const AROUND: usize = 128;

/// PROTOCOL 4: sends these inputs of a piece to that queue, in parts. If it is gone, so is the
/// worker process: others will ask.
pub(super) async fn send<W: Portable>(
    session: &BrokerSession,
    queue: &Queue,
    piece: &W,
    wanted: &[ContentId],
    to: &str,
) -> Result<(), DeviceError> {
    let size = PART.min(queue.largest_message.saturating_sub(AROUND)).max(1);
    let inputs = piece.inputs();
    let to = ShortString::try_new(to)
        .map_err(|_| DeviceError::Invalid("a worker process names no queue".to_owned()))?;
    for &id in wanted {
        let Some(input) = inputs.iter().find(|input| input.id() == id) else {
            let why = format!("a worker process wants an input that the piece has not: {id:?}");
            return Err(DeviceError::Invalid(why));
        };
        let bytes = input.write()?;
        let total = bytes.len() as u64;
        let mut ahead = VecDeque::with_capacity(AHEAD);
        let mut offset = 0;
        // WHY: an input without bytes is one part, too.
        for bytes in bytes.chunks(size).chain(bytes.is_empty().then_some(&[][..])) {
            let part = packet::write(&InputPart { input: id, offset, total, bytes })?;
            offset += bytes.len() as u64;
            ahead.push_back(session.publish(to.clone(), &part, BasicProperties::default()).await?);
            if ahead.len() == AHEAD {
                let first = ahead.pop_front().expect("there are some");
                if !session.taken(first).await? {
                    return Ok(());
                }
            }
        }
        for confirm in ahead {
            if !session.taken(confirm).await? {
                return Ok(());
            }
        }
    }
    Ok(())
}
