//! Checks when the agent last called the hook.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use plan_machine_kernel::json::Json;
use plan_machine_kernel::time::Instant;

use super::finding::Finding;
use crate::install::InstallTarget;
use crate::project::{Site, files};

const CHECK: &str = "heartbeat";

/// Reads the heartbeat that the hook leaves. If the real agent has confirmed its hooks (`is_seen`), a missing heartbeat
/// is not a problem.
pub(super) fn check(target: &InstallTarget<'_>, site: &Site, is_seen: bool) -> Finding {
    let title = target.agent.title();
    let file = site
        .state
        .join(format!("heartbeat-{}.json", target.agent.name()));
    let text = match files::read_text(&file) {
        Ok(text) => text,
        Err(error) => return Finding::wrong(CHECK, error.to_string(), "make the file readable"),
    };
    let start =
        format!("start {title} in this folder, send any message, and run this command again");
    let Some(text) = text else {
        let found = format!("{title} has not called the hook in this project yet");
        if is_seen {
            return Finding::skipped(CHECK, found);
        }
        return Finding::pending(CHECK, found, start);
    };
    let at = Json::parse(&text).ok();
    let at = at.as_ref().and_then(|beat| {
        beat.as_object()?
            .get("at")?
            .as_text()?
            .parse::<Instant>()
            .ok()
    });
    let hooks = target.hooks_file().ok();
    let hooks = hooks.filter(|hooks| !is_seen && is_older(&file, hooks));
    match (at, hooks) {
        (Some(at), Some(hooks)) => Finding::pending(
            CHECK,
            format!(
                "{title} called the hook {}, but not since `{}` was last changed, for example by `init`",
                ago(at),
                hooks.display()
            ),
            start,
        ),
        (Some(at), None) => Finding::well(CHECK, format!("{title} called the hook {}", ago(at))),
        (None, _) => Finding::wrong(
            CHECK,
            format!("`{}` is damaged", file.display()),
            format!("delete it with `rm {}`", file.display()),
        ),
    }
}

/// Returns the text of the heartbeat file, so that the caller can see whether it changes.
pub(super) fn text(target: &InstallTarget<'_>, site: &Site) -> Option<String> {
    let file = site
        .state
        .join(format!("heartbeat-{}.json", target.agent.name()));
    files::read_text(&file).ok().flatten()
}

/// Returns whether a file was written before another one.
fn is_older(one: &Path, other: &Path) -> bool {
    let written = |path| fs::metadata(path).and_then(|found| found.modified()).ok();
    matches!((written(one), written(other)), (Some(one), Some(other)) if one < other)
}

fn ago(at: Instant) -> String {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let now = now.map_or(0, |since| since.as_secs());
    let past = now.saturating_sub(at.since_1970().as_secs());
    match past {
        0..=119 => format!("{past} s ago"),
        120..=7199 => format!("{} min ago", past / 60),
        7200..=172_799 => format!("{} h ago", past / 3600),
        _ => format!("{} days ago", past / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::agents::agent;
    use crate::doctor::Status;
    use crate::install::{Scope, UserFolders};
    use crate::project::StateFolder;

    #[test]
    fn a_heartbeat_from_before_the_installation_is_a_hint() {
        let folder = tempfile::tempdir().expect("a folder");
        let project = folder.path().join("project");
        let target = InstallTarget {
            agent: agent("claude-code").expect("an agent"),
            scope: Scope::Project,
            project: &project,
            user: &UserFolders {
                home: None,
                moved: Vec::new(),
            },
            home: &StateFolder::at(folder.path().join("state")),
            program: "/opt/plan-machine",
            hook: "/opt/plan-machine",
        };
        let site = target.site().expect("a site");
        let hooks = target.hooks_file().expect("a path");
        fs::create_dir_all(hooks.parent().expect("a folder")).expect("a folder");
        fs::create_dir_all(&site.state).expect("a folder");
        fs::write(&hooks, "{}").expect("written");
        let beat = site.state.join("heartbeat-claude-code.json");
        fs::write(&beat, r#"{"at":"2026-01-01T00:00:00Z"}"#).expect("written");
        let now = SystemTime::now();
        let hour = Duration::from_secs(3600);
        for (at, is_seen, status) in [
            (now + hour, false, Status::Well),
            (now - hour, false, Status::Pending),
            (now - hour, true, Status::Well),
        ] {
            let file = fs::File::options().append(true).open(&beat);
            let changed = file.and_then(|file| file.set_modified(at));
            changed.expect("a changed time");
            assert_eq!(check(&target, &site, is_seen).status, status);
        }
    }
}
