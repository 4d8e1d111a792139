//! Effects that happen exactly once.

mod answers;
mod bank;
mod crashes;
mod payments;
mod reminders;
mod theaters;
