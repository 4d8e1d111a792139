//! Small files in which a kernel shows itself.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// The files of a kernel; others in tests, for what the file system does not refuse to a privileged
/// user.
pub(crate) trait Sysfs: Send + Sync {
    /// The content without the end of the line.
    fn read(&self, file: &Path) -> io::Result<String> {
        Ok(fs::read_to_string(file)?.trim_end().to_owned())
    }

    /// Overwrites a file that is there.
    fn write(&self, file: &Path, content: &str) -> io::Result<()> {
        fs::OpenOptions::new().write(true).truncate(true).open(file)?.write_all(content.as_bytes())
    }

    /// The names of what is in a folder, in order.
    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let entries = fs::read_dir(folder)?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    /// A whole number, if there is one.
    fn number(&self, file: &Path) -> Option<u64> {
        self.read(file).ok()?.trim().parse().ok()
    }
}

/// The files as they are.
pub(crate) struct Files;

impl Sysfs for Files {}
