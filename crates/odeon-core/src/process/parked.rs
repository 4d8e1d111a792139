//! An actor that waits outside of any queue.

use crate::process::erased_weak_ref::ErasedWeakRef;
use crate::process::submit::Origin;
use crate::process::task::Task;

/// The right to run an actor that waits for something: the end of a pause, or room at a receiver.
/// Whatever becomes of this value, the actor gets its turn: dropping it submits the actor. A
/// theater with parked actors has something to do.
pub(crate) struct Parked {
    task: Option<Task>,
    /// Keeps the cell of an actor that its theater has ended where it was parked.
    _actor: ErasedWeakRef,
}

impl Parked {
    pub(crate) fn new(task: Task) -> Self {
        task.stage().theater().actor_parked();
        let actor = task.erased();
        Self { task: Some(task), _actor: actor }
    }
}

impl Drop for Parked {
    fn drop(&mut self) {
        if let Some(task) = self.task.take() {
            let stage = task.stage();
            stage.submit(task, Origin::Message);
            // Afterwards: until then nobody may find the theater quiet.
            stage.theater().actor_unparked();
        }
    }
}
