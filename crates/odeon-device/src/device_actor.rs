//! What a user implements: an actor whose work is done by a device.

pub(crate) mod on_device;

use odeon_core::{Access, Context, Message};

use crate::batch::Batch;
use crate::device::Device;
use crate::error::DeviceError;
use on_device::OnDevice;

/// The surroundings of a device actor: those of any actor, with timers, children, watches and all.
pub type DeviceContext<'c, A> = Context<'c, OnDevice<A>>;

/// An actor that has a session with a device, and whose handler is given several messages at once,
/// to be done by one launch.
///
/// Its buffers are fields of it: what is on the device stays there from message to message, and is
/// freed with the actor, however that ends. It has a thread of its own
/// ([`spawn_device`](crate::SpawnOnDevice::spawn_device)), so its handlers may wait for the device.
///
/// # Guarantees
/// One batch at a time; messages of one sender in the order in which they were sent, within a batch
/// and from batch to batch. A message is done when the handler has [taken](Batch::take) it: those
/// that a handler leaves when it fails are handled again after a restart, in their order and before
/// newer ones; if the actor ends instead they are dead letters.
///
/// # Example
/// A running sum that never leaves the device, however many numbers come:
///
/// ```
/// use odeon_core::{Message, Reply, Theater};
/// use odeon_device::*;
///
/// enum Sum { Add(f32), Total(Reply<f32>) }
/// impl Message for Sum {}
///
/// struct Adder { total: HostBuffer }
///
/// impl DeviceActor for Adder {
///     type Msg = Sum;
///     type Device = HostDevice;
///
///     fn handle(
///         &mut self,
///         batch: &mut Batch<'_, Sum>,
///         device: &mut HostDevice,
///         _ctx: &mut DeviceContext<'_, Self>,
///     ) -> Result<(), DeviceError> {
///         // All numbers of the batch go to the device together, and are added by one launch.
///         let numbers: Vec<f32> = batch.messages().iter().filter_map(|message| match message {
///             Sum::Add(number) => Some(*number),
///             Sum::Total(_) => None,
///         }).collect();
///         let numbers = device.upload(bytemuck::cast_slice(&numbers))?;
///         let total = &mut self.total;
///         device.launch(|| total.as_mut_slice::<f32>()[0] += numbers.as_slice::<f32>().iter().sum::<f32>());
///         let mut now = [0.0_f32];
///         device.download(&self.total, bytemuck::cast_slice_mut(&mut now))?;
///         // It is done: only from here on is it not done again after a failure.
///         batch.finish(|message| if let Sum::Total(reply) = message { reply.send(now[0]) });
///         Ok(())
///     }
///
///     /// So that the total is that of the messages before the question.
///     fn is_alone(message: &Sum) -> bool { matches!(message, Sum::Total(_)) }
/// }
///
/// let theater = Theater::new()?;
/// let adder = theater.spawn_device("adder", Batching::new(), || {
///     let mut device = HostDevice::new(1 << 20);
///     Ok((Adder { total: device.upload(&[0; 4])? }, device))
/// })?;
/// for number in 1..=100 {
///     adder.send(Sum::Add(number as f32))?;
/// }
/// assert_eq!(adder.ask(Sum::Total).wait()?, 5050.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait DeviceActor: Send + Sized + 'static {
    /// What this actor can be sent. It has one mailbox.
    type Msg: Message;

    /// Its session with a device.
    type Device: Device;

    /// Handles a batch: launches, and [takes](Batch::take) the messages that are done. Those that
    /// it leaves and that went well so far are the first of the next batch; at least one is taken.
    ///
    /// # Errors
    /// What makes it fail: its supervision decides, and no message is lost that was not taken. An
    /// error that is no reason to be made anew ([`DeviceError::OutOfMemory`], say) is better dealt
    /// with here, by the answer to the messages concerned.
    fn handle(
        &mut self,
        batch: &mut Batch<'_, Self::Msg>,
        device: &mut Self::Device,
        ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError>;

    /// Whether this message is a batch by itself, and does not wait for others. By default those
    /// whose access is [`Exclusive`](Access::Exclusive). Asked more than once for one message.
    fn is_alone(message: &Self::Msg) -> bool {
        message.access() == Access::Exclusive
    }

    /// Runs before the first batch, also if none ever comes, and again for each new session.
    ///
    /// # Errors
    /// What makes the actor fail, as a session that cannot be opened.
    fn started(
        &mut self,
        device: &mut Self::Device,
        ctx: &mut DeviceContext<'_, Self>,
    ) -> Result<(), DeviceError> {
        let _ = (device, ctx);
        Ok(())
    }

    /// Runs after the last batch, before the buffers are freed. Not called after a failure.
    fn stopped(&mut self, device: &mut Self::Device) {
        let _ = device;
    }
}
