//! Which of the packets that come sealed are new. Others can be repeated by somebody who does not
//! know the secret, and are no sign of life.

/// Counts of sealed packets, of both directions of a link. Without a secret all packets are new.
#[derive(Debug, Default)]
pub(super) struct Seals {
    sent: u64,
    /// The greatest one that a new packet had.
    newest: u64,
    /// That of the packet that is being looked at; `None`: it is not sealed.
    present: Option<u64>,
}

impl Seals {
    /// The count of the next packet that is sent: from 1 on.
    pub(super) fn next(&mut self) -> u64 {
        self.sent += 1;
        self.sent
    }

    /// A packet with this count is looked at.
    pub(super) fn opened(&mut self, count: u64) {
        self.present = Some(count);
    }

    /// It is the first one of another link of the other side, which counts anew.
    pub(super) fn of_another_link(&mut self) {
        self.newest = 0;
    }

    /// Whether the packet that is looked at, and is of this link, comes behind all new ones before;
    /// once for each.
    pub(super) fn is_new(&mut self) -> bool {
        match self.present {
            None => true,
            Some(count) if count > self.newest => {
                self.newest = count;
                true
            }
            Some(_) => false,
        }
    }
}
