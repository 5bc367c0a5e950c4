//! The order of the crates in `docs/architecture.md`, and what their manifests have in common.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use plan_machine_tests::root;

/// The manifest of a crate.
struct Manifest {
    name: String,
    text: String,
}

impl Manifest {
    /// Returns the lines of the sections whose names satisfy a condition.
    fn lines(&self, section: impl Fn(&str) -> bool) -> Vec<&str> {
        let mut is_in = false;
        let lines = self.text.lines().filter(|line| {
            if line.starts_with('[') {
                is_in = section(line);
            }
            is_in && !line.starts_with(['[', '#'])
        });
        lines.collect()
    }

    /// Returns whether the manifest has a key of a package.
    fn has(&self, key: &str) -> bool {
        let lines = self.lines(|section| section == "[package]");
        let mut names = lines
            .iter()
            .filter_map(|line| line.split(['.', '=']).next());
        names.any(|name| name.trim() == key)
    }

    fn is_published(&self) -> bool {
        !self.text.contains("publish = false")
    }

    /// Returns the crates that this one depends on, except in its tests.
    fn dependencies(&self) -> BTreeSet<String> {
        let is_own = |section: &str| {
            section.ends_with("dependencies]") && !section.ends_with("dev-dependencies]")
        };
        let lines = self.lines(is_own).into_iter();
        let names = lines.filter_map(|line| line.split(['.', '=', ' ']).next());
        let names = names.filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }
}

/// Returns the manifests of the workspace's crates.
fn manifests() -> Vec<Manifest> {
    let all = fs::read_to_string(root().join("Cargo.toml")).expect("the workspace");
    let members = all.lines().find_map(|line| line.strip_prefix("members = "));
    let members = members.expect("the members").split('"').skip(1).step_by(2);
    let mut found = Vec::new();
    for member in members {
        let (folder, begin) = match member.strip_suffix('*') {
            None => (member, None),
            Some(prefix) => match prefix.rsplit_once('/') {
                Some((folder, begin)) => (folder, Some(begin)),
                None => ("", Some(prefix)),
            },
        };
        let mut paths = vec![root().join(folder)];
        if let Some(begin) = begin {
            let entries = fs::read_dir(root().join(folder)).expect("a folder");
            let entries = entries.map(|entry| entry.expect("an entry"));
            let named =
                entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(begin));
            paths = named.map(|entry| entry.path()).collect();
        }
        // `examples/python` is excluded from the workspace and has no manifest.
        let texts = paths
            .iter()
            .map(|path| fs::read_to_string(path.join("Cargo.toml")));
        for text in texts.flatten() {
            let name = text.lines().find_map(|line| line.strip_prefix("name = "));
            let name = name.expect("a name").trim_matches('"').to_owned();
            found.push(Manifest { name, text });
        }
    }
    assert!(found.len() > 15, "only {} crates", found.len());
    found
}

/// Returns the rows of the page: each crate with the crates of the workspace that it depends on.
fn order() -> Vec<(String, BTreeSet<String>)> {
    let text = fs::read_to_string(root().join("docs/architecture.md")).expect("the page");
    let section = text.split("\n## Order of the crates\n").nth(1);
    let section = section.and_then(|rest| rest.split("\n## ").next());
    let lines = section.expect("the section").lines();
    let rows = lines.filter(|line| line.starts_with("| `")).map(|line| {
        let (name, others) = line.trim_matches('|').split_once('|').expect("two cells");
        let quoted = |cell: &str| -> Vec<String> {
            cell.split('`')
                .skip(1)
                .step_by(2)
                .map(str::to_owned)
                .collect()
        };
        (quoted(name).remove(0), quoted(others).into_iter().collect())
    });
    rows.collect()
}

#[test]
fn the_crates_depend_on_each_other_as_the_page_says() {
    let manifests = manifests();
    let own: BTreeSet<&str> = manifests.iter().map(|one| one.name.as_str()).collect();
    let listed: BTreeMap<String, BTreeSet<String>> = order().into_iter().collect();
    let found = manifests.iter().map(|manifest| {
        let mut others = manifest.dependencies();
        others.retain(|name| own.contains(name.as_str()));
        (manifest.name.clone(), others)
    });
    assert_eq!(found.collect::<BTreeMap<_, _>>(), listed);
}

#[test]
fn a_crate_depends_only_on_crates_above_it() {
    let mut above = BTreeSet::new();
    for (name, others) in order() {
        let below: Vec<&String> = others.difference(&above).collect();
        assert!(below.is_empty(), "{name} depends on {below:?}, below it");
        above.insert(name);
    }
}

/// Returns the names of the crates that external crates depend on, directly or not, according to `Cargo.lock`.
fn closure(names: BTreeSet<String>) -> BTreeSet<String> {
    let lock = fs::read_to_string(root().join("Cargo.lock")).expect("the lock file");
    let packages = lock.split("[[package]]").skip(1).map(|package| {
        let (head, rest) = package
            .split_once("dependencies = [")
            .unwrap_or((package, ""));
        let name = head.split('"').nth(1).expect("a name");
        let others = rest.split('"').skip(1).step_by(2);
        let others = others.filter_map(|other| other.split(' ').next());
        (name, others.collect::<Vec<_>>())
    });
    // Several versions of a crate have several entries.
    let packages: Vec<(&str, Vec<&str>)> = packages.collect();
    let mut found = names.clone();
    let mut open: Vec<String> = names.into_iter().collect();
    while let Some(name) = open.pop() {
        let entries = packages.iter().filter(|(known, _)| *known == name);
        for other in entries.flat_map(|(_, others)| others) {
            if found.insert((*other).to_owned()) {
                open.push((*other).to_owned());
            }
        }
    }
    found
}

#[test]
fn plan_machine_never_builds_tokio() {
    let manifests = manifests();
    let find = |name: &str| manifests.iter().find(|one| one.name == name);
    let (mut external, mut open) = (BTreeSet::new(), vec!["plan-machine".to_owned()]);
    while let Some(name) = open.pop() {
        // The lock file also lists what tests need, so crates of the workspace are followed by their manifests.
        match find(&name) {
            Some(own) => open.extend(own.dependencies()),
            None => {
                external.insert(name);
            }
        }
    }
    let all = closure(external);
    assert!(all.contains("syn"), "{all:?}");
    assert!(!all.contains("tokio"), "{all:?}");
    let sessions = find("plan-machine-sessions").expect("the sessions");
    assert!(closure(sessions.dependencies()).contains("tokio"));
}

/// Returns the names of the crates that a user of `plan-machine` builds.
fn built(options: &[&str]) -> BTreeSet<String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut tree = Command::new(cargo);
    tree.args(["tree", "--offline", "--locked", "--prefix", "none"])
        .args(["-e", "normal,build", "-p", "plan-machine"])
        .args(options)
        .current_dir(root());
    let output = tree.output().expect("cargo");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

#[test]
fn only_users_of_calls_build_a_shell_parser_and_only_users_of_macros_the_compiler() {
    let has = |built: &BTreeSet<String>| {
        let parts = [
            "plan-machine-compiler",
            "plan-machine-calls",
            "brush-parser",
        ];
        parts.map(|name| built.contains(name))
    };
    assert_eq!(has(&built(&[])), [true, false, false]);
    assert_eq!(has(&built(&["--features", "gate"])), [true, false, false]);
    let without = built(&["--no-default-features"]);
    assert_eq!(has(&without), [false; 3], "{without:?}");
    let calls = built(&["--no-default-features", "--features", "calls"]);
    assert_eq!(has(&calls), [false, true, true]);
}

#[test]
fn every_published_crate_says_what_it_is() {
    let manifests = manifests();
    let published = manifests.iter().filter(|manifest| manifest.is_published());
    let published: Vec<&Manifest> = published.collect();
    assert_eq!(published.len(), 11);
    for manifest in published {
        for key in ["description", "license", "readme", "keywords", "categories"] {
            assert!(manifest.has(key), "{} has no `{key}`", manifest.name);
        }
    }
}
