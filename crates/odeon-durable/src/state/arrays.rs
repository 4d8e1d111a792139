//! Arrays and tuples, whose places are numbers; and what is around a node without being seen.

use crate::state::node::{Branch, Children, Durable, Node};
use std::sync::Arc;

macro_rules! array {
    ([$($parameter:tt)*] $array:ty) => {
        impl<T: Durable, $($parameter)*> Branch for $array {
            fn children(&self) -> Children {
                Children::Places(self.len())
            }

            #[inline]
            fn child(&self, place: u32) -> Option<Node<'_>> {
                // One that does not fit is behind the end of every array.
                self.get(usize::try_from(place).ok()?).map(T::node)
            }
        }

        impl<T: Durable, $($parameter)*> Durable for $array {
            #[inline]
            fn node(&self) -> Node<'_> {
                Node::Branch(self)
            }
        }
    };
}

array!([] Vec<T>);
array!([] Box<[T]>);
array!([const N: usize] [T; N]);

macro_rules! tuple {
    ($places:literal: $($place:tt $parameter:ident)*) => {
        impl<$($parameter: Durable),*> Branch for ($($parameter,)*) {
            fn children(&self) -> Children {
                Children::Places($places)
            }

            #[inline]
            fn child(&self, place: u32) -> Option<Node<'_>> {
                match place {
                    $($place => Some(self.$place.node()),)*
                    _ => None,
                }
            }
        }

        impl<$($parameter: Durable),*> Durable for ($($parameter,)*) {
            #[inline]
            fn node(&self) -> Node<'_> {
                Node::Branch(self)
            }
        }
    };
}

tuple!(1: 0 A);
tuple!(2: 0 A 1 B);
tuple!(3: 0 A 1 B 2 C);
tuple!(4: 0 A 1 B 2 C 3 D);

macro_rules! transparent {
    ($outside:ty) => {
        impl<T: Durable> Durable for $outside {
            #[inline]
            fn node(&self) -> Node<'_> {
                (**self).node()
            }
        }
    };
}

transparent!(Box<T>);
transparent!(Arc<T>);

impl<T: Durable> Durable for Option<T> {
    #[inline]
    fn node(&self) -> Node<'_> {
        self.as_ref().map_or(Node::Branch(&EmptyOption), T::node)
    }
}

/// What a `None` has in it.
struct EmptyOption;

impl Branch for EmptyOption {
    fn children(&self) -> Children {
        Children::Nothing
    }

    fn child(&self, _number: u32) -> Option<Node<'_>> {
        None
    }
}
