//! What of a piece of work travels.

use odeon_device::DeviceError;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::input::Input;
use crate::shared::Shared;

/// Work that can be done in another process: what goes there, what comes back, and how it is put
/// together again on both sides.
///
/// The type of the work is the same on both sides, and so are the workers that do it. What is small
/// and different for each piece is its [`Request`](Self::Request). What is large and the same for
/// many is an [`Input`](Self::Input), of which only the id travels with each piece: a worker
/// process asks for it once, and keeps it.
///
/// # Examples
///
/// ```
/// use odeon_device::DeviceError;
/// use odeon_rabbitmq::{Portable, Shared};
///
/// /// How many of some numbers are below a limit.
/// struct Below { numbers: Shared<[f32]>, limit: f32, result: usize }
///
/// impl Portable for Below {
///     const KIND: &'static str = "below 1";
///     type Input = [f32];
///     type Request = f32;
///     type Answer = usize;
///     fn inputs(&self) -> Vec<Shared<[f32]>> { vec![self.numbers.clone()] }
///     fn request(&self) -> f32 { self.limit }
///     fn again(limit: f32, mut inputs: Vec<Shared<[f32]>>) -> Result<Self, DeviceError> {
///         let numbers = inputs.pop().ok_or_else(|| DeviceError::Invalid("no numbers".into()))?;
///         Ok(Self { numbers, limit, result: 0 })
///     }
///     fn answer(self) -> usize { self.result }
///     fn accept(&mut self, answer: usize) -> Result<(), DeviceError> {
///         self.result = answer;
///         Ok(())
///     }
/// }
/// ```
pub trait Portable: Send + Sized + 'static {
    /// What kind of work this is, and in which version: requests of another kind are not read.
    const KIND: &'static str;

    /// Large data that pieces have in common: often a slice. `()` if there is none.
    type Input: ?Sized + Input;

    /// What makes this piece different from others with the same inputs.
    type Request: Serialize + DeserializeOwned + Send;

    /// The result.
    type Answer: Serialize + DeserializeOwned + Send;

    /// The inputs of this piece, in an order that [`again`](Self::again) knows.
    fn inputs(&self) -> Vec<Shared<Self::Input>>;

    /// What travels with this piece.
    fn request(&self) -> Self::Request;

    /// The same piece, in the process that is to do it.
    ///
    /// # Errors
    /// If these are no such request and inputs. The client is told; the request is not tried again.
    fn again(request: Self::Request, inputs: Vec<Shared<Self::Input>>)
    -> Result<Self, DeviceError>;

    /// The result of a piece that has been done.
    fn answer(self) -> Self::Answer;

    /// Writes the result into the piece of the client.
    ///
    /// # Errors
    /// If this is no result of this piece.
    fn accept(&mut self, answer: Self::Answer) -> Result<(), DeviceError>;
}
