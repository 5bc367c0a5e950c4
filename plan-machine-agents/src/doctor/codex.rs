//! Does Codex run the hooks? It silently skips hooks that no person has trusted.

use plan_machine_kernel::digest::{hex, sha256};
use plan_machine_kernel::json::{Json, Object};
use toml_edit::{DocumentMut, Item};

use super::Finding;
use super::app_server::{self, AskError, ListedHook};
use crate::install::hooks::commands;
use crate::install::{InstallTarget, Scope, event_command, text_of, tool_command};

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
    let (program, name) = (target.program, target.agent.name());
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
        Err(cause) => Finding::wrong(CHECK, cause, TRUST),
    }
}

/// Returns the first event whose hook is not trusted or is switched off.
fn stored_trust(target: &InstallTarget<'_>) -> Result<Option<&'static str>, String> {
    let text = |path: &std::path::Path| text_of(path).map_err(|error| error.to_string());
    let file = target.hooks_file().map_err(|error| error.to_string())?;
    let hooks = text(&file)?.ok_or_else(|| format!("`{}` is missing", file.display()))?;
    let hooks = Json::parse(&hooks).map_err(|error| format!("`{}`: {error}", file.display()))?;
    let config = target
        .user
        .file(".codex/config.toml")
        .map_err(|error| error.to_string())?;
    let config = text(&config)?.unwrap_or_default();
    let config = config
        .parse::<DocumentMut>()
        .map_err(|error| error.message().to_owned())?;
    for (event, command) in wanted(target) {
        let (key, digest) = place(&hooks, &file, event, &command)
            .ok_or_else(|| format!("the {event} hook is missing"))?;
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
fn place(
    hooks: &Json,
    file: &std::path::Path,
    event: &str,
    command: &str,
) -> Option<(String, String)> {
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
    use super::*;

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
