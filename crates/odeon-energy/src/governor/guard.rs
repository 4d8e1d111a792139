//! Putting governors back when the program that has set them ends without doing it.

use super::{GovernorError, GovernorsSet};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Waits until its input says something, or ends, as it does with the program, however that comes.
/// Then it writes what was there before.
const SCRIPT: &str = "read -r told && exit 0; \
     while [ $# -gt 1 ]; do printf '%s\\n' \"$2\" >\"$1\"; shift 2; done";

/// The process that does it.
pub(super) struct Guard(Child);

impl Guard {
    /// Begins. `before`: files, and what to write there, the last first.
    fn begin(before: &[(PathBuf, String)]) -> Result<Self, GovernorError> {
        let shell = Path::new("/bin/sh");
        let mut command = Command::new(shell);
        command.args(["-c", SCRIPT, "sh"]);
        for (file, governor) in before.iter().rev() {
            command.arg(file).arg(governor);
        }
        // WHY a group of its own: what a terminal sends to end the program must not end this one.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let quiet = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        quiet.spawn().map(Self).map_err(|error| GovernorError::of(shell, &error))
    }

    /// Ends, and writes nothing. Errors mean that it has ended.
    pub(super) fn dismiss(mut self) {
        if let Some(mut input) = self.0.stdin.take() {
            let _ = input.write_all(b"done\n");
        }
        let _ = self.0.wait();
    }
}

impl GovernorsSet {
    /// Has another process put back what was there before if this one ends without doing it: by
    /// Ctrl-C, killed, aborted.
    ///
    /// # Errors
    /// [`GovernorError::Failed`] if that process cannot be started (it is `/bin/sh`); then all
    /// cores are as before.
    pub fn even_if_killed(mut self) -> Result<Self, GovernorError> {
        if self.guard.is_none() && !self.before.is_empty() {
            self.guard = Some(Guard::begin(&self.before)?);
        }
        Ok(self)
    }
}
