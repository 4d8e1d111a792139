//! How handlers end.

use odeon_stm::Abort;
use std::error::Error;

/// Why a handler gives its message up: any error, or a text.
pub type HandlerError = Box<dyn Error + Send + Sync>;

/// What a handler answers: `Ok` commits; a [`Rollback`](odeon_stm::Rollback), passed on with `?`,
/// has the message handled again; [`fail`] gives it up.
pub type TxResult<T = ()> = Result<T, Abort<HandlerError>>;

/// Gives the message up: all that the handler did vanishes, and the actor's supervision decides how
/// it goes on.
///
/// # Errors
/// Always.
///
/// ```
/// use odeon_speculative::{TxResult, fail};
///
/// fn withdraw(balance: u64, amount: u64) -> TxResult<u64> {
///     balance.checked_sub(amount).map_or_else(|| fail("not covered"), Ok)
/// }
/// assert!(withdraw(3, 5).is_err());
/// ```
pub fn fail<T>(why: impl Into<HandlerError>) -> TxResult<T> {
    Err(Abort::Failed(why.into()))
}
