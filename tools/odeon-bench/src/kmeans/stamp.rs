//! STAMP's input files: a line for each point, its number first, which nobody needs, then its values, with spaces between.

use super::Points;
use crate::error::BenchError;
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

/// How a file in gzip's format begins.
const GZIP: [u8; 2] = [0x1F, 0x8B];

/// Reads a file, compressed by gzip or not.
///
/// # Errors
/// If it cannot be read, or a line is no point of as many dimensions as the first; the message names the line.
pub fn read(path: &Path) -> Result<Points, BenchError> {
    let unread = |error| BenchError::file(path, error);
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

fn parse(mut text: impl BufRead, path: &Path) -> Result<Points, BenchError> {
    let (mut values, mut dims, mut number) = (Vec::new(), 0, 0);
    let mut line = String::new();
    loop {
        line.clear();
        number += 1;
        if text.read_line(&mut line).map_err(|error| BenchError::file(path, error))? == 0 {
            break;
        }
        let refused = |what: String| {
            let problem = format!("{}, line {number}: {what}", path.display());
            BenchError::bad_argument("--input", problem)
        };
        let mut words = line.split_ascii_whitespace();
        if words.next().is_none() {
            continue;
        }
        let before = values.len();
        for word in words {
            let value = word.parse().ok().filter(|value: &f32| value.is_finite());
            values.push(value.ok_or_else(|| refused(format!("'{word}' is no number")))?);
        }
        let found = values.len() - before;
        if dims == 0 {
            dims = found;
        }
        if found != dims || found == 0 {
            return Err(refused(format!("{found} values where the first point has {dims}")));
        }
    }
    if values.is_empty() {
        let problem = format!("{}: has no points", path.display());
        return Err(BenchError::bad_argument("--input", problem));
    }
    Ok(Points::new(dims, values))
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
            ("1 0.5 2\n2 x 3\n", format!("{line}'x' is no number")),
            ("1 0.5 2\n2 inf 3\n", format!("{line}'inf' is no number")),
            ("1 0.5 2\n2 1\n", format!("{line}1 values where the first point has 2")),
            ("\n1\n", format!("{line}0 values where the first point has 0")),
            ("", "--input: points.txt: has no points".to_owned()),
        ];
        for (text, problem) in wrong {
            assert_eq!(parsed(text), Err(problem));
        }
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
        assert!(matches!(read(&path), Err(BenchError::File { .. })));
    }
}
