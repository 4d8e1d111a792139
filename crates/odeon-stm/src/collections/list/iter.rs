//! Lists as iterators.

use super::ListNode;
use crate::attempt::transaction::View;
use crate::collections::counted::NodeLink;
use crate::words::abort::Rollback;
use std::fmt;

/// The keys of a [`TList`](super::TList); see [`TList::iter`](super::TList::iter).
pub struct ListIter<'a, 't, V, K: Send + Sync + 'static> {
    pub(super) view: &'a mut V,
    /// `None` after the end or a rollback.
    pub(super) link: Option<&'t NodeLink<ListNode<K>>>,
}

impl<'t, V: View<'t>, K: Send + Sync + 'static> Iterator for ListIter<'_, 't, V, K> {
    type Item = Result<&'t K, Rollback>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let node = self.link.take()?.get(self.view).transpose()?;
        Some(node.map(|node| {
            self.link = Some(&node.next);
            &node.key
        }))
    }
}

impl<V, K: Send + Sync + 'static> fmt::Debug for ListIter<'_, '_, V, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListIter").finish_non_exhaustive()
    }
}
