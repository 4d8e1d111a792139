//! The progress bar of long runs; silent when the standard error is not a terminal.

use indicatif::{ProgressBar, ProgressStyle};

const LAYOUT: &str = "{bar:30} {pos}/{len} {elapsed} (about {eta} left) {msg}";

pub(crate) struct RunsProgress(ProgressBar);

impl RunsProgress {
    pub(crate) fn new(runs: usize) -> Self {
        let bar = ProgressBar::new(runs as u64);
        if let Ok(style) = ProgressStyle::with_template(LAYOUT) {
            bar.set_style(style);
        }
        Self(bar)
    }

    /// A run begins; those before it are done.
    pub(crate) fn begin(&mut self, what: String, done: usize) {
        self.0.set_message(what);
        self.0.set_position(done as u64);
    }
}

impl Drop for RunsProgress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
