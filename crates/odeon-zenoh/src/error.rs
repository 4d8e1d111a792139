//! Why Zenoh cannot be used.

use std::error::Error;
use std::fmt;

/// Zenoh cannot be used as it is told to.
#[derive(Debug)]
pub struct ZenohError {
    what: String,
    because: String,
}

impl ZenohError {
    pub(crate) fn of(what: &str, error: zenoh::Error) -> Self {
        Self { what: what.into(), because: plain(&error.to_string()) }
    }

    pub(crate) fn settings(key: &str, error: &(dyn Error + Send + Sync)) -> Self {
        Self { what: format!("the setting {key}"), because: plain(&error.to_string()) }
    }

    pub(crate) fn refused(what: String, because: &str) -> Self {
        Self { what, because: because.into() }
    }
}

impl fmt::Display for ZenohError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.what, self.because)
    }
}

impl Error for ZenohError {}

/// What Zenoh says, without the places in its sources:
/// ` at /home/me/.cargo/registry/.../tcp.rs:142.`, and how one led to another.
pub(crate) fn plain(said: &str) -> String {
    let mut plain = String::with_capacity(said.len());
    let mut rest = said;
    while let Some(at) = rest.find(" at ") {
        let (before, place) = rest.split_at(at);
        let place = &place[" at ".len()..];
        plain.push_str(before);
        match end_of_place(place) {
            Some(end) => rest = &place[end..],
            None => {
                plain.push_str(" at ");
                rest = place;
            }
        }
    }
    plain.push_str(rest);
    plain.replace(" - Caused by ", ": ").trim_end().to_owned()
}

/// Where a place in sources ends that the text begins with, as `tcp.rs:142.`.
fn end_of_place(text: &str) -> Option<usize> {
    let line = text.find(".rs:")? + ".rs:".len();
    let digits = text[line..].bytes().take_while(u8::is_ascii_digit).count();
    let is_path = !text[..line].contains(" - ") && !text[..line].contains(" at ");
    (digits > 0 && is_path)
        .then(|| line + digits + usize::from(text[line + digits..].starts_with('.')))
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn places_in_sources_are_left_out() {
        for (said, expected) in [
            ("no listener at /a b/tcp-1.10.2/src/unicast.rs:333.", "no listener"),
            (
                "bound to tcp/[::]:7 at tcp.rs:1. - Caused by in use (os error 98) at x/y.rs:22.",
                "bound to tcp/[::]:7: in use (os error 98)",
            ),
            ("look at me at a.rs:1", "look at me"),
            ("at a loss at the end.rs", "at a loss at the end.rs"),
            ("", ""),
        ] {
            assert_eq!(plain(said), expected);
        }
    }
}
