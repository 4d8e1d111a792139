use super::Phase;

#[test]
fn a_reader_that_begins_before_it_is_entered_leaves_the_same_to_the_others() {
    let phase = Phase::<u32, (), ()>::default();
    let roused = phase.share(0..12, 64, 2, || ());
    assert_eq!(roused.makes, 0..2);
    let mut batch = Vec::new();
    assert!(phase.begin(0, &mut batch).is_some());
    assert_eq!(batch, [0, 1, 2, 3]);
}
