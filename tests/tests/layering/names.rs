//! The names of public types: no two types have the same name, and a rejected event is always called a denial.

use std::collections::BTreeMap;
use std::fs;

use plan_machine_tests::root;
use syn::{Item, Visibility};

use crate::imports::files;

/// The crates whose types users refer to.
const CRATES: [&str; 7] = [
    "plan-machine-kernel",
    "plan-machine-calls",
    "plan-machine",
    "plan-machine-sessions",
    "plan-machine-host",
    "plan-machine-agents",
    "plan-machine-server",
];

/// Words that describe what happened to a thing instead of naming the thing.
const PARTICIPLES: [&str; 23] = [
    "Accepted",
    "Answered",
    "Appended",
    "Asked",
    "Classified",
    "Damaged",
    "Denied",
    "Done",
    "Emitted",
    "Given",
    "Held",
    "Installed",
    "Interpreted",
    "Kept",
    "Listed",
    "Placed",
    "Released",
    "Seen",
    "Sent",
    "Stored",
    "Taken",
    "Touched",
    "Written",
];

/// Returns the public structs, enums and traits, each with the files that define it. Type aliases do not count.
fn public_types() -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in CRATES {
        for file in files(&root().join(name).join("src")) {
            let text = fs::read_to_string(&file).expect("a source file");
            for item in syn::parse_file(&text).expect("Rust").items {
                let (visibility, name) = match &item {
                    Item::Struct(item) => (&item.vis, &item.ident),
                    Item::Enum(item) => (&item.vis, &item.ident),
                    Item::Trait(item) => (&item.vis, &item.ident),
                    _ => continue,
                };
                if matches!(visibility, Visibility::Public(_)) {
                    let place = file.strip_prefix(root()).expect("a file of the workspace");
                    let places = found.entry(name.to_string()).or_default();
                    places.push(place.display().to_string());
                }
            }
        }
    }
    found
}

#[test]
fn no_two_public_types_share_a_name() {
    let mut all = public_types();
    assert!(all.contains_key("Session"));
    all.retain(|_, places| places.len() > 1);
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn no_public_type_is_named_by_a_bare_participle() {
    let mut all = public_types();
    all.retain(|name, _| PARTICIPLES.contains(&name.as_str()));
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn a_refusal_is_called_a_denial() {
    let mut all = public_types();
    assert!(all.contains_key("Denial"));
    all.retain(|name, _| name.contains("Refus") || name.contains("Reject"));
    assert!(all.is_empty(), "{all:#?}");
}
