//! What a channel of a link is for, by its number.

/// What comes on one channel, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Channel {
    /// What theaters tell each other.
    Control,
    /// Messages for this actor of the receiver.
    Actor(u64),
    /// The answer to this question of the receiver. A channel each: a long one holds up no other.
    Answer(u64),
    /// An actor that moves to the receiver, by the number that the sender has given to that.
    Traveller(u64),
}

const KINDS: u64 = 4;
const CONTROL: u64 = 0;
const ACTOR: u64 = 1;
const ANSWER: u64 = 2;
const TRAVELLER: u64 = 3;

/// Numbers of actors and questions are below this.
pub(crate) const NUMBERS: u64 = u64::MAX / KINDS;

impl Channel {
    /// Of an actor or question below [`NUMBERS`].
    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Control => CONTROL,
            Self::Actor(actor) => actor * KINDS + ACTOR,
            Self::Answer(question) => question * KINDS + ANSWER,
            Self::Traveller(attempt) => attempt * KINDS + TRAVELLER,
        }
    }

    /// `None`: there is no such channel.
    pub(crate) fn of(number: u64) -> Option<Self> {
        match (number / KINDS, number % KINDS) {
            (0, CONTROL) => Some(Self::Control),
            (actor, ACTOR) => Some(Self::Actor(actor)),
            (question, ANSWER) => Some(Self::Answer(question)),
            (attempt, TRAVELLER) => Some(Self::Traveller(attempt)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_says_what_the_channel_is_for() {
        for channel in [
            Channel::Control,
            Channel::Actor(0),
            Channel::Actor(NUMBERS - 1),
            Channel::Answer(7),
            Channel::Traveller(1),
        ] {
            assert_eq!(Channel::of(channel.number()), Some(channel));
        }
        assert_eq!(Channel::of(4), None);
    }
}
