//! Effects that happen exactly once, as fields of a durable state.
//!
//! What survives a crash is the state. So what must not happen twice, nor be lost, is part of it:
//! one commit has what a message has changed, what was answered to its request, what it sends to
//! another durable actor, what it wants to be reminded of, and which delivery it was. These types
//! are made of the transactional ones that are logged anyway: the log knows nothing of them.
//!
//! | file | has |
//! |---|---|
//! | `once/answers.rs` | what was answered to a request with an id |
//! | `once/outgoing.rs` | messages to another actor, until it has confirmed them |
//! | `once/lanes.rs` | which of them are under way, lost, or wait for their turn |
//! | `once/delivery.rs` | such a message on its way, and the news that come back |
//! | `once/incoming.rs` | which of them an actor has handled |
//! | `once/reminders.rs` | timers |
//! | `once/kept.rs` | effects of what is undone within its transaction |

mod answers;
mod delivery;
mod incoming;
mod kept;
mod lanes;
mod outgoing;
mod reminders;

pub use answers::{Answers, Forgotten, RequestId};
pub use delivery::{Delivery, OutgoingEvent};
pub use incoming::Incoming;
pub use outgoing::Outgoing;
pub use reminders::{ReminderDue, Reminders};
