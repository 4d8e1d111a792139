//! Where a training image comes from.

use crate::training_image::TrainingImage;
use crate::{channels, gslib, png_image};
use odeon_example_run::RunError;
use std::path::Path;

/// The word for an image that is made from a seed.
pub const GENERATED: &str = "generated";

/// Nodes of its edge: as many as Strebelle's image has.
const GENERATED_EDGE: usize = 250;

/// The image of `source`: `generated` from the seed, or a file: `.png`, or else GSLIB, either of
/// them compressed by gzip or not.
///
/// # Errors
/// If the file cannot be read, or is not what it should be.
pub fn load(source: &str, seed: u64) -> Result<TrainingImage, RunError> {
    if source == GENERATED {
        return Ok(channels::generate(GENERATED_EDGE, GENERATED_EDGE, seed));
    }
    let path = Path::new(source);
    let is_png = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("png"));
    let field = if is_png { png_image::read(path) } else { gslib::read(path) }?;
    let refused = |problem| RunError::bad_argument("--ti", format!("{source}: {problem}"));
    TrainingImage::new(field).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generated_image_has_the_size_of_the_usual_one() {
        let image = load(GENERATED, 7).expect("nothing is read");
        assert_eq!((image.field().width(), image.field().height()), (250, 250));
        assert_eq!(image.categories(), [0.0, 1.0]);
        let missing = load("no/such.dat", 7).unwrap_err();
        assert!(missing.to_string().starts_with("no/such.dat: "), "{missing}");
    }
}
