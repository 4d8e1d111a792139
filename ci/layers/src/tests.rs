use crate::check::{check, circles};
use crate::rooms::Layout;
use crate::run;
use crate::tree::Tree;
use std::path::Path;

fn fixture() -> Tree {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    Tree::read(&here.join("src/tests/fixture/src")).unwrap()
}

fn layout(rooms: &[&str]) -> Layout {
    let rooms = rooms.iter().map(|room| (*room).to_owned()).collect();
    Layout { rooms, entries: None }
}

#[test]
fn an_import_upwards_is_named_where_it_stands() {
    let violations = check("fixture", &layout(&["ground", "upper"]), &fixture());
    let expected = [
        "fixture/src/ground.rs:1: ground imports Lamp from upper, which is above it",
        "fixture/src/ground.rs:6: ground imports upper::bulb::WATTS from upper, which is above it",
    ];
    assert_eq!(violations, expected, "also through a re-export and in a macro, not of tests");
}

#[test]
fn the_other_way_round_the_imports_of_the_other_room_are_violations() {
    let violations = check("fixture", &layout(&["upper", "ground"]), &fixture());
    let expected = [
        "fixture/src/upper.rs:5: upper imports ground::Floor from ground, which is above it",
        "fixture/src/upper/bulb.rs:1: upper imports ground::Floor from ground, which is above it",
    ];
    assert_eq!(violations, expected);
}

#[test]
fn a_circle_goes_through_the_files_that_define_names() {
    let circles = |most| circles("fixture", &fixture(), most);
    assert!(circles(2).is_empty(), "upper.rs only re-exports, so nobody imports from it");
    let expected = "fixture: a circle of 2 files; at most 1:
  ground.rs imports Lamp of upper/bulb.rs
  upper/bulb.rs imports ground::Floor of ground.rs";
    assert_eq!(circles(1), [expected]);
}

#[test]
fn rooms_are_those_that_are_there() {
    let violations = check("fixture", &layout(&["ground", "cellar"]), &fixture());
    let expected =
        ["fixture: rooms.toml does not list the room upper", "fixture: there is no room cellar"];
    assert_eq!(violations, expected);
}

#[test]
fn a_file_and_its_folder_are_one_entry() {
    let entries = |entries| Layout { entries: Some(entries), ..layout(&["upper", "ground"]) };
    let mentions = |most| {
        let violations = check("fixture", &entries(most), &fixture());
        violations.iter().any(|violation| *violation == "fixture/src has 3 entries; at most 2")
    };
    assert!(mentions(2) && !mentions(3));
}

#[test]
fn the_workspace_holds_its_layers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert_eq!(run(&root).unwrap(), Vec::<String>::new());
}
