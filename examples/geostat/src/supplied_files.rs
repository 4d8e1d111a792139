//! The image that lies beside the repository, where it does: what is read from it.

use crate::image_source::load;
use crate::statistics::Statistics;
use crate::training_image::ValueKind;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where a file is; a test that lacks it has said so.
fn supplied(file: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("examples/geostat");
    let path = root.parent()?.join("shared/data").join(file);
    if path.exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "skipped: {file}: it does not lie in ../shared/data");
    None
}

/// The expected numbers were counted by another program.
#[test]
fn the_training_image_has_the_statistics_that_were_counted_elsewhere() {
    let Some(path) = supplied("ti_strebelle_250x250.dat.gz") else { return };
    let image = load(path.to_str().expect("UTF-8"), 1).expect("it is an image");
    assert_eq!((image.field().width(), image.field().height()), (250, 250));
    assert_eq!(image.kind(), &ValueKind::Categorical(vec![0.0, 1.0]));
    let Statistics(indicators) = Statistics::of_image(&image);
    let channels = &indicators[1];
    assert_eq!((channels.value, channels.proportion), (1.0, 17_293.0 / 62_500.0));
    let [horizontal, vertical] = &channels.variogram;
    let half_of = |pairs: f64, of: f64| pairs / of / 2.0;
    let expected = [
        (horizontal[0], half_of(1601.0, 62_250.0)),
        (vertical[0], half_of(4037.0, 62_250.0)),
        (horizontal[9], half_of(14_174.0, 60_000.0)),
        (vertical[9], half_of(31_112.0, 60_000.0)),
    ];
    for (found, expected) in expected {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }
    // Channels lead from left to right, sand does not lead across them.
    let [along, across] = channels.connectivity.each_ref().map(|lags| lags[39]);
    assert!(along > across && along > 0.8, "{along} along, {across} across");
}
