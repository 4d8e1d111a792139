//! How a failing run is repeated.

use std::path::Path;

/// The environment variable that makes [`for_seeds`](crate::for_seeds) run one seed alone.
pub(crate) const VARIABLE: &str = "ODEON_SEED";

/// The command that runs this thread's test with this seed alone, in the directory of the
/// workspace.
pub(crate) fn command(seed: u64) -> String {
    let package = std::env::var("CARGO_PKG_NAME").ok();
    let program = std::env::current_exe().ok();
    let thread = std::thread::current();
    command_of(seed, package.as_deref(), program.as_deref(), thread.name())
}

/// As far as it is known: the package, the program that cargo has built, and the test's name, which
/// libtest gives its thread.
fn command_of(
    seed: u64,
    package: Option<&str>,
    program: Option<&Path>,
    test: Option<&str>,
) -> String {
    let mut command = format!("{VARIABLE}={seed} cargo test");
    if let Some(package) = package {
        command += &format!(" -p {package}");
        // `name-0123456789abcdef`, where the name is the file's or the library's.
        let stem = program.and_then(Path::file_stem).and_then(|stem| stem.to_str());
        match stem.and_then(|stem| stem.rsplit_once('-')) {
            Some((target, _)) if target == package.replace('-', "_") => command += " --lib",
            Some((target, _)) => command += &format!(" --test {target}"),
            None => {}
        }
    }
    match test {
        // With `--test-threads=1` libtest runs tests on the main thread, and says no name.
        Some("main") | None => command,
        Some(test) => command + &format!(" -- --exact {test}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_names_package_target_test_and_seed() {
        let of =
            |program: &str, test| command_of(7, Some("odeon-core"), Some(program.as_ref()), test);
        assert_eq!(
            of("/t/debug/deps/s15_supervision-0123456789abcdef", Some("s15_random")),
            "ODEON_SEED=7 cargo test -p odeon-core --test s15_supervision -- --exact s15_random"
        );
        assert_eq!(
            of("/t/debug/deps/odeon_core-0123456789abcdef", Some("timer::tests::late")),
            "ODEON_SEED=7 cargo test -p odeon-core --lib -- --exact timer::tests::late"
        );
        assert_eq!(of("/t/doctest", Some("main")), "ODEON_SEED=7 cargo test -p odeon-core");
        assert_eq!(command_of(7, None, None, None), "ODEON_SEED=7 cargo test");
    }
}
