//! Variables and collections: the leaves of a state.

use crate::state::node::{Durable, Node};
use odeon_stm::journal::Journaled;
use odeon_stm::{
    Labelled, TCounter, TList, TMap, TMax, TMin, TOrdMap, TQueue, TSet, TVar, TVec, TWord,
    Variable, Word,
};

macro_rules! leaf {
    ([$($parameter:tt)*] $variable:ty) => {
        impl<$($parameter)*> Durable for $variable
        where
            $variable: Journaled,
        {
            #[inline]
            fn node(&self) -> Node<'_> {
                Node::Variable(self)
            }
        }
    };
}

leaf!([T: Send + Sync + 'static] TVar<T>);
leaf!([T: Word] TWord<T>);
leaf!([] TCounter);
leaf!([] TMax);
leaf!([] TMin);
leaf!([K: Send + Sync + 'static, V: Send + Sync + 'static, S] TMap<K, V, S>);
leaf!([K: Send + Sync + 'static, V: Send + Sync + 'static] TOrdMap<K, V>);
leaf!([T: Send + Sync + 'static] TList<T>);
leaf!([T: Send + Sync + 'static] TVec<T>);
leaf!([T: Send + Sync + 'static] TQueue<T>);
leaf!([T: Send + Sync + 'static, S] TSet<T, S>);

impl<V: Variable + Durable> Durable for Labelled<V> {
    #[inline]
    fn node(&self) -> Node<'_> {
        (**self).node()
    }
}
