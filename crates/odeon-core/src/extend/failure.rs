//! Errors of handlers, supervision, and who has asked.

use std::any::Any;
use std::error::Error;

use crate::process::unanswered;
use crate::vocabulary::failure_text;
use crate::vocabulary::failure_text::FailureText;

/// Has the actor whose turn it is fail with an error instead of a panic: supervision and observers
/// are told its text and the error ([`Failure::error`](crate::Failure::error)), the panic hook is
/// not.
pub fn fail_with(error: impl Error + Send + Sync + 'static) -> ! {
    failure_text::fail_with(Box::new(error))
}

/// Drops what is left of a message that has failed with `panic`, and of its state: who has asked by
/// a [`Reply`](crate::Reply) in them is told what that said
/// ([`AskError::Failed`](crate::AskError::Failed)). A message that is dropped otherwise, by an
/// actor that another crate processes in its way, tells only that there is no answer.
pub fn drop_failed<R>(panic: &(dyn Any + Send), dropping: impl FnOnce() -> R) -> R {
    unanswered::during(&FailureText::of(panic), dropping)
}

/// The text of what an [`Observer`](crate::Observer) is told of a failure: that of a panic, or of
/// an error.
pub fn text_of(panic: &(dyn Any + Send)) -> Option<&str> {
    failure_text::text_of(panic)
}
