//! `odeon bench figures`: pages, and lines that are read back.

use super::command_line::{Folder, accepted};

#[test]
fn figures_write_their_page() {
    let folder = Folder::new("figures");
    let page = folder.file("benchmarks.md");
    let notes = "## create, acknowledge, stop\n\nA debug build is slow.\n";
    std::fs::write(folder.file("benchmarks-notes.md"), notes).expect("the folder is writable");
    let table = accepted(&[
        "bench",
        "figures",
        "--quick",
        "--no-peers",
        "--only",
        "create,forward,stm",
        "--samples",
        "1",
        "--warmup",
        "0",
        "--report",
        &page,
    ]);
    assert!(table.contains("reached?") && table.contains("forward: FIFO against LIFO"), "{table}");
    let page = std::fs::read_to_string(&page).expect("it was written");
    assert!(page.contains("| create, acknowledge, stop | at most 200 ns"), "{page}");
    assert!(page.contains("| stm: direct walk and update | at most 1.10x its floor"), "{page}");
    assert!(page.contains("not measured") && page.contains("## All medians"), "{page}");

    let [lines, again, first] =
        ["benchmarks.jsonl", "again.md", "first.md"].map(|name| folder.file(name));
    let reading = ["bench", "figures", "--from", &lines, "--report", &again, "--headlines", &first];
    accepted(&reading);
    assert_eq!(std::fs::read_to_string(&again).expect("it was written"), page);
    let first = std::fs::read_to_string(&first).expect("it was written");
    assert!(first.contains("| `odeon bench create --vs tokio` |"), "{first}");
}

#[test]
fn figures_of_real_hardware_are_written_from_their_lines() {
    let folder = Folder::new("hardware");
    let (lines, page) = (folder.file("cores.jsonl"), folder.file("benchmarks.md"));
    std::fs::write(&page, "# Benchmarks\n\nText.\n\n## Lines of code\n").expect("it is writable");
    let common = ["bench", "figures", "--hardware", "cores", "--quick"];
    let measuring = ["--only", "stm", "--no-peers", "--samples", "1", "--warmup", "0", "--json"];
    accepted(&[&common[..], &measuring, &[&lines]].concat());
    let reading = ["--from", &lines, "--report", &page];
    let table = accepted(&[&common[..], &reading].concat());
    assert!(table.contains("reached?") && table.contains("ring, 1 worker"), "{table}");
    let page = std::fs::read_to_string(&page).expect("it was written");
    assert!(page.starts_with("# Benchmarks\n\nText.\n\n## Real hardware\n"), "{page}");
    assert!(page.contains("### stm, ns per transaction, by number of threads"), "{page}");
    assert!(page.ends_with("\n## Lines of code\n"), "{page}");
}
