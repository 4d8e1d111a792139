//! How long a program is.

/// Lines that are neither empty nor comments alone.
pub(crate) fn of_code(source: &str) -> usize {
    source.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[cfg(test)]
mod tests {
    use super::of_code;

    #[test]
    fn comments_and_empty_lines_do_not_count() {
        let source =
            "//! Header.\n\n/// A struct.\nstruct A; // Counts.\n    // Does not.\nfn f() {\n}\n";
        assert_eq!(of_code(source), 3);
    }
}
