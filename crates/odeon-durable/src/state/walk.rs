//! Ways through the tree of a state: to all of its leaves, and to the one of a name.

use crate::state::error::{NameProblem, UnknownName};
use crate::state::node::{Branch, Children, FieldTable, Node};
use crate::state::path::StatePath;
use odeon_stm::journal::Journaled;
use std::fmt;

/// All variables below a node, each with its name, in the order of fields and places; see
/// [`Node::walk`].
pub struct Walk<'s> {
    /// The node, if that is a variable itself.
    alone: Option<&'s dyn Journaled>,
    levels: Vec<Level<'s>>,
    /// Of what comes last; a number for each of the levels.
    name: Vec<u32>,
}

/// A branch on the way to where a walk is.
struct Level<'s> {
    branch: &'s dyn Branch,
    /// The index of the child that comes next.
    next: usize,
}

impl<'s> Walk<'s> {
    pub(crate) fn new(root: Node<'s>) -> Self {
        let mut walk = Self { alone: None, levels: Vec::new(), name: Vec::new() };
        match root {
            Node::Variable(variable) => walk.alone = Some(variable),
            Node::Branch(branch) => walk.descend(branch),
        }
        walk
    }

    /// The variable that comes next, and its name, which is valid until the call after; nothing at
    /// the end.
    ///
    /// # Panics
    /// If an array has more places than a `u32` counts.
    pub fn next_variable(&mut self) -> Option<(&[u32], &'s dyn Journaled)> {
        if let Some(alone) = self.alone.take() {
            return Some((&[], alone));
        }
        loop {
            let Level { branch, next } = self.levels.last_mut()?;
            let branch = *branch;
            let Some(number) = branch.children().number(*next) else {
                self.levels.pop();
                self.name.pop();
                continue;
            };
            *next += 1;
            *self.name.last_mut().expect("a number for each level") = number;
            match branch.child(number) {
                Some(Node::Variable(variable)) => return Some((&self.name, variable)),
                Some(Node::Branch(below)) => self.descend(below),
                None => {}
            }
        }
    }

    fn descend(&mut self, branch: &'s dyn Branch) {
        self.levels.push(Level { branch, next: 0 });
        self.name.push(0);
    }
}

impl fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Walk").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The variable of a name.
#[inline]
pub(crate) fn find<'s>(root: Node<'s>, name: &[u32]) -> Result<&'s dyn Journaled, Lost<'s>> {
    let mut node = root;
    for (depth, &number) in name.iter().enumerate() {
        let Node::Branch(branch) = node else { return Err(Lost::BehindVariable) };
        let Some(child) = branch.child(number) else {
            return Err(Lost::NoChild { depth, branch, number });
        };
        node = child;
    }
    match node {
        Node::Variable(variable) => Ok(variable),
        Node::Branch(branch) => Err(Lost::AtBranch(branch)),
    }
}

/// Where a name leads to no variable.
#[derive(Clone, Copy)]
pub(crate) enum Lost<'s> {
    /// It goes on where a variable is.
    BehindVariable,
    /// It ends where a variable should be.
    AtBranch(&'s dyn Branch),
    /// Its number at this index is not there.
    NoChild { depth: usize, branch: &'s dyn Branch, number: u32 },
}

impl<'s> Lost<'s> {
    /// Whether it is a field that was removed.
    pub(crate) fn is_removed(self) -> bool {
        let Some((table, number)) = self.missing_field() else { return false };
        table.removed.contains(&number)
    }

    /// The branch that has a field which had this number before, the number, and its index in the
    /// name.
    pub(crate) fn at_former(self) -> Option<(&'s dyn Branch, u32, usize)> {
        let (table, number) = self.missing_field()?;
        let Self::NoChild { depth, branch, .. } = self else { return None };
        let is_former = table.fields.iter().any(|field| field.was == Some(number));
        is_former.then_some((branch, number, depth))
    }

    fn missing_field(self) -> Option<(&'static FieldTable, u32)> {
        let Self::NoChild { branch, number, .. } = self else { return None };
        let Children::Fields(table) = branch.children() else { return None };
        Some((table, number))
    }

    /// `path` is as far as the name leads.
    #[cold]
    pub(crate) fn explain(self, path: StatePath) -> UnknownName {
        let problem = match self {
            Self::BehindVariable => NameProblem::BehindVariable,
            Self::AtBranch(branch) => match branch.children() {
                Children::Nothing => NameProblem::Nothing,
                Children::Fields(_) | Children::Places(_) => NameProblem::NoVariable,
            },
            Self::NoChild { branch, number, .. } => match branch.children() {
                Children::Fields(_) => NameProblem::NoField { number, of: branch.type_name() },
                Children::Places(places) => NameProblem::NoPlace { place: number, places },
                Children::Nothing => NameProblem::Nothing,
            },
        };
        UnknownName { path, problem }
    }
}
