//! What can go wrong, one type per operation; on the message path the message comes back.

use std::error::Error;
use std::fmt;

use crate::vocabulary::failure_text::FailureText;

/// A [`send`](crate::ActorRef::send) did not happen. Holds the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum SendError<M> {
    /// The actor has stopped.
    Stopped(M),
    /// The mailbox is full, and bounded by [`Bound::reject`](crate::Bound::reject).
    Full(M),
}

impl<M> SendError<M> {
    /// The message that was not sent.
    pub fn into_message(self) -> M {
        match self {
            Self::Stopped(message) | Self::Full(message) => message,
        }
    }

    /// Whether a later attempt may succeed.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }
}

impl<M> fmt::Debug for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped(_) => "SendError::Stopped(..)",
            Self::Full(_) => "SendError::Full(..)",
        })
    }
}

impl<M> fmt::Display for SendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped(_) => "the actor has stopped",
            Self::Full(_) => "the mailbox is full",
        })
    }
}

impl<M> Error for SendError<M> {}

impl<M> From<SendError<M>> for TrySendError<M> {
    fn from(error: SendError<M>) -> Self {
        match error {
            SendError::Stopped(message) => Self::Stopped(message),
            SendError::Full(message) => Self::Full(message),
        }
    }
}

/// A [`try_send`](crate::ActorRef::try_send) did not happen. Holds the message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TrySendError<M> {
    /// The mailbox cannot take the message at once; a `send` would wait, or give it back as well.
    Full(M),
    /// The actor has stopped.
    Stopped(M),
}

impl<M> TrySendError<M> {
    /// The message that was not sent.
    pub fn into_message(self) -> M {
        match self {
            Self::Full(message) | Self::Stopped(message) => message,
        }
    }

    /// Whether a later attempt may succeed.
    pub fn is_full(&self) -> bool {
        matches!(self, Self::Full(_))
    }
}

impl<M> fmt::Debug for TrySendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "TrySendError::Full(..)",
            Self::Stopped(_) => "TrySendError::Stopped(..)",
        })
    }
}

impl<M> fmt::Display for TrySendError<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full(_) => "the mailbox cannot take the message at once",
            Self::Stopped(_) => "the actor has stopped",
        })
    }
}

impl<M> Error for TrySendError<M> {}

/// An [`ask`](crate::ActorRef::ask) got no answer.
///
/// ```
/// # use odeon_core::*;
/// struct Divider;
/// struct Divide(u32, u32, Reply<u32>);
/// impl Message for Divide {}
/// impl Actor for Divider {
///     type Msg = Divide;
///     fn handle(&mut self, Divide(a, b, reply): Divide, _: &mut Context<'_, Self>) {
///         reply.send(a / b);
///     }
/// }
/// # std::panic::set_hook(Box::new(|_| {}));
/// let theater = Theater::builder().failures_printed(false).build()?;
/// let divider = theater.actor().supervised(Supervision::new()).spawn(|| Divider);
///
/// let answer = divider.ask(|reply| Divide(7, 0, reply)).wait();
/// assert_eq!(answer.unwrap_err().failure(), Some("attempt to divide by zero"));
/// assert_eq!(divider.ask(|reply| Divide(7, 2, reply)).wait(), Ok(3));
/// # Ok::<(), BuildError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskError {
    /// The actor had stopped; the question was not delivered.
    Stopped,
    /// The actor's mailbox was full, and is bounded by [`Bound::reject`](crate::Bound::reject); the
    /// question was not delivered.
    Full,
    /// The question was delivered but its [`Reply`](crate::Reply) was dropped unanswered, and no
    /// failure was the reason, as far as is known.
    NoReply,
    /// The question was delivered, and the actor failed before it was answered: with this text, in
    /// the handler that had the [`Reply`](crate::Reply), or while it was kept in the state. A
    /// question that waits in the mailbox of an actor that ends for a failure is told
    /// [`NoReply`](Self::NoReply): it was not the reason, and has not been begun.
    Failed(FailureText),
    /// The time given to [`wait_timeout`](crate::Ask::wait_timeout),
    /// [`ask_within`](crate::ActorRef::ask_within) or
    /// [`reply_within`](crate::Context::reply_within) ran out.
    Timeout,
}

impl AskError {
    /// What the actor's failure said, if it failed.
    pub fn failure(&self) -> Option<&str> {
        match self {
            Self::Failed(text) => Some(text),
            _ => None,
        }
    }
}

impl<M> From<SendError<M>> for AskError {
    fn from(error: SendError<M>) -> Self {
        if error.is_full() { Self::Full } else { Self::Stopped }
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stopped => "the actor has stopped",
            Self::Full => "the mailbox is full",
            Self::NoReply => "the reply was dropped unanswered",
            Self::Failed(text) => return write!(f, "the actor failed: {text}"),
            Self::Timeout => "no answer in time",
        })
    }
}

impl Error for AskError {}

/// The time of a [`pipe_within`](crate::Context::pipe_within) was up before its future was
/// complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Elapsed;

impl fmt::Display for Elapsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not complete in time")
    }
}

impl Error for Elapsed {}

/// A theater could not be built.
#[derive(Debug)]
pub struct BuildError(pub(crate) BuildErrorKind);

#[derive(Debug)]
pub(crate) enum BuildErrorKind {
    Config(String),
    Thread(std::io::Error),
}

impl BuildError {
    /// Whether a setting was out of its range (and not the operating system at fault).
    pub fn is_config(&self) -> bool {
        matches!(self.0, BuildErrorKind::Config(_))
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            BuildErrorKind::Config(what) => write!(f, "theater configuration: {what}"),
            BuildErrorKind::Thread(error) => {
                write!(f, "a worker thread could not be started: {error}")
            }
        }
    }
}

impl Error for BuildError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            BuildErrorKind::Config(_) => None,
            BuildErrorKind::Thread(error) => Some(error),
        }
    }
}

/// The thread of a stage could not be started.
#[derive(Debug)]
pub struct StageError(pub(crate) std::io::Error);

impl StageError {
    pub(crate) fn theater_ended() -> Self {
        Self(std::io::Error::other("the theater has ended"))
    }
}

impl fmt::Display for StageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the stage's thread could not be started: {}", self.0)
    }
}

impl Error for StageError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_cannot_be_started_say_why() {
        let why = || std::io::Error::other("no threads are left");
        assert!(StageError(why()).to_string().ends_with(": no threads are left"));
        assert!(
            BuildError(BuildErrorKind::Thread(why()))
                .to_string()
                .ends_with(": no threads are left")
        );
    }
}
