//! What rooms above keep with an actor or a theater, one value of a type: whoever holds it knows
//! nothing of it.
//!
//! A list that only grows, so that it is read without a lock. What is attached first is found
//! first; there are few.

use std::any::{Any, TypeId};
use std::sync::OnceLock;

/// See the module.
#[derive(Default)]
pub(crate) struct Attachments(OnceLock<Box<Attachment>>);

struct Attachment {
    of_type: TypeId,
    value: Box<dyn Any + Send + Sync>,
    next: Attachments,
}

impl Attachments {
    /// The value of this type, if there is one.
    pub(crate) fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        let mut next = self.0.get();
        while let Some(attachment) = next {
            if attachment.of_type == TypeId::of::<T>() {
                return attachment.value.downcast_ref();
            }
            next = attachment.next.0.get();
        }
        None
    }

    /// The value of this type: the one that is there, or what `make` makes. Two threads that come
    /// at once get the same one, and what the other has made is dropped.
    pub(crate) fn get_or_attach<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> &T {
        if let Some(there) = self.get() {
            return there;
        }
        let mut new = Some(Box::new(Attachment {
            of_type: TypeId::of::<T>(),
            value: Box::new(make()),
            next: Self::default(),
        }));
        let mut place = self;
        loop {
            let there = place.0.get_or_init(|| new.take().expect("attached once"));
            if let Some(value) = there.value.downcast_ref() {
                return value;
            }
            place = &there.next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::thread;

    #[test]
    fn one_value_of_each_type_is_kept_and_the_first_counts() {
        let attachments = Attachments::default();
        assert_eq!(attachments.get::<u32>(), None);
        assert_eq!(*attachments.get_or_attach(|| 1_u32), 1);
        assert_eq!(*attachments.get_or_attach(|| "two"), "two");
        assert_eq!(*attachments.get_or_attach(|| 3_u32), 1);
        assert_eq!(attachments.get::<&str>(), Some(&"two"));
    }

    #[test]
    fn threads_that_come_at_once_get_the_same_value() {
        let (attachments, barrier) = (Attachments::default(), Barrier::new(4));
        let values: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4_u64)
                .map(|n| {
                    let (attachments, barrier) = (&attachments, &barrier);
                    scope.spawn(move || {
                        barrier.wait();
                        if n % 2 == 0 {
                            attachments.get_or_attach(|| "of another type");
                        }
                        *attachments.get_or_attach(|| n)
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert!(values.iter().all(|value| *value == values[0]), "{values:?}");
    }
}
