//! A removal leaves nothing of ours, whatever happened to the files since the first installation.

use std::collections::BTreeSet;
use std::fs;

use super::places::Scope;
use super::plan::plan;
use super::removal::plan_removal;
use super::target::InstallTarget;
use super::tests::{Place, READY, carried_out};
use super::{CALLS_FILE, InstallRecord};
use crate::project::{DOCUMENT, Documents, Site};

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
        // A clone contains the configuration of another user, but not the record of what was installed.
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

/// Installs the gate for Codex, and edits the session document with this function. Returns the project.
fn with_edited_session(place: &Place, edit: impl Fn(&str) -> String) -> Site {
    let project = place.project();
    let target = place.target("codex", Scope::Project, &project);
    carried_out(plan(&target, None).expect("a plan"));
    let site = target.site().expect("a site");
    let text = fs::read_to_string(&site.document).expect("a document");
    fs::write(&site.document, edit(&text)).expect("written");
    site
}

/// Asserts that exactly these documents remain.
#[track_caller]
fn has_documents(site: &Site, expected: &[&str]) {
    let folder = site.document.parent().expect("a folder");
    let left = fs::read_dir(folder).into_iter().flatten();
    let left = left.map(|entry| entry.expect("an entry").file_name());
    let left: BTreeSet<String> = left.map(|name| name.to_string_lossy().into()).collect();
    let expected: BTreeSet<String> = expected.iter().map(|&name| name.into()).collect();
    assert_eq!(left, expected);
}

const MACHINE: &str = "look_then_act.yaml";

#[test]
fn a_removal_keeps_the_documents_that_an_edited_session_document_names() {
    let place = Place::new();
    let site = with_edited_session(&place, |text| format!("{text}# changed\n"));
    let project = place.project();
    let target = place.target("codex", Scope::Project, &project);
    let removal = plan_removal(&target).expect("a plan");
    let notes = removal.notes.join("\n");
    for part in ["was edited and is therefore kept", MACHINE, CALLS_FILE] {
        assert!(notes.contains(part), "{notes}");
    }
    carried_out(removal);
    has_nothing_of_ours(&target, "codex");
    has_documents(&site, &[DOCUMENT, MACHINE, CALLS_FILE]);
    Documents::prove(&site).expect("valid documents");

    // The next installation finds the documents in the record, and rewrites the calls document for its own agent.
    let other = place.target("claude-code", Scope::Project, &project);
    carried_out(plan(&other, None).expect("a plan"));
    let calls = site.document.with_file_name(CALLS_FILE);
    let calls = fs::read_to_string(calls).expect("a calls document");
    assert!(calls.contains("calls: ClaudeCode"), "{calls}");
    carried_out(plan_removal(&other).expect("a plan"));

    // Once the edited document is deleted, a removal also removes the other documents.
    fs::remove_file(&site.document).expect("removed");
    carried_out(plan_removal(&other).expect("a plan"));
    has_documents(&site, &[]);
    let record = InstallRecord::read(&site).expect("a record");
    assert_eq!(record, InstallRecord::default());
}

#[test]
fn a_removal_deletes_documents_that_an_edited_session_document_does_not_name() {
    let place = Place::new();
    let site = with_edited_session(&place, |text| text.replace(MACHINE, "mine.yaml"));
    let file = |name: &str| site.document.with_file_name(name);
    fs::copy(file(MACHINE), file("mine.yaml")).expect("copied");
    Documents::read(&site).expect("valid documents");
    let project = place.project();
    let target = place.target("codex", Scope::Project, &project);
    carried_out(plan_removal(&target).expect("a plan"));
    has_documents(&site, &[DOCUMENT, "mine.yaml", CALLS_FILE]);
}

#[test]
fn a_removal_keeps_all_documents_of_a_session_document_with_errors() {
    let place = Place::new();
    let site = with_edited_session(&place, |_| "session: [\n".to_owned());
    let project = place.project();
    let target = place.target("codex", Scope::Project, &project);
    carried_out(plan_removal(&target).expect("a plan"));
    has_documents(&site, &[DOCUMENT, MACHINE, CALLS_FILE]);
}

#[test]
fn an_installation_writes_missing_documents_that_the_session_document_names() {
    let place = Place::new();
    let site = with_edited_session(&place, |text| format!("{text}# changed\n"));
    for name in [MACHINE, CALLS_FILE] {
        fs::remove_file(site.document.with_file_name(name)).expect("removed");
    }
    let edited = fs::read_to_string(&site.document).expect("a document");
    let project = place.project();
    let target = place.target("codex", Scope::Project, &project);
    let again = plan(&target, None).expect("a plan");
    again.prove().expect("documents that will be valid");
    carried_out(again);
    has_documents(&site, &[DOCUMENT, MACHINE, CALLS_FILE]);
    Documents::prove(&site).expect("valid documents");
    let kept = fs::read_to_string(&site.document).expect("a document");
    assert_eq!(kept, edited);
}
