//! Lanes of one sender in several mailboxes.

use std::collections::HashSet;

use super::*;
use crate::mailbox::MAX_MAILBOXES;

#[test]
fn each_mailbox_of_a_sender_has_a_lane_of_its_own() {
    let senders: HashSet<_> = (0..1000).map(Lane::of_number).collect();
    let in_mailboxes =
        |lane: Lane| (0..MAX_MAILBOXES).map(move |mailbox| (mailbox, lane.in_mailbox(mailbox)));
    let lanes: HashSet<_> = senders.iter().flat_map(|lane| in_mailboxes(*lane)).collect();
    let different: HashSet<_> = lanes.iter().map(|(_, lane)| lane).collect();
    assert_eq!(different.len(), senders.len() * MAX_MAILBOXES);
    assert!(lanes.iter().all(|(mailbox, lane)| lane.mailbox() == *mailbox));
    assert!(senders.iter().all(|lane| lane.in_mailbox(0) == *lane));
    for (sender, (_, lane)) in
        senders.iter().flat_map(|lane| in_mailboxes(*lane).map(|it| (*lane, it)))
    {
        assert_eq!(lane.of_its_sender(), sender);
        assert_eq!(Lane::of_known(lane.of_its_sender().number()), None, "it is of this theater");
    }
    assert_eq!(Lane::of_known(2).or(Lane::of_known(1 << 24 | 3)), None);
    assert_eq!(Lane::of_known(7).map(Lane::number), Some(7));
}

#[test]
fn what_tables_go_by_differs_between_the_mailboxes_of_a_sender() {
    let lane = Lane::of_number(7);
    let upper: HashSet<_> =
        (0..MAX_MAILBOXES).map(|mailbox| lane.in_mailbox(mailbox).number() >> 16 & 0xFF).collect();
    assert_eq!(upper.len(), MAX_MAILBOXES);
}
