//! Changes that were planned are refused if something has changed before they are made.

use std::fs;
use std::path::Path;

use super::places::Scope;
use super::plan::plan;
use super::removal::plan_removal;
use super::tests::{Place, carried_out};
use super::{InstallRecord, Plan};

/// Asserts that a plan is refused because this file has changed, and that it changes no file.
#[track_caller]
fn is_refused(place: &Place, waiting: Plan, changed: &Path) {
    let before = place.files();
    let error = waiting.carry_out().expect_err("refused").to_string();
    let expected = format!(
        "`{}` has changed since `init` read it, so no file was changed; run the command again",
        changed.display()
    );
    assert_eq!(error, expected);
    assert_eq!(place.files(), before);
}

#[test]
fn an_installation_that_waited_does_not_overwrite_another_one() {
    let place = Place::new();
    let project = place.project();
    let codex = place.target("codex", Scope::Project, &project);
    let claude = place.target("claude-code", Scope::Project, &project);
    let site = codex.site().expect("a site");
    let waiting = plan(&codex, None).expect("a plan");
    carried_out(plan(&claude, None).expect("a plan"));
    is_refused(&place, waiting, &site.document);
    // The next plan records both agents, so that one of them stays gated when the other agent is removed.
    carried_out(plan(&codex, None).expect("a plan"));
    carried_out(plan_removal(&codex).expect("a plan"));
    let record = InstallRecord::read(&site).expect("a record");
    assert_eq!(record.agents, ["claude-code"]);
    assert!(site.document.is_file());
}

#[test]
fn no_file_changes_if_one_of_them_has_changed_while_the_question_waited() {
    for file in [
        "session.yaml",
        "calls.yaml",
        "settings.json",
        ".claude.json",
    ] {
        let place = Place::new();
        let project = place.project();
        let target = place.target("claude-code", Scope::User, &project);
        let waiting = plan(&target, None).expect("a plan");
        let mut changes = waiting.changes.iter();
        let change = changes.find(|change| change.path.ends_with(file));
        let path = change.expect("a change").path.clone();
        fs::create_dir_all(path.parent().expect("a folder")).expect("created");
        fs::write(&path, "{}").expect("written");
        is_refused(&place, waiting, &path);
        let record = InstallRecord::read(&target.site().expect("a site"));
        assert_eq!(record.expect("a record"), InstallRecord::default());
    }
}

#[test]
fn a_file_that_was_to_stay_as_it_is_is_compared_as_well() {
    let place = Place::new();
    let project = place.project();
    let target = place.target("claude-code", Scope::Project, &project);
    carried_out(plan(&target, None).expect("a plan"));
    let waiting = plan(&target, None).expect("a plan");
    assert!(waiting.is_done(), "{:?}", waiting.changes);
    // Without its hooks, the agent would not be gated, although the command reports an installation.
    let hooks = target.hooks_file().expect("a path");
    fs::remove_file(&hooks).expect("removed");
    is_refused(&place, waiting, &hooks);
}

#[test]
fn agents_with_no_file_in_common_do_not_overwrite_each_others_record() {
    let place = Place::new();
    let project = place.project();
    let codex = place.target("codex", Scope::Project, &project);
    let claude = place.target("claude-code", Scope::Project, &project);
    // Documents that a person has written are not changed.
    let site = codex.site().expect("a site");
    let folder = site.document.parent().expect("a folder");
    fs::create_dir_all(folder).expect("created");
    for file in ["session.yaml", "calls.yaml"] {
        fs::write(folder.join(file), "# mine\n").expect("written");
    }
    let record = InstallRecord::path(&site);
    let waiting = plan(&codex, None).expect("a plan");
    carried_out(plan(&claude, None).expect("a plan"));
    is_refused(&place, waiting, &record);
    carried_out(plan(&codex, None).expect("a plan"));
    let waiting = plan_removal(&claude).expect("a plan");
    carried_out(plan_removal(&codex).expect("a plan"));
    is_refused(&place, waiting, &record);
}
