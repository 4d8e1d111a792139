//! The tree that a state is to a log.

use crate::state::former::Former;
use crate::state::walk::{self, Walk};
use crate::state::{StatePath, UnknownName};
use odeon_stm::journal::{Journal, Journaled};
use odeon_stm::{Rollback, Snapshot};
use std::any;
use std::fmt;

/// A state that can be made again from a log: a tree of numbered fields whose leaves are
/// transactional variables.
///
/// Structs derive it; each field has a number, or says that it is not logged:
///
/// ```
/// use odeon_durable::state::Durable;
/// use odeon_macros::Durable;
/// use odeon_stm::{TCounter, TVar};
///
/// #[derive(Durable)]
/// # #[durable(crate = odeon_durable)]
/// struct Hall {
///     #[durable(1)]
///     name: TVar<String>,
///     #[durable(2)]
///     visits: [TCounter; 2],
///     #[durable(skip)]
///     seats: u32,
/// }
///
/// let hall = Hall {
///     name: TVar::new(String::from("east")),
///     visits: Default::default(),
///     seats: 40,
/// };
/// let mut names = Vec::new();
/// let mut walk = hall.node().walk();
/// while let Some((name, _variable)) = walk.next_variable() {
///     names.push(name.to_vec());
/// }
/// assert_eq!(names, [vec![1], vec![2, 0], vec![2, 1]]);
/// # assert_eq!((hall.seats, hall.name.peek(), hall.visits[0].peek()), (40, String::from("east"), 0));
/// ```
///
/// All variables and collections of `odeon-stm` are durable whose values can be written as bytes.
/// So are vectors, arrays and tuples of up to four durable things. `Box`, `Arc`, `Labelled` and
/// `Option` add nothing to the name of what is in them; an `Option` is some for as long as there is
/// a log, or none. A variable that is reached in two ways cannot be enrolled.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made again from a log",
    label = "neither a variable nor a type that derives `Durable`",
    note = "a `TVar`, a `TCounter`, a `TMap` and so on can, if what is in it implements `Serialize` and \
            `DeserializeOwned`; arrays of these can, and structs with `#[derive(Durable)]`",
    note = "a field that is not to be logged says so: `#[durable(skip)]`"
)]
pub trait Durable: Send + Sync {
    /// What it is in the tree of a state. Its [`Branch`]es stay as they are for as long as there is
    /// a journal of it: arrays do not grow, and nothing moves.
    fn node(&self) -> Node<'_>;
}

/// What has a name in a state.
#[derive(Clone, Copy)]
pub enum Node<'s> {
    /// One variable or collection.
    Variable(&'s dyn Journaled),
    /// More nodes, each with a number.
    Branch(&'s dyn Branch),
}

impl<'s> Node<'s> {
    /// All variables below it, in the order of fields and places.
    pub fn walk(self) -> Walk<'s> {
        Walk::new(self)
    }

    /// The variable of a name. Allocates nothing.
    ///
    /// # Errors
    /// [`UnknownName`] says how far the name leads. This does allocate.
    ///
    /// # Examples
    /// ```
    /// use odeon_durable::state::Durable;
    /// use odeon_stm::TCounter;
    ///
    /// let counters: Vec<TCounter> = (0..10).map(TCounter::new).collect();
    /// assert!(counters.node().variable(&[9]).is_ok());
    /// let unknown = counters.node().variable(&[10]).err().expect("there are ten");
    /// assert!(unknown.to_string().contains("place 10"));
    /// ```
    pub fn variable(self, name: &[u32]) -> Result<&'s dyn Journaled, UnknownName> {
        walk::find(self, name).map_err(|lost| lost.explain(StatePath::of(self, name)))
    }

    /// A journal that knows each variable by its name. The state stays where it is for as long as
    /// the journal is used.
    ///
    /// # Panics
    /// As [`Journal::of`]: at the caller's line if a variable is there twice.
    ///
    /// # Examples
    /// ```
    /// use odeon_durable::state::Durable;
    /// use odeon_stm::TCounter;
    ///
    /// let counters: Vec<TCounter> = (0..10).map(TCounter::new).collect();
    /// let journal = counters.node().journal(); // they are called 0 to 9
    /// # let _ = journal;
    /// ```
    #[track_caller]
    pub fn journal(self) -> Journal {
        Journal::by(|journal| {
            let mut walk = self.walk();
            while let Some((name, variable)) = walk.next_variable() {
                variable.enroll(name, journal);
            }
        })
    }

    /// Tells all that is in the state, as changes that make it again of what a program makes it:
    /// for a snapshot of a log. What `view` sees belongs to one moment.
    ///
    /// # Errors
    /// [`Rollback`] if the view cannot go on; what was told is to be told again.
    pub fn tell<'t>(
        self,
        view: &mut Snapshot<'t>,
        tell: &mut dyn FnMut(&[u32], &[u8]),
    ) -> Result<(), Rollback>
    where
        's: 't,
    {
        let mut walk = self.walk();
        while let Some((name, variable)) = walk.next_variable() {
            variable.tell(view, &mut |change| tell(name, change))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(_) => f.write_str("Variable"),
            Self::Branch(branch) => f.debug_tuple("Branch").field(&branch.type_name()).finish(),
        }
    }
}

/// A node with others below it. [`#[derive(Durable)]`](Durable) makes it; it is also how a
/// container of one's own becomes durable.
///
/// ```
/// use odeon_durable::state::{Branch, Children, Durable, Node};
/// use odeon_stm::TCounter;
///
/// struct Grid {
///     width: usize,
///     counts: Vec<TCounter>,
/// }
///
/// struct Row<'g>(&'g [TCounter]);
/// # impl Grid { fn row(&self, y: usize) -> Row<'_> { Row(&self.counts[y * self.width..][..self.width]) } }
///
/// impl Branch for Grid {
///     fn children(&self) -> Children {
///         Children::Places(self.counts.len())
///     }
///
///     fn child(&self, place: u32) -> Option<Node<'_>> {
///         self.counts.get(place as usize).map(Durable::node)
///     }
/// }
///
/// impl Durable for Grid {
///     fn node(&self) -> Node<'_> {
///         Node::Branch(self)
///     }
/// }
/// # let grid = Grid { width: 2, counts: (0..4).map(TCounter::new).collect() };
/// # assert_eq!(grid.row(1).0[0].peek(), 2);
/// # assert!(grid.node().variable(&[3]).is_ok());
/// ```
pub trait Branch: Send + Sync {
    /// What is below it. Always the same.
    fn children(&self) -> Children;

    /// The node of that number, if [`children`](Self::children) has it.
    fn child(&self, number: u32) -> Option<Node<'_>>;

    /// A new one of what the field was that had this number, if [`FieldTable`] says so.
    fn former(&self, number: u32) -> Option<Box<dyn Former + '_>> {
        let _ = number;
        None
    }

    /// What errors call its type.
    fn type_name(&self) -> &'static str {
        any::type_name::<Self>()
    }
}

/// What is below a [`Branch`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Children {
    /// Fields.
    Fields(&'static FieldTable),
    /// The places 0 to one less than this.
    Places(usize),
    /// Nothing, for it is a `None`.
    Nothing,
}

impl Children {
    /// The number of the child that comes at this index.
    ///
    /// # Panics
    /// If the index is a place, and more than a `u32` counts.
    pub(crate) fn number(self, index: usize) -> Option<u32> {
        match self {
            Self::Fields(table) => table.fields.get(index).map(|field| field.number),
            Self::Places(places) if index < places => {
                Some(u32::try_from(index).expect("the places of a durable array fit a u32"))
            }
            Self::Places(_) | Self::Nothing => None,
        }
    }
}

/// The fields of a struct with [`#[derive(Durable)]`](Durable).
#[derive(PartialEq, Eq, Debug)]
pub struct FieldTable {
    /// Those with a number.
    pub fields: &'static [DurableField],
    /// The numbers of fields that a log may have and the struct has no more.
    pub removed: &'static [u32],
}

impl FieldTable {
    /// The number that the field of this number had when it was of another type.
    pub(crate) fn was(&self, number: u32) -> Option<u32> {
        self.fields.iter().find(|field| field.number == number)?.was
    }
}

/// A field with a number.
#[derive(PartialEq, Eq, Debug)]
pub struct DurableField {
    /// Its number.
    pub number: u32,
    /// Its name in the program, for errors.
    pub name: &'static str,
    /// The number that it had when it was of another type.
    pub was: Option<u32>,
}
