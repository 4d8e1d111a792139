//! Files that were changed at random, in any way: whoever reads them gets what was written, or is
//! told; nothing panics and nothing hangs.

use crate::composed::files;
use crate::made::{EPOCHS, Files, SNAPSHOT, chunks, log, look, records, recover};
use odeon_core::Random;
use odeon_testkit::for_seeds;

#[test]
fn files_that_were_changed_at_random_are_read_without_a_panic() {
    let whole = log();
    for_seeds(5_000, |seed| {
        let mut random = Random::from_seed(seed);
        let mut files = whole.clone();
        for _ in 0..1 + random.below(3) {
            change(&mut files, &mut random);
        }
        let read = recover(&files);
        // No checksum is that of something else, and no epoch is another one.
        let first = read.epochs.keys().next().copied().unwrap_or(SNAPSHOT + 1);
        for ((epoch, found), expected) in read.epochs.iter().zip(first..=EPOCHS) {
            assert_eq!((*epoch, found), (expected, &records(expected)));
        }
        assert!(read.epochs.keys().all(|epoch| *epoch <= EPOCHS));
        if !read.chunks.is_empty() && read.goes_on {
            assert_eq!(read.chunks, chunks());
        }
        let found = look(&files);
        assert!(found.epochs.iter().all(|(&epoch, found)| *found == records(epoch)));
        assert_eq!(found.damage.is_empty(), read.damage.is_empty());
    });
}

/// All that is read has a right checksum, and is no log for it.
#[test]
fn files_of_any_parts_are_read_without_a_panic() {
    for_seeds(10_000, |seed| {
        let mut random = Random::from_seed(seed);
        let calm = random.below(4);
        // The more of it is zero, the more is whole.
        let plan =
            (0..200).map(|_| if random.below(4) < calm { 0 } else { random.next_u64() as u8 });
        let files = files(&plan.collect::<Vec<_>>());
        let (read, found) = (recover(&files), look(&files));
        let numbers: Vec<_> = read.epochs.keys().copied().collect();
        assert!(numbers.windows(2).all(|two| two[0] + 1 == two[1]), "{numbers:?}");
        assert_eq!(found.damage.is_empty(), read.damage.is_empty());
    });
}

fn change(files: &mut Files, random: &mut Random) {
    let names: Vec<_> = files.keys().cloned().collect();
    let Some(name) = names.get(random.below(names.len().max(1))) else { return };
    let other = files[&names[random.below(names.len())]].clone();
    let bytes = files.get_mut(name).expect("it is there");
    let at = random.below(bytes.len() + 1);
    let end = at + random.below(bytes.len() + 1 - at).min([4, 40, 600][random.below(3)]);
    match random.below(10) {
        0 => bytes[at..end].fill_with(|| random.next_u64() as u8),
        1 => bytes[at..end].fill(0),
        2 => bytes[at..end].fill(0xFF),
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..end)),
        5 => {
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len() + 1);
            bytes.splice(to..to, copy);
        }
        6 => bytes.extend((0..random.below(600)).map(|_| random.next_u64() as u8)),
        7 => *bytes = other,
        8 => {
            files.remove(name);
        }
        _ => {
            // As another file, which may be there.
            let bytes = files.remove(name).expect("it is there");
            let number = random.below(25);
            let kind = if random.below(3) == 0 { "snapshot" } else { "segment" };
            files.insert(format!("{number:020}.{kind}"), bytes);
        }
    }
}
