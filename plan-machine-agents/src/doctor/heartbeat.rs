//! When did the agent last call the hook?

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
    let Some(text) = text else {
        let found = format!("{title} has not called the hook in this project yet");
        if is_seen {
            return Finding::skipped(CHECK, found);
        }
        return Finding::pending(
            CHECK,
            found,
            format!("start {title} in this folder, send any message, and run this command again"),
        );
    };
    let at = Json::parse(&text).ok();
    let at = at.as_ref().and_then(|beat| {
        beat.as_object()?
            .get("at")?
            .as_text()?
            .parse::<Instant>()
            .ok()
    });
    match at {
        Some(at) => Finding::well(CHECK, format!("{title} called the hook {}", ago(at))),
        None => Finding::wrong(
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
