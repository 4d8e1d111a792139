//! What sibling crates keep for each theater: one value of a type of theirs, made when it is first asked for.

use std::any::Any;
use std::sync::Arc;

use odeon_sync::Mutex;

/// See the module.
#[derive(Default)]
pub(crate) struct Belongings(Mutex<Vec<Box<dyn Any + Send + Sync>>>);

impl Belongings {
    /// The theater's value of this type.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut all = self.0.lock().expect("a default is made without a panic");
        let known = all.iter().find_map(|one| one.downcast_ref::<Arc<T>>());
        if let Some(known) = known {
            return known.clone();
        }
        let new = Arc::<T>::default();
        all.push(Box::new(new.clone()));
        new
    }
}
