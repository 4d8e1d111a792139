//! What packets look like. `docs/wire-format.md` has the table; this writes and reads it.
//!
//! Reading trusts nothing: any bytes give a packet or an error, and nothing is allocated here. What
//! a packet *says* may still be a lie, against which [`Link`](crate::link::Link) keeps its limits.

mod acks;
mod cursor;
mod error;
mod hello;
mod record;
mod refusal;
mod route;
mod seal;

#[cfg(test)]
mod tests;

pub use error::PacketError;
pub use refusal::Refusal;

pub(crate) use acks::{Acks, MOST_BODIES_UNDER_WAY};
pub(crate) use cursor::{Cursor, put_varint};
pub(crate) use hello::{Hello, LONGEST_CLUSTER_NAME, Limits};
pub(crate) use record::{PAUSE, RECORD_HEAD, RESUME};
pub(crate) use record::{Record, Records, put_fragment, put_leave, put_signal, put_whole};
pub(crate) use refusal::RefusalPacket;
pub(crate) use route::Route;
pub(crate) use seal::SEAL;

use super::{Secret, TheaterId};

/// The first byte of every packet.
const MAGIC: u8 = 0x0D;

/// The version of the format that this code speaks: the second byte of every packet. Magic, version
/// and kind stand where they stand in every version, and a refusal keeps its layout, so that
/// theaters of two versions can tell each other why they do not talk.
pub const FORMAT_VERSION: u8 = 2;

/// How many bytes the head of a packet with a body takes at most: prefix, route, acknowledgements,
/// numbers.
pub(crate) const LARGEST_HEAD: usize = 3 + 16 + (10 + 10 + 10 + 2 + acks::LARGEST_BITMAP) + 3 * 10;

const HELLO: u8 = 1;
const REFUSAL: u8 = 2;
const BODY: u8 = 3;
const ACKS: u8 = 4;
const GOODBYE: u8 = 5;
const SEALED: u8 = 6;

/// A packet, read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Packet<'a> {
    /// Somebody wants a link, or answers who does.
    Hello(Hello<'a>),
    /// There will be no link, and why.
    Refusal(RefusalPacket),
    /// Messages, under the number of their body.
    Body { route: Route, acks: Acks<'a>, number: u64, transmission: u64, records: &'a [u8] },
    /// Acknowledgements alone; also the sign of life of a link without messages.
    Acks { route: Route, acks: Acks<'a> },
    /// The link has ended here.
    Goodbye { route: Route },
}

impl<'a> Packet<'a> {
    pub(crate) fn read(bytes: &'a [u8]) -> Result<Self, PacketError> {
        let mut rest = Cursor::new(bytes);
        if rest.byte()? != MAGIC {
            return Err(PacketError::Foreign);
        }
        let version = rest.byte()?;
        let kind = rest.byte()?;
        // These two are what they are in every version.
        if version != FORMAT_VERSION && ![REFUSAL, SEALED].contains(&kind) {
            let hello = kind == HELLO;
            return Err(PacketError::OtherVersion { ours: FORMAT_VERSION, theirs: version, hello });
        }
        Ok(match kind {
            HELLO => Self::Hello(Hello::read(&mut rest)?),
            REFUSAL => Self::Refusal(RefusalPacket::read(&mut rest)?),
            BODY => {
                let (route, acks) = (Route::read(&mut rest)?, Acks::read(&mut rest)?);
                let (number, transmission) = (rest.varint()?, rest.varint()?);
                // So that a packet that was cut short is found out wherever the cut is.
                let length = rest.varint()?;
                let records = rest.take(length)?;
                Records::check(records)?;
                Self::Body { route, acks, number, transmission, records }
            }
            ACKS => Self::Acks { route: Route::read(&mut rest)?, acks: Acks::read(&mut rest)? },
            GOODBYE => Self::Goodbye { route: Route::read(&mut rest)? },
            SEALED => return Err(PacketError::Sealing),
            _ => return Err(PacketError::Malformed("unknown kind")),
        })
    }
}

/// What a packet of a theater to which there is no link says of one.
pub(crate) enum Greeting {
    /// Nothing.
    None,
    /// That theater wants a link.
    Good,
    /// The same, in another version of the format: to be answered by this packet.
    Refused(Refusal, Vec<u8>),
    /// The same, without the secret of this theater, or with one where this has none: not to be
    /// answered.
    Foreign,
}

impl Greeting {
    /// Of a packet that `me` has been sent by `from`.
    pub(crate) fn of(
        packet: &[u8],
        secret: Option<&Secret>,
        me: TheaterId,
        from: TheaterId,
    ) -> Self {
        let sealed = seal::unsealed(packet);
        // WHY at first: each packet comes by here, and its link reads it.
        if sealed.get(2) != Some(&HELLO) {
            return Self::None;
        }
        let is_trusted = || match secret {
            Some(secret) => secret.open(from, me, packet).is_ok(),
            None => sealed.len() == packet.len(),
        };
        match Packet::read(sealed) {
            Ok(Packet::Hello(hello)) if (hello.to, hello.from) == (me, from) => {
                if is_trusted() {
                    Self::Good
                } else {
                    Self::Foreign
                }
            }
            Err(PacketError::OtherVersion { ours, theirs, hello: true }) if is_trusted() => {
                let refusal = Refusal::OtherVersion { ours, theirs };
                let mut answer = Vec::new();
                if secret.is_some() {
                    Secret::begin(&mut answer);
                }
                write_refusal(&mut answer, &RefusalPacket::new(me, from, refusal));
                if let Some(secret) = secret {
                    secret.seal(me, from, 0, &mut answer);
                }
                Self::Refused(refusal, answer)
            }
            _ => Self::None,
        }
    }
}

fn prefix(out: &mut Vec<u8>, kind: u8) {
    out.extend_from_slice(&[MAGIC, FORMAT_VERSION, kind]);
}

pub(crate) fn write_hello(out: &mut Vec<u8>, hello: &Hello<'_>) {
    prefix(out, HELLO);
    hello.write(out);
}

pub(crate) fn write_refusal(out: &mut Vec<u8>, refusal: &RefusalPacket) {
    prefix(out, REFUSAL);
    refusal.write(out);
}

pub(crate) fn write_body(
    out: &mut Vec<u8>,
    route: Route,
    acks: &Acks<'_>,
    number: u64,
    transmission: u64,
    records: &[u8],
) {
    prefix(out, BODY);
    route.write(out);
    acks.write(out);
    put_varint(out, number);
    put_varint(out, transmission);
    put_varint(out, records.len() as u64);
    out.extend_from_slice(records);
}

pub(crate) fn write_acks(out: &mut Vec<u8>, route: Route, acks: &Acks<'_>) {
    prefix(out, ACKS);
    route.write(out);
    acks.write(out);
}

pub(crate) fn write_goodbye(out: &mut Vec<u8>, route: Route) {
    prefix(out, GOODBYE);
    route.write(out);
}
