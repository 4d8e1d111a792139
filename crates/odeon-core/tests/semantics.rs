//! SEMANTICS.md and its parts in `docs/semantics`: every promise is cited by tests, and the tests
//! that it names exist.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A promise: its number, and what follows its last `Tests:`.
struct Promise {
    number: u32,
    tests: String,
}

/// The texts of `SEMANTICS.md` and of what is in `docs/semantics`.
fn texts() -> Vec<String> {
    let parts = fs::read_dir(root().join("docs/semantics")).expect("docs/semantics can be read");
    let parts = parts.map(|part| part.expect("as above").path());
    let all = [root().join("SEMANTICS.md")].into_iter().chain(parts);
    all.map(|part| fs::read_to_string(part).expect("a text")).collect()
}

/// In the order of their numbers.
fn promises() -> Vec<Promise> {
    let texts = texts();
    let sections = texts.iter().flat_map(|text| text.split("\n## S").skip(1));
    let mut promises: Vec<_> = sections
        .map(|section| {
            let number = section.split_whitespace().next().expect("a number").parse();
            let tests = section.rsplit_once("\nTests: ").map(|(_, tests)| tests);
            let title = section.lines().next().unwrap_or_default();
            Promise {
                number: number.unwrap_or_else(|_| panic!("`## S{title}` has no number")),
                tests: tests.unwrap_or_else(|| panic!("S{title} names no tests")).to_owned(),
            }
        })
        .collect();
    promises.sort_by_key(|promise| promise.number);
    promises
}

/// All Rust files below `crates`, as paths from the root with `/`.
fn sources() -> BTreeSet<String> {
    fn collect(folder: &Path, root: &Path, into: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).expect("a folder of the repository") {
            let path = entry.expect("as above").path();
            if path.is_dir() {
                collect(&path, root, into);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let path = path.strip_prefix(root).expect("it lies below");
                into.insert(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    let (root, mut sources) = (root(), BTreeSet::new());
    collect(&root.join("crates"), &root, &mut sources);
    sources
}

/// The files and folders named in backticks; `a/{b,c}.rs` names two.
fn named_files(text: &str) -> Vec<String> {
    let is_path =
        |quoted: &&str| quoted.contains('*') || quoted.ends_with(".rs") || quoted.ends_with('/');
    let quoted = text.split('`').skip(1).step_by(2).filter(is_path);
    quoted
        .flat_map(|name| match (name.split_once('{'), name.split_once('}')) {
            (Some((before, _)), Some((inside, after))) => {
                let inside = &inside[before.len() + 1..];
                inside.split(',').map(|one| format!("{before}{one}{after}")).collect()
            }
            _ => vec![name.to_owned()],
        })
        .collect()
}

/// Whether a source is the file with this name, or lies in the folder with this name. The name may
/// leave out folders in front; a `*` stands for anything.
fn is_named(source: &str, name: &str) -> bool {
    if name.ends_with('/') {
        return source.contains(&format!("/{name}"));
    }
    let behind_slashes = source.match_indices('/').map(|(at, _)| &source[at + 1..]);
    behind_slashes.chain([source]).any(|tail| matches(tail, name))
}

fn matches(text: &str, pattern: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return text == pattern };
    let Some(rest) = text.strip_prefix(before) else { return false };
    rest.char_indices().any(|(at, _)| matches(&rest[at..], after)) || matches("", after)
}

#[test]
fn promises_have_numbers_of_their_own_in_order() {
    let numbers: Vec<_> = promises().iter().map(|promise| promise.number).collect();
    assert!(numbers.is_sorted_by(|one, next| one < next), "{numbers:?}");
    assert!(numbers.len() >= 17, "{numbers:?}");
}

#[test]
fn every_test_file_that_is_named_exists() {
    let sources = sources();
    let mut missing = BTreeMap::<u32, Vec<String>>::new();
    for promise in promises() {
        let files = named_files(&promise.tests);
        assert!(!files.is_empty(), "S{} names no test file", promise.number);
        for name in files {
            if !sources.iter().any(|source| is_named(source, &name)) {
                missing.entry(promise.number).or_default().push(name);
            }
        }
    }
    assert!(missing.is_empty(), "named by promises, but not there: {missing:?}");
}

/// A test cites a promise by the name of its file, of its folder, or its own: `s7_...`, also after
/// other numbers.
#[test]
fn every_promise_is_cited_by_a_test_in_a_file_that_it_names() {
    let sources = sources();
    let cites = |source: &str, number: u32| {
        let citation = format!("s{number}_");
        let names_it = |name: &str| {
            let mut words = name.split_inclusive('_').take_while(|word| is_number(word));
            words.any(|word| word == citation)
        };
        source.split('/').any(names_it)
            || fs::read_to_string(root().join(source))
                .expect("it was listed")
                .split("fn ")
                .skip(1)
                .any(names_it)
    };
    for promise in promises() {
        let names = named_files(&promise.tests);
        let named = sources.iter().filter(|source| names.iter().any(|name| is_named(source, name)));
        let cited = named.filter(|source| cites(source, promise.number)).count();
        assert!(cited > 0, "no test cites S{}", promise.number);
    }
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('s').and_then(|rest| rest.strip_suffix('_'));
    digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// The other way round: a test file with a number is named by that promise.
#[test]
fn every_test_file_with_a_number_is_named_by_that_promise() {
    let promises = promises();
    for source in sources() {
        let Some((folder, stem)) = source.rsplit_once('/') else { continue };
        if !folder.ends_with("/tests") {
            continue;
        }
        for word in stem.split_inclusive('_').take_while(|word| is_number(word)) {
            let number: u32 = word[1..word.len() - 1].parse().expect("digits");
            let promise = promises.iter().find(|promise| promise.number == number);
            let promise =
                promise.unwrap_or_else(|| panic!("{source} cites S{number}, which no promise has"));
            let named = named_files(&promise.tests).iter().any(|name| is_named(&source, name));
            assert!(named, "S{number} does not name {source}");
        }
    }
}

#[test]
fn names_of_files_are_read_as_they_are_written() {
    assert_eq!(
        named_files("`a.rs`, `b/{c,d}.rs`, `mailbox`, `e_*`"),
        ["a.rs", "b/c.rs", "b/d.rs", "e_*"]
    );
    assert!(is_named("crates/x/tests/a.rs", "a.rs") && !is_named("crates/x/tests/ba.rs", "a.rs"));
    assert!(is_named("crates/x/tests/shuttle_theater.rs", "shuttle_*.rs"));
    assert!(is_named("crates/x/tests/s1_x/main.rs", "s1_x/"));
    assert!(is_named("crates/x/tests/s1_s2_x/main.rs", "x/tests/*s2_*"));
    assert!(!is_named("crates/x/tests/s1_x/main.rs", "x/tests/s2_*"));
    assert!(is_number("s12_") && !is_number("stage_") && !is_number("s_"));
}
