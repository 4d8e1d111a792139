//! The colours of `chameneos`.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    Blue,
    Red,
    Yellow,
}

impl Colour {
    /// The colour of the creature with this index at the start.
    pub fn of_creature(index: usize) -> Self {
        [Self::Blue, Self::Red, Self::Yellow][index % 3]
    }

    /// What both creatures of a meeting become: the same if they agree, else the third colour.
    pub fn complement(self, other: Self) -> Self {
        match (self, other) {
            (Self::Blue, Self::Blue) | (Self::Red, Self::Yellow) | (Self::Yellow, Self::Red) => {
                Self::Blue
            }
            (Self::Red, Self::Red) | (Self::Blue, Self::Yellow) | (Self::Yellow, Self::Blue) => {
                Self::Red
            }
            (Self::Yellow, Self::Yellow) | (Self::Blue, Self::Red) | (Self::Red, Self::Blue) => {
                Self::Yellow
            }
        }
    }
}
