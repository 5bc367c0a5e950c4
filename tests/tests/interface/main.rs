//! The public interface of every published crate, as a listing, so that changes to the interface are visible in
//! reviews.
//!
//! The listing is built from the sources, so it needs only the stable toolchain. It contains neither macro-generated
//! items nor items hidden from the documentation.

mod listing;
mod sources;

use std::collections::BTreeSet;
use std::fs;

use plan_machine_tests::root;

use listing::listing;
use sources::Sources;

/// The published libraries. `plan-machine-cli` is a program, so no Rust code depends on it.
const CRATES: [&str; 10] = [
    "plan-machine-kernel",
    "plan-machine-calls",
    "plan-machine-compiler",
    "plan-machine-macros",
    "plan-machine",
    "plan-machine-sessions",
    "plan-machine-host",
    "plan-machine-agents",
    "plan-machine-server",
    "specs",
];

#[test]
fn the_public_interfaces_match_the_reviewed_listings() {
    for name in CRATES {
        let sources = Sources::read(&root().join(name).join("src"));
        insta::assert_snapshot!(name, listing(&sources));
    }
}

#[test]
fn every_published_library_has_a_listing() {
    let folders = fs::read_dir(root()).expect("the workspace");
    let folders = folders.map(|folder| folder.expect("an entry").path());
    let libraries = folders.filter(|folder| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml"));
        let is_published = manifest.is_ok_and(|text| !text.contains("publish = false"));
        is_published && folder.join("src/lib.rs").exists()
    });
    let names = libraries.filter_map(|folder| Some(folder.file_name()?.to_str()?.to_owned()));
    assert_eq!(
        names.collect::<BTreeSet<_>>(),
        CRATES.map(str::to_owned).into()
    );
}
