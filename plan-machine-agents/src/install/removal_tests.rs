//! A removal leaves nothing of ours, whatever happened to the files since the first installation.

use std::collections::BTreeSet;
use std::fs;

use super::places::Scope;
use super::plan::{InstallTarget, plan};
use super::removal::plan_removal;
use super::tests::{Place, READY, carried_out};

#[test]
fn from_an_edited_file_only_our_entries_go() {
    let place = Place::new();
    let project = place.project();
    let target = place.target("claude-code", Scope::Project, &project);
    carried_out(plan(&target, None).expect("a plan"));
    let file = target.hooks_file().expect("a path");
    let text = fs::read_to_string(&file).expect("text");
    fs::write(
        &file,
        text.replacen('{', "{\n  // mine\n  \"model\": \"x\",", 1),
    )
    .expect("written");
    carried_out(plan_removal(&target).expect("a plan"));
    assert_eq!(
        fs::read_to_string(&file).expect("text"),
        "{\n  // mine\n  \"model\": \"x\"\n}\n"
    );
}

/// Returns an edit that a person makes to a configuration.
fn edited(text: &str) -> String {
    if text.starts_with('{') {
        text.replacen('{', "{\n  // mine\n  \"model\": \"x\",", 1)
    } else {
        format!("model = \"x\" # mine\n{text}")
    }
}

/// Asserts that no file of an agent mentions this program.
#[track_caller]
fn has_nothing_of_ours(target: &InstallTarget<'_>, case: &str) {
    for file in [target.hooks_file(), target.servers_file()] {
        let file = file.expect("a path");
        if file.is_file() {
            let text = fs::read_to_string(&file).expect("text");
            assert!(!text.contains("plan-machine"), "{case}: {text}");
        }
    }
}

#[test]
fn our_entries_go_from_a_file_that_was_edited_between_two_installations() {
    for name in READY {
        for scope in [Scope::Project, Scope::User] {
            let case = format!("{name} {scope:?}");
            let place = Place::new();
            let project = place.project();
            let target = place.target(name, scope, &project);
            carried_out(plan(&target, None).expect("a plan"));
            // Some agents have their servers in the same file.
            let files = [target.hooks_file(), target.servers_file()];
            let files = files.map(|file| file.expect("a path"));
            let mut changed = Vec::new();
            for file in BTreeSet::from(files) {
                if file.extension().is_some_and(|ext| ext != "js") && file.is_file() {
                    let text = fs::read_to_string(&file).expect("text");
                    fs::write(&file, edited(&text)).expect("written");
                    changed.push(file);
                }
            }
            assert!(!changed.is_empty(), "{case}: no file was edited");
            carried_out(plan(&target, None).expect("a plan"));
            carried_out(plan_removal(&target).expect("a plan"));
            has_nothing_of_ours(&target, &case);
            for file in changed {
                let shown = file.display();
                assert!(file.is_file(), "{case}: {shown} was removed");
                let text = fs::read_to_string(&file).expect("text");
                assert!(
                    text.contains("// mine") || text.contains("# mine"),
                    "{case}: {shown}: {text}"
                );
            }
        }
    }
}

#[test]
fn our_entries_go_from_a_clone_that_already_had_them() {
    for name in READY {
        let place = Place::new();
        let project = place.project();
        let target = place.target(name, Scope::Project, &project);
        carried_out(plan(&target, None).expect("a plan"));
        // The record of another user is not here.
        let site = target.site().expect("a site");
        fs::remove_dir_all(&site.state).expect("removed");
        carried_out(plan(&target, None).expect("a plan"));
        carried_out(plan_removal(&target).expect("a plan"));
        has_nothing_of_ours(&target, name);
    }
}

#[test]
fn our_entries_go_from_edited_files_in_a_moved_folder() {
    for (name, usual, moved) in [
        ("claude-code", ".claude", "settings.json"),
        ("codex", ".codex", "hooks.json"),
    ] {
        let mut place = Place::new();
        let folder = place.folder.path().join("moved");
        place.user.moved = vec![(usual, folder.clone())];
        let project = place.project();
        let target = place.target(name, Scope::User, &project);
        carried_out(plan(&target, None).expect("a plan"));
        let file = folder.join(moved);
        let text = fs::read_to_string(&file).expect("text");
        fs::write(&file, edited(&text)).expect("written");
        carried_out(plan_removal(&target).expect("a plan"));
        has_nothing_of_ours(&target, name);
        assert!(file.is_file(), "{name}");
        let text = fs::read_to_string(&file).expect("text");
        assert!(text.contains("// mine"), "{name}: {text}");
    }
}

#[test]
fn a_file_that_was_empty_is_empty_again_after_a_removal() {
    let place = Place::new();
    let project = place.project();
    let target = place.target("claude-code", Scope::Project, &project);
    for file in [target.hooks_file(), target.servers_file()] {
        let file = file.expect("a path");
        fs::create_dir_all(file.parent().expect("a folder")).expect("created");
        fs::write(file, "").expect("written");
    }
    let before = place.files();
    carried_out(plan(&target, None).expect("a plan"));
    assert_ne!(place.files(), before);
    carried_out(plan_removal(&target).expect("a plan"));
    assert_eq!(place.files(), before);
}

#[test]
fn a_removal_leaves_a_file_without_our_entries_as_it_is() {
    let place = Place::new();
    let project = place.project();
    let target = place.target("claude-code", Scope::Project, &project);
    for (file, text) in [
        (target.hooks_file(), "{ \"hooks\": {} }"),
        (target.servers_file(), "{}"),
    ] {
        let file = file.expect("a path");
        fs::create_dir_all(file.parent().expect("a folder")).expect("created");
        fs::write(file, text).expect("written");
    }
    let before = place.files();
    carried_out(plan_removal(&target).expect("a plan"));
    assert_eq!(place.files(), before);
}
