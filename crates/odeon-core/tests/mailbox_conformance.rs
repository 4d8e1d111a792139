//! The mailbox suite of the testkit (S2, S4) on the inbox.
#![cfg(not(any(odeon_loom, odeon_shuttle)))]

use odeon_testkit::conformance::inbox::UnboundedInbox;
use odeon_testkit::mailbox_conformance;

mailbox_conformance!(unbounded_inbox, UnboundedInbox);
