//! Checks that Codex runs the hooks. Codex silently skips hooks that no person has trusted.

use std::path::Path;

use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::{Json, Object};
use toml_edit::{DocumentMut, Item};

use super::app_server::{self, AskError, ListedHook};
use super::finding::{Finding, init};
use crate::install::hooks::commands;
use crate::install::{InstallError, InstallTarget, Scope, event_command, text_of, tool_command};

const CHECK: &str = "agent";

const TRUST: &str = "start `codex` in this folder, type `/hooks`, and trust and switch on the hooks of plan-machine";

/// Asks Codex itself; if Codex cannot be asked, reads what Codex has stored about trust.
pub(super) fn check(target: &InstallTarget<'_>) -> Finding {
    match app_server::hooks(target.project) {
        Ok(hooks) => judged(target, &hooks),
        Err(AskError::NotInstalled) => stored(target),
        Err(error) => {
            let found = stored(target);
            Finding {
                found: format!("{error}; {}", found.found),
                ..found
            }
        }
    }
}

/// Returns the events and commands that must be configured.
fn wanted(target: &InstallTarget<'_>) -> Vec<(&'static str, String)> {
    let installation = target.agent.installation();
    let (program, name) = (target.hook, target.agent.name());
    let tool = installation
        .tool_events
        .iter()
        .map(|event| (*event, tool_command(program, name)));
    let others = installation
        .prompt_events
        .iter()
        .chain(installation.other_events);
    let others = others.map(|event| (*event, event_command(program, name)));
    tool.chain(others)
        .filter_map(|(event, command)| Some((event, command.ok()?)))
        .collect()
}

fn judged(target: &InstallTarget<'_>, hooks: &[ListedHook]) -> Finding {
    for (event, command) in wanted(target) {
        let is_it =
            |hook: &&ListedHook| hook.event.eq_ignore_ascii_case(event) && hook.command == command;
        let Some(hook) = hooks.iter().find(is_it) else {
            let fix = match target.scope {
                Scope::Project => {
                    "run `plan-machine init --agent codex`, then start `codex` in this folder and trust the folder: Codex reads `.codex` only in trusted folders"
                }
                Scope::User => "run `plan-machine init --agent codex --user`",
            };
            return Finding::wrong(CHECK, format!("Codex does not find the {event} hook"), fix);
        };
        if !hook.is_enabled {
            return Finding::wrong(
                CHECK,
                format!("the {event} hook is switched off in Codex"),
                "switch it on in `/hooks`",
            );
        }
        if hook.trust != "trusted" && hook.trust != "managed" {
            return Finding::wrong(
                CHECK,
                format!("Codex skips the {event} hook, because it is {}", hook.trust),
                TRUST,
            );
        }
    }
    Finding::well(CHECK, "Codex runs all hooks of plan-machine")
}

/// Compares the digests that Codex has stored with those of our hooks.
fn stored(target: &InstallTarget<'_>) -> Finding {
    match stored_trust(target) {
        Ok(None) => Finding::well(
            CHECK,
            "according to Codex's configuration, a person has trusted all hooks of plan-machine (Codex itself could not be asked)",
        ),
        Ok(Some(event)) => Finding::wrong(
            CHECK,
            format!(
                "Codex skips the {event} hook: no person has trusted its current version, or it is switched off"
            ),
            TRUST,
        ),
        Err(finding) => finding,
    }
}

/// Returns the first event whose hook is not trusted or is switched off.
///
/// # Errors
///
/// If the hooks are not installed, or if a file cannot be read.
fn stored_trust(target: &InstallTarget<'_>) -> Result<Option<&'static str>, Finding> {
    // These errors name their file and its problem.
    let failed = |error: InstallError| Finding::wrong(CHECK, error.to_string(), "");
    let broken = |path: &Path, cause: &str| {
        let path = path.display();
        Finding::wrong(CHECK, format!("`{path}`: {cause}"), "fix this file")
    };
    let missing = |what: String| Finding::wrong(CHECK, format!("{what} is missing"), init(target));
    let file = target.used_hooks_file().map_err(failed)?;
    let hooks = text_of(&file).map_err(failed)?;
    let hooks = hooks.ok_or_else(|| missing(format!("`{}`", file.display())))?;
    let hooks = Json::parse(&hooks).map_err(|error| broken(&file, &error.to_string()))?;
    let path = target.user.file(".codex/config.toml").map_err(failed)?;
    let config = text_of(&path).map_err(failed)?.unwrap_or_default();
    let config = config
        .parse::<DocumentMut>()
        .map_err(|error| broken(&path, &format!("it is not valid TOML: {}", error.message())))?;
    for (event, command) in wanted(target) {
        let (key, digest) = place(&hooks, &file, event, &command)
            .ok_or_else(|| missing(format!("the {event} hook")))?;
        let state = config
            .get("hooks")
            .and_then(|hooks| hooks.get("state")?.get(&key));
        let trusted = state
            .and_then(|state| state.get("trusted_hash"))
            .and_then(Item::as_str);
        let enabled = state
            .and_then(|state| state.get("enabled"))
            .and_then(Item::as_bool);
        if trusted != Some(digest.as_str()) || enabled == Some(false) {
            return Ok(Some(event));
        }
    }
    Ok(None)
}

/// Returns Codex's key for a hook, and the digest of the hook.
fn place(hooks: &Json, file: &Path, event: &str, command: &str) -> Option<(String, String)> {
    let groups = hooks
        .as_object()?
        .get("hooks")?
        .as_object()?
        .get(event)?
        .as_list()?;
    for (group_at, group) in groups.iter().enumerate() {
        for (at, found) in commands(group).iter().enumerate() {
            if *found == command {
                let label = label(event);
                let hook = group
                    .as_object()?
                    .get("hooks")?
                    .as_list()?
                    .get(at)?
                    .as_object()?;
                return Some((
                    format!("{}:{label}:{group_at}:{at}", file.display()),
                    digest(&label, hook),
                ));
            }
        }
    }
    None
}

/// Returns the digest that Codex 0.166 computes from the event and the hook, without the fields that are not set.
fn digest(label: &str, hook: &Object) -> String {
    let mut normal = Object::new();
    normal.insert("async", false);
    for key in ["command", "timeout", "type"] {
        if let Some(value) = hook.get(key) {
            normal.insert(key, value.clone());
        }
    }
    let mut identity = Object::new();
    identity.insert("event_name", label);
    identity.insert("hooks", Json::List(vec![normal.into()]));
    let text = Json::from(identity).canonical();
    format!("sha256:{}", hex(&sha256(&[text.as_bytes()])))
}

/// Returns the event in snake case.
fn label(event: &str) -> String {
    let mut label = String::new();
    for letter in event.chars() {
        if letter.is_ascii_uppercase() && !label.is_empty() {
            label.push('_');
        }
        label.push(letter.to_ascii_lowercase());
    }
    label
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::agents::agent;
    use crate::install::{UserFolders, plan};
    use crate::project::StateFolder;

    #[test]
    fn only_hooks_that_can_be_trusted_get_the_help_to_trust_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let (project, home) = (folder.path().join("project"), folder.path().join("home"));
        fs::create_dir_all(&project).expect("a folder");
        fs::create_dir_all(home.join(".codex")).expect("a folder");
        let target = InstallTarget {
            agent: agent("codex").expect("an agent"),
            scope: Scope::Project,
            project: &project,
            user: &UserFolders {
                home: Some(home.clone()),
                moved: Vec::new(),
            },
            home: &StateFolder::at(folder.path().join("state")),
            program: "/opt/plan-machine",
            hook: "/opt/plan-machine",
        };
        let finding = stored(&target);
        assert!(finding.found.ends_with("is missing"), "{}", finding.found);
        assert_eq!(finding.fix, init(&target));
        let planned = plan(&target, None).expect("a plan");
        planned.carry_out().expect("carried out");
        assert_eq!(stored(&target).fix, TRUST);
        let config = home.join(".codex/config.toml");
        fs::write(&config, "[x").expect("written");
        let finding = stored(&target);
        let words = format!("`{}`: it is not valid TOML", config.display());
        assert!(finding.found.starts_with(&words), "{}", finding.found);
        assert_eq!(finding.fix, "fix this file");
        let file = target.hooks_file().expect("a path");
        fs::write(&file, "{").expect("written");
        assert_eq!(stored(&target).fix, "fix this file");
    }

    #[test]
    fn the_digest_is_that_of_codex() {
        // Codex 0.166.0 reports this digest in `hooks/list` of its app server.
        let mut hook = Object::new();
        hook.push("type", "command");
        hook.push("command", "true");
        hook.push("timeout", 30_i64);
        let measured = "sha256:3e090fb4b9152d9fb4888d607c0cdda92da53888edba81069641afa35ead0d00";
        assert_eq!(digest(&label("PreToolUse"), &hook), measured);
    }
}
