//! The one word that senders and owner of an inbox agree on.
//!
//! | bits   | field    | meaning |
//! |--------|----------|---------|
//! | 63..20 | block    | address of the tail block, divided by 16; 0 while the embedded block is the tail |
//! | 19     | heap     | the tail block is on the heap, not the embedded one |
//! | 18     | unused   | keeps an overflow of `claimed` away from the flag |
//! | 17..0  | claimed  | slots of the tail block handed out so far; beyond its size while one sender installs the next block; plus 2^15 under pressure; from 2^16 on: closed |
//!
//! A sender adds one to `claimed` and learns from the old word, in the same instruction, which
//! slot is its own, in which block, whether the inbox is closed, and whether the owner sleeps.
//! Pressure and closing are added to `claimed` itself: they make it larger than any block, so that
//! senders notice both by the one comparison that they make anyway, and look closer only then.
//!
//! The owner sleeps exactly when the word is [`TailWord::IDLE`] or [`TailWord::IDLE_PRESSED`]: the
//! embedded block, nothing claimed. Only the owner's step to idle ever writes these values, so of
//! all senders exactly the one that saw one of them must wake the owner.

/// Added by a sender to claim one slot.
pub(crate) const CLAIM: u64 = 1;

/// Added by the owner to close the inbox: makes `claimed` larger than any block, so that senders
/// notice by the comparison that they make anyway.
pub(crate) const CLOSE: u64 = 1 << 16;

/// Set in `claimed` while senders are to hold back.
pub(crate) const PRESSED: u64 = 1 << 15;

const COUNT_MASK: u64 = PRESSED - 1;
const CLAIMED_BITS: u32 = 18;
const CLAIMED_MASK: u64 = (1 << CLAIMED_BITS) - 1;
const HEAP: u64 = 1 << 19;
const BLOCK_SHIFT: u32 = 20;
/// Block addresses are divisible by 2^4 ...
const ADDRESS_ALIGN_BITS: u32 = 4;
/// ... and below 2^48, as all user-space addresses are unless a program asks for more.
const ADDRESS_LIMIT: u64 = 1 << 48;

/// Sends to a closed inbox count up; from here the counter is set back.
const CLOSED_RESET_AT: u64 = 1 << 17;
/// More senders than this waiting at one block's end could count up to "under pressure".
const CLAIM_LIMIT: u64 = PRESSED - (1 << 12);

/// A value of the tail word; see the module's table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TailWord(pub(crate) u64);

impl TailWord {
    /// Embedded block, nothing claimed: the owner sleeps.
    pub(crate) const IDLE: TailWord = TailWord(0);
    /// As `IDLE`, under pressure.
    pub(crate) const IDLE_PRESSED: TailWord = TailWord(PRESSED);
    /// No message is accepted any more.
    pub(crate) const CLOSED: TailWord = TailWord(CLOSE);

    /// The embedded block with `claimed` slots handed out.
    pub(crate) fn embedded(claimed: usize) -> Self {
        Self(claimed as u64)
    }

    /// A heap block with `claimed` slots handed out.
    pub(crate) fn heap(block: *mut (), claimed: usize) -> Self {
        let address = block.expose_provenance() as u64;
        assert!(
            address < ADDRESS_LIMIT && address.trailing_zeros() >= ADDRESS_ALIGN_BITS,
            "block address {address:#x} does not fit the tail word (below 2^48, divisible by 16)"
        );
        Self((address >> ADDRESS_ALIGN_BITS) << BLOCK_SHIFT | HEAP | claimed as u64)
    }

    /// Slots handed out, or more than any block has: under pressure, or closed.
    #[inline(always)]
    pub(crate) fn claimed(self) -> usize {
        (self.0 & CLAIMED_MASK) as usize
    }

    /// Slots handed out, pressure and closing left aside.
    pub(crate) fn count(self) -> usize {
        (self.0 & COUNT_MASK) as usize
    }

    pub(crate) fn is_pressed(self) -> bool {
        self.0 & PRESSED != 0 && !self.is_closed()
    }

    /// The same word with or without pressure.
    pub(crate) fn with_pressure(self, on: bool) -> Self {
        Self(if on { self.0 | PRESSED } else { self.0 & !PRESSED })
    }

    #[inline(always)]
    pub(crate) fn is_heap(self) -> bool {
        self.0 & HEAP != 0
    }

    #[inline(always)]
    pub(crate) fn is_closed(self) -> bool {
        self.0 & CLAIMED_MASK >= CLOSE
    }

    #[inline(always)]
    pub(crate) fn is_idle(self) -> bool {
        self == Self::IDLE
    }

    /// The heap block. Meaningful only if [`is_heap`](Self::is_heap).
    #[inline(always)]
    pub(crate) fn block(self) -> *mut () {
        std::ptr::with_exposed_provenance_mut(
            ((self.0 >> BLOCK_SHIFT) << ADDRESS_ALIGN_BITS) as usize,
        )
    }

    /// Whether the count of sends to a closed inbox should be set back to keep clear of the flags.
    pub(crate) fn closed_needs_reset(self) -> bool {
        self.0 & CLAIMED_MASK >= CLOSED_RESET_AT
    }

    /// Ends the process if so many senders wait at one block's end that they could count up to
    /// "under pressure" (more than 28,000 threads inside one `send`).
    pub(crate) fn check_claim_limit(self) {
        if self.0 & COUNT_MASK > CLAIM_LIMIT {
            eprintln!("odeon: more threads than an inbox can count are sending to one actor");
            std::process::abort();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_touch_each_other() {
        let block = (0x7fff_ffff_fff0_u64 as usize) as *mut ();
        let word = TailWord::heap(block, 31);
        assert_eq!(word.block() as usize, block as usize);
        assert_eq!(word.claimed(), 31);
        assert!(word.is_heap() && !word.is_closed() && !word.is_idle());
        let next = TailWord(word.0 + CLAIM);
        assert_eq!((next.claimed(), next.block()), (32, word.block()));
    }

    #[test]
    fn only_the_untouched_embedded_block_is_idle() {
        assert!(TailWord::IDLE.is_idle());
        assert!(!TailWord::embedded(1).is_idle());
        assert!(!TailWord::CLOSED.is_idle());
        assert!(TailWord::CLOSED.is_closed() && !TailWord::CLOSED.is_heap());
    }

    #[test]
    fn pressure_hides_the_count_from_the_fast_path_only() {
        let word = TailWord::heap((1_usize << 12) as *mut (), 5).with_pressure(true);
        assert!(word.is_pressed() && word.is_heap() && !word.is_closed());
        assert!(word.claimed() > 1_000);
        assert_eq!(word.count(), 5);
        assert_eq!(TailWord(word.0 + CLAIM).count(), 6);
        assert_eq!(word.with_pressure(false).claimed(), 5);
        assert!(!TailWord(word.0 + CLOSE).is_pressed());
    }

    #[test]
    fn a_closed_word_is_set_back_long_before_it_reaches_the_flags() {
        let word = TailWord(CLOSED_RESET_AT);
        assert!(word.closed_needs_reset() && word.is_closed());
        assert!(!TailWord::CLOSED.closed_needs_reset());
    }

    #[test]
    #[should_panic(expected = "does not fit the tail word")]
    fn an_address_beyond_48_bits_is_refused() {
        TailWord::heap((1_usize << 50) as *mut (), 0);
    }
}
