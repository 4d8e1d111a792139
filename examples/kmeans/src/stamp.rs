//! STAMP's input files: a line for each point, its number first, which nobody needs, then its
//! values, with spaces between.

use super::Points;
use super::range::Range;
use flate2::read::MultiGzDecoder;
use odeon_example_run::RunError;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

/// What is said beside what is wrong.
const EXPECTED: &str =
    "a line has the number of a point and then its values, with spaces between, such as `1 0.5 -2`";

/// So much of a word is said that may be no word at all.
const LONGEST_WORD: usize = 20;

/// How a file in gzip's format begins.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Reads a file, compressed by gzip or not.
///
/// # Errors
/// If it cannot be read, or a line is no point of as many dimensions as the first; the message
/// names the line, and says what it should have. If an `f32` cannot say the squares of distances
/// between its points.
pub fn read(path: &Path) -> Result<Points, RunError> {
    let unread = |error| RunError::file(path, error);
    if path.is_dir() {
        let problem = format!("{}: is a directory, and no file of points", path.display());
        return Err(RunError::bad_argument("--input", problem));
    }
    let mut file = File::open(path).map_err(unread)?;
    let mut begin = Vec::new();
    file.by_ref().take(GZIP.len() as u64).read_to_end(&mut begin).map_err(unread)?;
    file.rewind().map_err(unread)?;
    if begin == GZIP {
        parse(BufReader::new(MultiGzDecoder::new(file)), path)
    } else {
        parse(BufReader::new(file), path)
    }
}

fn parse(mut text: impl BufRead, path: &Path) -> Result<Points, RunError> {
    let (mut values, mut dims, mut number) = (Vec::new(), 0, 0);
    let mut range = Range::default();
    let mut line = Vec::new();
    loop {
        line.clear();
        number += 1;
        let refused = |what: String| {
            let problem = format!("{}, line {number}: {what}: {EXPECTED}", path.display());
            RunError::bad_argument("--input", problem)
        };
        match text.read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if is_of_content(&error) => {
                return Err(refused(format!(
                    "the compressed file is damaged or cut off ({error})"
                )));
            }
            Err(error) => return Err(RunError::file(path, error)),
        }
        let line = std::str::from_utf8(&line).map_err(|_| refused("this is no text".to_owned()))?;
        let mut words = line.split_ascii_whitespace();
        if words.next().is_none() {
            continue;
        }
        let before = values.len();
        for (dim, word) in words.enumerate() {
            let exact = word.parse().ok().filter(|value: &f64| value.is_finite());
            let exact =
                exact.ok_or_else(|| refused(format!("'{}' is no number", beginning(word))))?;
            let value = word.parse().ok().filter(|value: &f32| value.is_finite());
            let too_large = || format!("'{}' is more than an `f32` can say", beginning(word));
            values.push(value.ok_or_else(|| refused(too_large()))?);
            range.add(dim, exact);
        }
        let found = values.len() - before;
        if dims == 0 {
            dims = found;
        }
        if found == 0 {
            return Err(refused("a point without values".to_owned()));
        }
        if found != dims {
            return Err(refused(format!("{found} values where the first point has {dims}")));
        }
    }
    if values.is_empty() {
        let problem = format!("{}: has no points", path.display());
        return Err(RunError::bad_argument("--input", problem));
    }
    let points = Points::new(dims, values);
    range.check(points.rows()).map_err(|problem| {
        RunError::bad_argument("--input", format!("{}: {problem}", path.display()))
    })?;
    Ok(points)
}

/// Whether reading has failed by what is in the file.
fn is_of_content(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    matches!(error.kind(), InvalidData | InvalidInput | UnexpectedEof)
}

fn beginning(word: &str) -> String {
    match word.char_indices().nth(LONGEST_WORD) {
        Some((end, _)) => format!("{}..", &word[..end]),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write;

    fn parsed(text: &str) -> Result<Points, String> {
        parse(text.as_bytes(), Path::new("points.txt")).map_err(|error| error.to_string())
    }

    #[test]
    fn the_number_of_a_point_is_no_value() {
        let points = parsed("1 0.5 -2\n\n2  3e-1 4 \n").expect("two points");
        assert_eq!(points, Points::new(2, vec![0.5, -2.0, 0.3, 4.0]));
    }

    #[test]
    fn what_is_no_point_is_named() {
        let line = "--input: points.txt, line 2: ";
        let wrong = [
            ("1 0.5 2\n2 x 3\n", format!("{line}'x' is no number: {EXPECTED}")),
            ("1 0.5 2\n2 inf 3\n", format!("{line}'inf' is no number: {EXPECTED}")),
            (
                "1 0.5 2\n2 1e39 3\n",
                format!("{line}'1e39' is more than an `f32` can say: {EXPECTED}"),
            ),
            ("1 0.5 2\n2 1\n", format!("{line}1 values where the first point has 2: {EXPECTED}")),
            ("\n1\n", format!("{line}a point without values: {EXPECTED}")),
            ("", "--input: points.txt: has no points".to_owned()),
        ];
        for (text, problem) in wrong {
            assert_eq!(parsed(text), Err(problem));
        }
    }

    /// Far from each other, and close to each other: all distances would be infinite, or nothing.
    #[test]
    fn points_whose_squared_distances_are_no_f32_are_refused() {
        for (text, squares) in [
            ("1 1e20 2\n2 -1e20 3\n", "are more than an `f32` can say"),
            ("1 1e-23 2e-23\n2 3e-23 3e-23\n", "are less than an `f32` can say exactly"),
            ("1 1e-60\n2 3e-60\n", "are less than an `f32` can say exactly"),
            ("1 3e38\n2 3e38\n", "are more than an `f32` can say"),
        ] {
            let error = parsed(text).expect_err("nobody can cluster them");
            assert!(error.starts_with("--input: points.txt: "), "{error}");
            assert!(error.contains(squares) && error.contains("divide all of them"), "{error}");
        }
        for text in
            ["1 1e18 2\n2 -1e18 3\n", "1 1e-14\n2 3e-14\n", "1 7\n2 7\n", "1 0 1e-60\n2 1 0\n"]
        {
            assert!(parsed(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_file_of_points_is_refused_with_what_is_expected() {
        let path = std::env::temp_dir().join(format!("odeon-no-points-{}", std::process::id()));
        let said = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("there is room");
            let error = read(&path).expect_err("it is no file of points");
            assert!(error.is_bad_argument(), "{error}");
            error.to_string().replace(&path.display().to_string(), "FILE")
        };
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        assert_eq!(said(png), format!("--input: FILE, line 1: this is no text: {EXPECTED}"));
        let long = format!("1 {}", "x".repeat(1_000_000));
        let begins = "'xxxxxxxxxxxxxxxxxxxx..' is no number";
        assert_eq!(said(long.as_bytes()), format!("--input: FILE, line 1: {begins}: {EXPECTED}"));
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        (0..1_000).for_each(|n| writeln!(packed, "{n} 0.{n} 1.{n}").expect("a vector takes it"));
        let packed = packed.finish().expect("a vector takes it");
        for broken in [&packed[..packed.len() / 2], &[&GZIP[..], b"no gzip"].concat()] {
            let said = said(broken);
            let what = ": the compressed file is damaged or cut off (";
            assert!(said.starts_with("--input: FILE, line ") && said.contains(what), "{said}");
            assert!(said.ends_with(EXPECTED), "{said}");
        }
        std::fs::remove_file(&path).expect("it is ours");
        let folder = read(&std::env::temp_dir()).expect_err("it is a directory");
        assert!(folder.is_bad_argument() && folder.to_string().contains("is a directory"));
    }

    #[test]
    fn a_file_may_be_compressed() {
        let path = std::env::temp_dir().join(format!("odeon-points-{}", std::process::id()));
        let text = b"1 0.25 8\n2 1 2\n";
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text).expect("a vector takes it");
        for bytes in [packed.finish().expect("a vector takes it"), text.to_vec()] {
            std::fs::write(&path, bytes).expect("there is room");
            assert_eq!(
                read(&path).expect("it is there"),
                Points::new(2, vec![0.25, 8.0, 1.0, 2.0])
            );
        }
        std::fs::remove_file(&path).expect("it is ours");
        assert!(matches!(read(&path), Err(RunError::File { .. })));
    }
}
