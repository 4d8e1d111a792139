//! Coordinated transactions that actors of several theaters take part in: handled wholly or not at
//! all, whatever the network loses and whichever theater dies.
//!
//! `theater.coordinate` is what it is in one theater; the references in it may lead to others. In
//! each theater the transaction has a *part*, a coordinated transaction of its own
//! (`odeon-speculative`: `coordination/part.rs`), which is prepared and then committed or rolled
//! back as the *leader* decides, the theater where the transaction began. Nobody blocks meanwhile.
//!
//! Speculative actors may also move from theater to theater ([`MobileSpeculative`]).
//!
//! | question | file |
//! |---|---|
//! | what a user calls | `joining.rs` |
//! | how does a transaction begin, what goes with its messages? | `agent/abroad.rs`, `id.rs` |
//! | what becomes of messages that come? | `agent/parts.rs` |
//! | what is an agent, what do agents tell each other, how do they find each other? | `agent.rs`, `agent/{tell,peers}.rs` |
//! | what does the leader do? | `agent/leading.rs`, `agent/leading/superseded.rs` |
//! | what if handlers join messages to actors of other theaters? | `agent/parts.rs`, `agent/leading/joined.rs` |
//! | what does the theater of a part do? | `agent/following.rs` |
//! | who stands back for whom? | `urgency.rs` |
//! | what if the leader is lost? | `agent/ending.rs` |
//! | what is remembered, and until when? | `agent/records.rs` |
//! | how do speculative actors move? | `mobile.rs`, `mobile/guest.rs` |
//!
//! PROTOCOL
//! 1. *Gather.* First messages go to their actors as messages do, each with the identity of the
//!    transaction. A part says that it is ready when all of its have arrived; it holds nothing.
//!    When all parts are ready the leader has them run.
//! 2. *Prepare.* A part calls its handlers, protects what they have read and written, and says so.
//!    While it may hold something it waits for nobody's outcome: it gives way, and the leader has
//!    all parts roll back, so that nobody holds and waits. It is ready again when what it has met
//!    is over; then there is another round. Handlers may *join* messages to actors of other
//!    theaters. They come in a round as first messages come before it; a theater that has no part
//!    gets one by that, and is told to run. A part that is handed such a message has to be prepared
//!    once more. It says how many it has handled, and to whom it has sent how many: only if these
//!    numbers agree are all prepared. Who has sent or handled any gives way instead of beginning
//!    anew by itself, so that all that was joined in a round is void when that is.
//! 3. *Stand back.* After four such rounds the transaction is urgent: where it is, no other one
//!    begins to run. The oldest urgent one goes first, everywhere.
//! 4. *Pre-commit.* When all are prepared in one round, all are told that, and who all are. From
//!    here on nothing but the death of all who know it keeps the transaction from its commit.
//! 5. *Commit.* When all theaters that live have acknowledged that, the leader has them commit.
//!    When all have, it answers; so whoever knows the outcome finds it everywhere.
//! 6. *Abort.* Until 4, a part that fails, a theater that dies, or the deadline ends the
//!    transaction. Nobody keeps a record of that: who knows nothing has not committed and never
//!    will.
//! 7. *Without a leader.* A part that is prepared when its leader is lost asks all others that it
//!    knows, and those that they know, and does as `agent/ending.rs` says. Who has answered such a
//!    question obeys the leader no more before 5: the leader, if it is there, hears so and asks
//!    like the others.
//! 8. *Forget.* Who has committed remembers it until the leader says that all have; if that is
//!    lost, until the others have said so themselves, or are lost.
#![forbid(unsafe_code)]

// What tests of this crate share lies beside it, and names it.
#[cfg(test)]
extern crate self as odeon_coordination;

mod agent;
mod id;
mod joining;
mod mobile;
mod sizes;
mod urgency;

pub use joining::Coordination;
pub use mobile::MobileSpeculative;
