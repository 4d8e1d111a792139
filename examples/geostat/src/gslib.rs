//! Images in the format of GSLIB, as text: a title that begins with the nodes along x, y and z, how
//! many variables there are, the name of each, and then a line for each node, x fastest, or several
//! nodes in a line. Files may be compressed by gzip.

use super::training_image::Field;
use flate2::read::MultiGzDecoder;
use odeon_example_run::RunError;
use std::fmt::Write;
use std::fs;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;
use std::string::FromUtf8Error;

/// The two bytes that gzip begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// How a node without a value is written; however somebody else writes that number, it is read as
/// one.
pub(super) const NO_VALUE: f32 = -9_999_999.0;

/// The most nodes that are read.
const MOST_NODES: usize = 1 << 28;

/// The first variable of a file with one layer.
///
/// # Errors
/// If the file cannot be read, or is not what it should be; the message names the line.
pub fn read(path: &Path) -> Result<Field, RunError> {
    let refused = |source| RunError::file(path, source);
    let text = read_text(path).map_err(refused)?;
    parse(&text).map_err(|problem| refused(Error::new(ErrorKind::InvalidData, problem)))
}

/// Writes an image, uncompressed.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, field: &Field, name: &str) -> Result<(), RunError> {
    fs::write(path, to_text(field, name)).map_err(|source| RunError::file(path, source))
}

/// The text of a file, decompressed if need be. What is no UTF-8 is taken for Latin-1, in which
/// older programs write titles and remarks.
pub(super) fn read_text(path: &Path) -> std::io::Result<String> {
    let mut bytes = fs::read(path)?;
    if bytes.starts_with(&GZIP) {
        let mut unpacked = Vec::new();
        MultiGzDecoder::new(&bytes[..]).read_to_end(&mut unpacked)?;
        bytes = unpacked;
    }
    let latin_1 = |error: FromUtf8Error| error.into_bytes().into_iter().map(char::from).collect();
    Ok(String::from_utf8(bytes).unwrap_or_else(latin_1))
}

fn to_text(field: &Field, name: &str) -> String {
    let mut text = format!("{} {} 1\n1\n{name}\n", field.width(), field.height());
    for value in field.values() {
        if value.is_nan() {
            // Writing into a text never fails, here and below.
            let _ = writeln!(text, "{NO_VALUE}");
        } else {
            let _ = writeln!(text, "{value}");
        }
    }
    text
}

fn parse(text: &str) -> Result<Field, String> {
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let mut next = |what: &str| lines.next().ok_or_else(|| format!("ends before {what}"));
    let (_, title) = next("its size")?;
    let mut size = title.split_whitespace().map_while(|word| word.parse::<usize>().ok());
    let size: [Option<usize>; 3] = std::array::from_fn(|_| size.next());
    let [Some(width), Some(height), layers] = size else {
        return Err("line 1 should begin with the nodes along x, y and z".to_owned());
    };
    if layers.unwrap_or(1) != 1 {
        return Err("line 1: only images of one layer are simulated".to_owned());
    }
    let nodes = width.checked_mul(height).filter(|nodes| (1..=MOST_NODES).contains(nodes));
    let nodes =
        nodes.ok_or_else(|| format!("line 1: {width} x {height} nodes are too many or none"))?;
    let (at, count) = next("the number of variables")?;
    let variables: usize = match count.split_whitespace().next().map(str::parse) {
        Some(Ok(count @ 1..)) => count,
        _ => return Err(format!("line {at} should be the number of variables, not '{count}'")),
    };
    for _ in 0..variables {
        next("the names of its variables")?;
    }
    let lines: Vec<(usize, &str)> = lines.filter(|(_, line)| !line.is_empty()).collect();
    let mut values = Vec::with_capacity(nodes);
    let mut add = |at: usize, word: &str| {
        let value = word.parse().map_err(|_| format!("line {at}: '{word}' is no number"))?;
        values.push(if value == NO_VALUE { f32::NAN } else { value });
        Ok::<_, String>(())
    };
    if lines.len() == nodes {
        for (at, line) in lines {
            add(at, line.split_whitespace().next().unwrap_or_default())?;
        }
    } else {
        // As MPSlib writes them: a row of the image, or all of it, in one line.
        let words =
            lines.iter().flat_map(|(at, line)| line.split_whitespace().map(|word| (*at, word)));
        words.step_by(variables).try_for_each(|(at, word)| add(at, word))?;
    }
    if values.len() != nodes {
        return Err(format!("has {} nodes instead of {width} x {height}", values.len()));
    }
    Ok(Field::new(width, values))
}

#[cfg(test)]
mod tests {
    use super::super::training_image::EMPTY;
    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use std::io::Write as _;

    #[test]
    fn what_is_written_is_read_again_also_compressed() {
        let field = Field::new(3, vec![0.0, 1.0, 0.25, -3.5, EMPTY, 1e-7]);
        let path = std::env::temp_dir().join(format!("odeon-gslib-{}.dat", std::process::id()));
        write(&path, &field, "facies").expect("it can be written");
        let plain = read(&path).expect("it was written");
        let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
        gzip.write_all(&fs::read(&path).expect("it is there")).expect("into memory");
        fs::write(&path, gzip.finish().expect("into memory")).expect("it can be written");
        let unpacked = read(&path).expect("it is compressed");
        let _ = fs::remove_file(&path);
        for read in [plain, unpacked] {
            assert_eq!((read.width(), read.height()), (3, 2));
            assert_eq!(read.values()[..4], field.values()[..4]);
            assert!(read.values()[4].is_nan() && read.values()[5] == 1e-7);
        }
    }

    #[test]
    fn titles_have_more_than_sizes_and_nodes_more_than_one_variable() {
        let field = parse(
            "  2 2 1  1.0 1.0 1.0  some name\r\n 2\r\nfacies\nporosity\n  0 0.1\n 1 0.2\n\n1 0.3\n0 0.4\n",
        );
        assert_eq!(field, Ok(Field::new(2, vec![0.0, 1.0, 1.0, 0.0])));
    }

    /// One line for all, or one for each row, as MPSlib writes them; of two variables the first
    /// counts.
    #[test]
    fn a_line_may_have_several_nodes() {
        let field = Field::new(3, vec![0.0, 1.0, 1.0, 0.5, 2.0, 3.0]);
        for text in [
            "3 2 1\n1\nfacies\n0 1 1 0.5 2 3\n",
            "3 2 1\n1\nfacies\n0 1 1\n0.5 2 3 \n",
            "3 2 1\n2\nfacies\nporosity\n0 7 1 7 1 7\n0.5 7 2 7 3 7",
        ] {
            assert_eq!(parse(text).as_ref(), Ok(&field), "{text}");
        }
        assert_eq!(parse("2 1 1\n1\nx\n0 1 2\n").unwrap_err(), "has 3 nodes instead of 2 x 1");
        assert_eq!(parse("3 1 1\n1\nx\n0 1 y\n").unwrap_err(), "line 4: 'y' is no number");
    }

    #[test]
    fn a_node_without_a_value_is_written_in_several_ways() {
        for word in
            ["-9999999", "-9999999.0", "-9999999.000000", "-9.999999e6", "-9.999999E+06", "nan"]
        {
            let field = parse(&format!("2 1 1\n1\nx\n1\n{word}\n")).expect("an image");
            assert!(field.at(0, 0) == 1.0 && field.at(1, 0).is_nan(), "{word}");
        }
    }

    #[test]
    fn a_title_in_latin_1_is_read() {
        let path = std::env::temp_dir().join(format!("odeon-latin-{}.dat", std::process::id()));
        fs::write(&path, b"2 1 1 Gew\xe4sser\n1\nf\xe4cies\n1\n0\n").expect("there is room");
        let field = read(&path).expect("nothing but names is no ASCII");
        let _ = fs::remove_file(&path);
        assert_eq!(field, Field::new(2, vec![1.0, 0.0]));
    }

    #[test]
    fn a_refusal_names_the_line() {
        let refused = |text: &str| parse(text).unwrap_err();
        assert!(refused("an image\n1\nx\n0").starts_with("line 1 should begin"));
        assert!(refused("2 2 3\n1\nx\n0").contains("one layer"));
        assert!(refused("0 2 1\n1\nx\n").contains("too many or none"));
        assert!(refused("99999999999 99999999999 1\n1\nx\n").contains("too many or none"));
        assert!(refused("1 1 1\nmany\nx\n0").starts_with("line 2 should be the number"));
        assert!(refused("1 1 1\n0\nx\n0").starts_with("line 2 should be the number"));
        assert_eq!(refused("2 1 1\n1\nx\n0\nsand\n"), "line 5: 'sand' is no number");
        assert_eq!(refused("2 1 1\n1\nx\n0\n"), "has 1 nodes instead of 2 x 1");
        assert_eq!(refused("2 1 1\n3\nx\n"), "ends before the names of its variables");
    }
}
