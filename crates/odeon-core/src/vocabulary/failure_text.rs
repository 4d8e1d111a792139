//! What a failure said, to be handed to everybody whom it concerns.

use std::any::Any;
use std::error::Error;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::vocabulary::actor_id::ActorId;

/// What an actor's failure said: the text of its panic, or of the error that it failed with.
///
/// Cheap to clone, and one word long, so that errors and messages with it stay small. It is read as
/// a `&str`.
///
/// ```
/// # use odeon_core::*;
/// let error = AskError::Failed(FailureText::from("not covered"));
/// assert_eq!(error.failure(), Some("not covered"));
/// assert_eq!(error.to_string(), "the actor failed: not covered");
/// ```
// Two steps to the text: an `Arc<str>` would be two words.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct FailureText(Arc<Box<str>>);

/// For panics whose payload is no text.
pub(crate) const NO_TEXT: &str = "a panic without a text";

impl FailureText {
    pub(crate) fn of(panic: &(dyn Any + Send)) -> Self {
        Self::from(text_of(panic).unwrap_or(NO_TEXT))
    }
}

impl From<&str> for FailureText {
    fn from(text: &str) -> Self {
        Self(Arc::new(text.into()))
    }
}

impl From<String> for FailureText {
    fn from(text: String) -> Self {
        Self(Arc::new(text.into()))
    }
}

impl Deref for FailureText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for FailureText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl fmt::Display for FailureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl fmt::Debug for FailureText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// The panic payload of an actor that fails because another one has.
#[derive(Debug, Clone)]
pub(crate) struct Escalated {
    pub(crate) from: ActorId,
    pub(crate) text: Arc<str>,
}

/// The payload of an actor that fails with an error.
pub(crate) struct Erred {
    pub(crate) text: String,
    pub(crate) error: Box<dyn Error + Send + Sync>,
}

/// Has the actor whose turn it is fail with an error: as by a panic, which is told to supervision
/// and observers and not to the panic hook.
pub(crate) fn fail_with(error: Box<dyn Error + Send + Sync>) -> ! {
    std::panic::resume_unwind(Box::new(Erred { text: error.to_string(), error }))
}

/// The text that `panic!` was given, or of an error.
pub(crate) fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    panic
        .downcast_ref::<&'static str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .or_else(|| panic.downcast_ref::<Escalated>().map(|escalated| &*escalated.text))
        .or_else(|| panic.downcast_ref::<Erred>().map(|erred| &*erred.text))
}
