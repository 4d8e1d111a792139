//! Images as PNG: what looks different is a different value.

use super::training_image::Field;
use odeon_example_run::RunError;
use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};
use std::fs::File;
use std::io::{BufReader, BufWriter, Error, ErrorKind};
use std::path::Path;

/// The colour of a node without a value.
const NO_VALUE: [u8; 3] = [230, 80, 60];

/// A picture as an image: a pixel's brightness, 0 to 255, is a node's value. With at most 16 of
/// them that makes an image of categories. What is transparent counts like what is not.
///
/// # Errors
/// If the file cannot be read, or is no picture.
pub fn read(path: &Path) -> Result<Field, RunError> {
    let refused = |source| RunError::file(path, source);
    let file = File::open(path).map_err(refused)?;
    decode(BufReader::new(file))
        .map_err(|problem| refused(Error::new(ErrorKind::InvalidData, problem)))
}

fn decode(from: impl std::io::BufRead + std::io::Seek) -> Result<Field, png::DecodingError> {
    let mut decoder = Decoder::new(from);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or(0)];
    let frame = reader.next_frame(&mut pixels)?;
    let samples = frame.color_type.samples();
    let brightness = |pixel: &[u8]| match pixel {
        [red, green, blue, ..] => {
            // The usual weights of the three for the eye.
            let [red, green, blue] = [*red, *green, *blue].map(f32::from);
            (0.299 * red + 0.587 * green + 0.114 * blue).round()
        }
        [grey, ..] => f32::from(*grey),
        [] => 0.0,
    };
    let values = pixels[..frame.buffer_size()].chunks_exact(samples).map(brightness).collect();
    Ok(Field::new(frame.width as usize, values))
}

/// Writes an image as a picture: the lowest of `range` is black, the highest white, and a node
/// without a value red.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: &Path, field: &Field, range: (f32, f32)) -> Result<(), RunError> {
    let refused = |source| RunError::file(path, source);
    let file = File::create(path).map_err(refused)?;
    encode(BufWriter::new(file), field, range).map_err(|problem| refused(Error::other(problem)))
}

fn encode(
    to: impl std::io::Write,
    field: &Field,
    range: (f32, f32),
) -> Result<(), png::EncodingError> {
    let mut encoder = Encoder::new(to, field.width() as u32, field.height() as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    let (low, high) = range;
    let scale = if high > low { 255.0 / (high - low) } else { 0.0 };
    let pixel = |value: &f32| match value {
        value if value.is_nan() => NO_VALUE,
        value => [((value - low) * scale).round().clamp(0.0, 255.0) as u8; 3],
    };
    let pixels: Vec<u8> = field.values().iter().flat_map(pixel).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::super::training_image::{EMPTY, TrainingImage, ValueKind};
    use super::*;
    use std::io::Cursor;

    #[test]
    fn a_picture_of_two_colours_is_an_image_of_two_categories() {
        let field = Field::new(3, vec![0.0, 1.0, 1.0, 0.0, 0.0, 1.0]);
        let mut file = Vec::new();
        encode(&mut file, &field, (0.0, 1.0)).expect("into memory");
        let read = decode(Cursor::new(file)).expect("it is a picture");
        assert_eq!((read.width(), read.height()), (3, 2));
        let image = TrainingImage::new(read).expect("complete");
        assert_eq!(image.kind(), &ValueKind::Categorical(vec![0.0, 255.0]));
        let same = image.field().values().iter().zip(field.values());
        assert!(same.clone().all(|(read, written)| *read == written * 255.0), "{image:?}");
    }

    #[test]
    fn pictures_of_every_depth_are_read() {
        let depths = [
            (ColorType::Grayscale, BitDepth::One, vec![0b1010_0000], [255.0, 0.0, 255.0]),
            (
                ColorType::Grayscale,
                BitDepth::Sixteen,
                vec![255, 255, 0, 0, 128, 0],
                [255.0, 0.0, 128.0],
            ),
            (ColorType::GrayscaleAlpha, BitDepth::Eight, vec![9, 0, 8, 255, 7, 1], [9.0, 8.0, 7.0]),
        ];
        for (colour, depth, bytes, expected) in depths {
            let mut file = Vec::new();
            let mut encoder = Encoder::new(&mut file, 3, 1);
            encoder.set_color(colour);
            encoder.set_depth(depth);
            let mut writer = encoder.write_header().expect("into memory");
            writer.write_image_data(&bytes).expect("into memory");
            writer.finish().expect("into memory");
            let read = decode(Cursor::new(file)).expect("it is a picture");
            assert_eq!(read.values(), expected, "{colour:?} {depth:?}");
        }
    }

    #[test]
    fn what_has_no_value_is_red_and_what_is_no_picture_is_refused() {
        let mut file = Vec::new();
        encode(&mut file, &Field::new(2, vec![EMPTY, 5.0]), (5.0, 5.0)).expect("into memory");
        let read = decode(Cursor::new(file)).expect("it is a picture");
        assert_eq!(read.values()[1], 0.0);
        assert!(read.values()[0] > 0.0);
        let path = std::env::temp_dir().join(format!("odeon-no-png-{}.png", std::process::id()));
        std::fs::write(&path, "no picture").expect("it can be written");
        let refused = super::read(&path).unwrap_err();
        let _ = std::fs::remove_file(&path);
        assert!(refused.to_string().contains("odeon-no-png"), "{refused}");
    }
}
