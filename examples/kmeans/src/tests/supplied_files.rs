//! The data files that lie beside the repository, where they do: what is read from them, and what
//! comes of it.

use crate::{Centres, Stop, Threads, Tolerance, check, read, sequential};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where a file is; a test that lacks it has said so.
fn supplied(file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("examples/kmeans");
    let path = root.parent()?.join("shared/data").join(file);
    if path.exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {file}: it does not lie in ../shared/data");
    None
}

/// The expected numbers are those of another program, in `f64`: from the first sixteen points,
/// until all points stay.
#[test]
fn the_small_set_of_points_is_clustered_as_by_another_program() {
    let Some(path) = supplied("kmeans-random-n2048-d16-c16.txt.gz") else { return };
    let points = read(&path).expect("it is a file of points");
    assert_eq!((points.rows(), points.dims()), (2048, 16));
    let first = Centres::new(16, points.values(0..16).to_vec());
    let by_threads = Threads::new(2).expect("they start");
    let by_threads = by_threads.cluster(&points, &first, Stop::Changes(0));
    for found in [sequential(&points, &first, Stop::Changes(0)), by_threads] {
        assert_eq!(found.rounds, 8);
        let mut counts = [0; 16];
        found.members.iter().for_each(|member| counts[*member as usize] += 1);
        let expected = [260, 395, 31, 27, 72, 145, 59, 117, 152, 139, 144, 115, 123, 95, 42, 132];
        assert_eq!(counts, expected);
        let squares = |row: usize| -> f64 {
            let centre = found.centres.row(found.members[row] as usize);
            let pairs = points.row(row).iter().zip(centre);
            pairs.map(|(x, y)| f64::from(x - y).powi(2)).sum()
        };
        let sum: f64 = (0..points.rows()).map(squares).sum();
        assert!((sum - 325.168_051).abs() < 1e-2, "{sum}");
    }
}

#[test]
fn the_large_set_of_points_is_read_and_clustered() {
    let Some(path) = supplied("kmeans-random-n16384-d24-c16.txt.gz") else { return };
    let points = read(&path).expect("it is a file of points");
    assert_eq!((points.rows(), points.dims()), (16_384, 24));
    assert_eq!(points.row(0)[..2], [0.632_897_2, 0.083_069_25]);
    let (first, stop) = (Centres::drawn(&points, 16, 7), Stop::Changes(10));
    let found = Threads::new(2).expect("they start").cluster(&points, &first, stop);
    let expected = sequential(&points, &first, stop);
    check(&points, &found, &expected, stop, Tolerance::Cores).expect("they agree");
}
