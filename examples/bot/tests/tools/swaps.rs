//! File tools stay inside the workspace even while folders and files are being swapped for links that point out of it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use plan_machine::Object;
use plan_machine_host::Stop;
use plan_machine_host::tools::{ShellRule, Tools as _, Workspace};
use plan_machine_tests::soak::times;
use tempfile::TempDir;

use super::confirmed;

/// Removes the link, or whatever a tool has created in its place.
fn clear(path: &Path) {
    if path.symlink_metadata().is_ok_and(|found| found.is_dir()) {
        drop(fs::remove_dir_all(path));
    } else {
        drop(fs::remove_file(path));
    }
}

/// Replaces a folder or a file with a link that points outside the workspace, and then puts it back.
fn swap(space: &Path, name: &str, target: &str) {
    let (real, aside) = (space.join(name), space.join(format!("{name}.aside")));
    fs::rename(&real, &aside).expect("moved aside");
    // A tool may create something with this name at any moment, even between these lines.
    while symlink(target, &real).is_err() {
        clear(&real);
    }
    thread::yield_now();
    clear(&real);
    while fs::rename(&aside, &real).is_err() {
        clear(&real);
    }
}

#[test]
fn links_that_come_and_go_lead_nowhere() {
    let all = TempDir::new().expect("a folder");
    let outside = all.path().join("outside");
    fs::create_dir(&outside).expect("a folder");
    fs::write(outside.join("file.md"), "private").expect("a file");
    let space = all.path().join("space");
    let tools = Workspace::open(&space, ShellRule::Never).expect("a workspace");
    fs::create_dir(space.join("folder")).expect("a folder");
    fs::write(space.join("folder/file.md"), "ours").expect("a file");
    fs::write(space.join("file.md"), "ours").expect("a file");

    let stop = AtomicBool::new(false);
    let rounds = times(200);
    let (mut refused, mut done) = (0, 0);
    let swaps = thread::scope(|scope| {
        let swapping = scope.spawn(|| {
            let mut swaps = 0_u64;
            while !stop.load(Ordering::Relaxed) {
                swap(&space, "folder", "../outside");
                swap(&space, "file.md", "../outside/file.md");
                swaps += 2;
            }
            swaps
        });
        let calling = scope.spawn(|| {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            for _ in 0..rounds {
                for (tool, path, more) in [
                    ("read_file", "folder/file.md", None),
                    ("read_file", "file.md", None),
                    ("write_file", "folder/file.md", Some(("content", "ours"))),
                    ("write_file", "file.md", Some(("content", "ours"))),
                    ("search_files", "folder", Some(("text", "private"))),
                    ("list_files", "folder", None),
                ] {
                    let args: Object = more.into_iter().chain([("path", path)]).collect();
                    match runtime.block_on(tools.run(confirmed(tool, args), &Stop::default())) {
                        Ok(told) => {
                            assert!(!told.contains(":1: private"), "{tool}: {told}");
                            assert_ne!(told, "private", "{tool}");
                            done += 1;
                        }
                        Err(_) => refused += 1,
                    }
                }
            }
            stop.store(true, Ordering::Relaxed);
        });
        calling.join().expect("no panic");
        swapping.join().expect("no panic")
    });
    let kept = fs::read_to_string(outside.join("file.md")).expect("a file");
    assert_eq!(kept, "private", "nothing outside was written");
    assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 1);
    assert!(done > 0 && refused > 0, "{done} done, {refused} refused");
    println!("{done} calls done and {refused} refused during {swaps} swaps: none left the folder");
}
