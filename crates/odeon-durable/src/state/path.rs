//! What errors call a place in a state.

use crate::state::node::{Children, Node};
use std::fmt::{self, Write};

/// A place in a state, as the program and as the log calls it: `` `accounts[5].balance` (1.5.2) ``.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatePath {
    /// The names of fields and the places, as far as the name leads in this program. Empty for the
    /// state itself.
    pub text: String,
    /// The whole name.
    pub name: Vec<u32>,
}

impl StatePath {
    /// The path of a name below a node.
    #[cold]
    pub(crate) fn of(root: Node<'_>, name: &[u32]) -> Self {
        let mut text = String::new();
        let mut node = Some(root);
        for &number in name {
            let Some(Node::Branch(branch)) = node else { break };
            node = branch.child(number);
            match branch.children() {
                Children::Fields(table) => {
                    let field = table
                        .fields
                        .iter()
                        .find(|field| field.number == number || field.was == Some(number));
                    let Some(field) = field else { break };
                    let dot = if text.is_empty() { "" } else { "." };
                    text.extend([dot, field.name]);
                }
                Children::Places(_) if node.is_some() => {
                    write!(text, "[{number}]").expect("a string takes all");
                }
                Children::Places(_) | Children::Nothing => break,
            }
        }
        Self { text, name: name.to_vec() }
    }
}

impl fmt::Display for StatePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.text {
            "" => f.write_str("the state")?,
            text => write!(f, "`{text}`")?,
        }
        for (index, number) in self.name.iter().enumerate() {
            write!(f, "{}{number}", if index == 0 { " (" } else { "." })?;
        }
        f.write_str(if self.name.is_empty() { "" } else { ")" })
    }
}
