//! What the check of the configuration finds after real installations and removals.

use std::fs;
use std::path::Path;

use super::configuration::check;
use super::finding::Status;
use crate::install::tests::{Place, READY, carried_out};
use crate::install::{InstallTarget, Scope, plan, plan_removal, text_of};

fn install(target: &InstallTarget<'_>) {
    carried_out(plan(target, None).expect("a plan"));
}

#[test]
fn a_project_that_the_hooks_of_the_user_gate_gets_documents_but_no_second_hooks() {
    for name in READY {
        let place = Place::new();
        let project = place.project();
        let [own, user] =
            [Scope::Project, Scope::User].map(|scope| place.target(name, scope, &project));
        install(&user);
        let planned = plan(&own, None).expect("a plan");
        let hooks = user.hooks_file().expect("a path");
        assert_eq!(planned.user_hooks.as_ref(), Some(&hooks), "{name}");
        carried_out(planned);
        assert!(own.site().expect("a site").document.is_file(), "{name}");
        let file = own.hooks_file().expect("a path");
        let text = text_of(&file).expect("readable").unwrap_or_default();
        assert!(!text.contains(" hook --agent "), "{name}: {text}");
        let finding = check(&own);
        assert_eq!(finding.status, Status::Well, "{name}: {finding:?}");
        let shown = format!("`{}`", hooks.display());
        assert!(finding.found.contains(&shown), "{name}: {finding:?}");

        // Without the hooks of the user, the project needs its own.
        carried_out(plan_removal(&user).expect("a plan"));
        assert_eq!(check(&own).status, Status::Wrong, "{name}");
        install(&own);
        assert!(file.is_file(), "{name}");
        assert_eq!(check(&own).status, Status::Well, "{name}");
    }
}

#[test]
fn hooks_in_the_project_and_in_the_home_folder_are_reported_with_the_command_that_removes_one() {
    for name in READY {
        let place = Place::new();
        let project = place.project();
        let [own, user] =
            [Scope::Project, Scope::User].map(|scope| place.target(name, scope, &project));
        install(&own);
        let planned = plan(&user, None).expect("a plan");
        let says_so = |note: &String| note.contains("decided twice");
        assert!(planned.notes.iter().any(says_so), "{:?}", planned.notes);
        carried_out(planned);
        for target in [&own, &user] {
            let finding = check(target);
            assert_eq!(finding.status, Status::Wrong, "{name}: {finding:?}");
            assert!(finding.found.contains("decided twice"), "{finding:?}");
            for scope in ["", " --user"] {
                let command = format!("`plan-machine init --agent {name}{scope} --remove`");
                assert!(finding.fix.contains(&command), "{finding:?}");
            }
        }
        carried_out(plan_removal(&user).expect("a plan"));
        assert_eq!(check(&own).status, Status::Well, "{name}");
    }
}

#[test]
fn a_home_folder_that_is_a_project_has_only_one_file_of_hooks() {
    let place = Place::new();
    let home = place.folder.path().join("home");
    for scope in [Scope::User, Scope::Project] {
        install(&place.target("claude-code", scope, &home));
    }
    let finding = check(&place.target("claude-code", Scope::Project, &home));
    assert_eq!(finding.status, Status::Well, "{finding:?}");
}

#[cfg(unix)]
#[test]
fn a_pipe_in_place_of_a_file_is_refused_without_waiting() {
    for file in [
        ".claude/settings.json",
        ".claude/settings.local.json",
        ".mcp.json",
        ".plan-machine/session.yaml",
        ".plan-machine/calls.yaml",
    ] {
        let place = Place::new();
        let project = place.project();
        let target = place.target("claude-code", Scope::Project, &project);
        install(&target);
        let path = project.join(file);
        let _ = fs::remove_file(&path);
        make_pipe(&path);
        let words = format!("{file}` cannot be used: it is not a regular file");
        let refused = plan(&target, None).expect_err("refused").to_string();
        assert!(refused.ends_with(&words), "{refused}");
        let finding = check(&target);
        assert_eq!(finding.found, refused);
        assert!(
            finding.fix.starts_with("fix or remove this file"),
            "{finding:?}"
        );
        // A removal does not read the settings that it does not write.
        if !file.contains("local") {
            let refused = plan_removal(&target).expect_err("refused").to_string();
            assert!(refused.ends_with(&words), "{refused}");
        }
    }
}

#[cfg(unix)]
fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo").success());
}

#[test]
fn settings_that_switch_hooks_off_are_named_with_their_file() {
    for (name, file, text) in [
        (
            "claude-code",
            "home/.claude/settings.json",
            r#"{"disableAllHooks": true}"#,
        ),
        (
            "claude-code",
            "project/.claude/settings.local.json",
            r#"{"disableAllHooks": true}"#,
        ),
        (
            "codex",
            "home/.codex/config.toml",
            "[features]\nhooks = false\n",
        ),
        (
            "codex",
            "project/.codex/config.toml",
            "features = { hooks = false }\n",
        ),
    ] {
        let place = Place::new();
        let project = place.project();
        let target = place.target(name, Scope::Project, &project);
        install(&target);
        let path = place.folder.path().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, text).expect("written");
        let finding = check(&target);
        assert_eq!(finding.status, Status::Wrong, "{file}");
        let words = format!(
            "{}` switches hooks off",
            file.split_once('/').expect("a folder").1
        );
        assert!(finding.found.contains(&words), "{finding:?}");
        assert!(
            finding.found.ends_with("remove that setting first"),
            "{finding:?}"
        );
        assert_eq!(finding.fix, "", "the text already says what to do");
    }
}

#[test]
fn after_a_damaged_record_is_deleted_an_installation_writes_it_again() {
    for garbage in [&b"garbage"[..], b"{}", b"\xff\xfe"] {
        let place = Place::new();
        let before = place.files();
        let project = place.project();
        let target = place.target("codex", Scope::Project, &project);
        carried_out(plan(&target, None).expect("a plan"));
        let record = target.site().expect("a site").state.join("installed.json");
        fs::write(&record, garbage).expect("written");
        let finding = check(&target);
        for refused in [
            plan(&target, None).expect_err("refused").to_string(),
            plan_removal(&target).expect_err("refused").to_string(),
            finding.found,
        ] {
            let advice = "is damaged; delete it and run `plan-machine init --agent NAME` again";
            assert!(refused.contains("installed.json`"), "{refused}");
            assert!(refused.contains(advice), "{refused}");
        }
        assert_eq!(finding.fix, "", "the text already says what to do");

        fs::remove_file(&record).expect("removed");
        carried_out(plan(&target, None).expect("a plan"));
        assert_eq!(check(&target).status, Status::Well);
        carried_out(plan_removal(&target).expect("a plan"));
        let left: Vec<String> = place.files().into_iter().map(|(path, _)| path).collect();
        let is_document = |path: &&String| path.contains(".plan-machine");
        let known = left.iter().filter(|path| !is_document(path));
        // The folder of the agent is left, because the record of created folders is lost.
        let known = known.filter(|path| !path.ends_with("/.codex"));
        assert_eq!(known.count(), before.len(), "{left:?}");
    }
}
