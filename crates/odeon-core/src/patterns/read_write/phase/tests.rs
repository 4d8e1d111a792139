use super::{OwnerLook, Phase, ReadOutcome};

#[test]
fn a_reader_that_begins_before_it_is_entered_leaves_the_same_to_the_others() {
    let phase = Phase::<u32, (), ()>::default();
    let woken = phase.share(0..12, 64, 2, || ());
    assert_eq!(woken.makes, 0..2);
    let mut batch = Vec::new();
    assert!(phase.begin(0, &mut batch).is_some());
    assert_eq!(batch, [0, 1, 2, 3]);
}

#[test]
fn what_is_recalled_comes_back_before_the_owner_is_alone_and_none_of_it_is_begun() {
    let phase = Phase::<u32, (), ()>::default();
    let _ = phase.share(0..8, 3, 1, || ());
    let mut batch = Vec::new();
    assert!(phase.begin(0, &mut batch).is_some());
    assert_eq!(batch, [0, 1, 2]);
    let mut back = Vec::new();
    phase.recall(|read| back.push(read));
    assert_eq!(back, [7, 6, 5, 4, 3]);
    assert!(phase.is_held_up(), "the reader begins neither 1 nor 2");
    assert!(matches!(phase.look(true).0, OwnerLook::Busy), "it still reads 0");
    let finished = phase.finish(&mut vec![1, 2], ReadOutcome::default(), true);
    assert!(!finished.has_next && finished.wakes_owner);
    assert!(matches!(phase.look(true).0, OwnerLook::Recalled(reads) if reads == [1, 2]));
    assert!(!phase.is_held_up());
    let _ = phase.share(10..12, 3, 1, || ());
    assert!(phase.begin(0, &mut batch).is_some(), "all goes on as before");
}
