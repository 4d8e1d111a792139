use super::*;
use odeon_testkit::for_seeds;

fn request() -> WorkRequest {
    WorkRequest {
        kind: "squares 1".to_owned(),
        tries: 2,
        most_tries: 5,
        failure: Some(RemoteFailure::OutOfMemory { asked: 70_000, available: 3 }),
        inputs: vec![ContentId::of(b"one"), ContentId::of(b"two")],
        work: (0..200).collect(),
    }
}

#[test]
fn what_was_written_is_read() {
    let bytes = write(&request()).unwrap();
    assert_eq!(read::<WorkRequest>(&bytes), Ok(request()));
    let replies = [
        Reply::Done(vec![1, 2, 3]),
        Reply::Failed { failure: RemoteFailure::Lost("why".to_owned()), tries: 3 },
        Reply::Missing { inputs: request().inputs, to: "queue".to_owned() },
    ];
    for reply in replies {
        assert_eq!(read::<Reply>(&write(&reply).unwrap()), Ok(reply));
    }
    let part =
        InputPart { input: ContentId::of(b"one"), offset: 7, total: 1 << 40, bytes: &[9; 300] };
    assert_eq!(read::<InputPart<'_>>(&write(&part).unwrap()), Ok(part));
}

#[test]
fn versions_and_strangers_are_told_apart() {
    let mut bytes = write(&request()).unwrap();
    bytes[1] = 9;
    let said = read::<WorkRequest>(&bytes).unwrap_err().to_string();
    assert_eq!(said, "invalid: a message is of version 9, and this is version 1");
    for stranger in [&b""[..], b"{\"hello\":1}", &[MARK]] {
        assert_eq!(
            read::<WorkRequest>(stranger).unwrap_err().to_string(),
            "invalid: a message is not one of Odeon's"
        );
    }
}

/// A small generator: xorshift, from a seed.
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

#[test]
fn bytes_that_were_changed_or_cut_never_panic() {
    let whole = write(&request()).unwrap();
    for_seeds(2_000, |seed| {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut bytes = whole.clone();
        for _ in 0..1 + next(&mut state) % 8 {
            let place = 2 + next(&mut state) as usize % (bytes.len() - 2);
            bytes[place] = next(&mut state) as u8;
        }
        let cut = 2 + next(&mut state) as usize % (bytes.len() - 1);
        let _ = read::<WorkRequest>(&bytes);
        let _ = read::<Reply>(&bytes);
        let _ = read::<InputPart<'_>>(&bytes);
        // The end of the work is missing.
        if cut < whole.len() {
            assert!(read::<WorkRequest>(&whole[..cut]).is_err());
        }
    });
    let mut longer = whole;
    longer.push(0);
    assert!(read::<WorkRequest>(&longer).is_err());
}
