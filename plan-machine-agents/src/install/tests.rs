//! Edits of real configurations keep everything that is not ours, and a removal restores the original files.

use std::fs;
use std::path::Path;

use super::places::{Scope, UserFolders};
use super::plan::plan;
use super::removal::plan_removal;
use super::shipped::CALLS_FILE;
use super::target::InstallTarget;
use super::{Plan, edit, hooks, servers};
use crate::agents::{AGENTS, HookShape, ServerShape, agent};
use crate::project::StateFolder;

const PROGRAM: &str = "/opt/plan machine/bin/plan-machine";

/// A project folder with a home folder next to it.
pub(crate) struct Place {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) user: UserFolders,
    home: StateFolder,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let home = folder.path().join("home");
        fs::create_dir_all(folder.path().join("project")).expect("a folder");
        fs::create_dir_all(&home).expect("a folder");
        Self {
            user: UserFolders {
                home: Some(home.clone()),
                moved: Vec::new(),
            },
            home: StateFolder::at(folder.path().join("state"))
                .with_config(home.join(".config/plan-machine")),
            folder,
        }
    }

    pub(crate) fn target<'a>(
        &'a self,
        name: &str,
        scope: Scope,
        project: &'a Path,
    ) -> InstallTarget<'a> {
        InstallTarget {
            agent: agent(name).expect("an agent"),
            scope,
            project,
            user: &self.user,
            home: &self.home,
            program: PROGRAM,
            hook: PROGRAM,
        }
    }

    pub(crate) fn project(&self) -> std::path::PathBuf {
        self.folder
            .path()
            .join("project")
            .canonicalize()
            .expect("a folder")
    }

    /// Returns all files and folders except those in the state folder.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let mut folders = vec![self.project(), self.folder.path().join("home")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).expect("readable") {
                let path = entry.expect("an entry").path();
                let text = if path.is_dir() {
                    String::new()
                } else {
                    fs::read_to_string(&path).expect("text")
                };
                found.push((path.display().to_string(), text));
                if path.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }
}

pub(crate) fn carried_out(plan: Plan) {
    plan.carry_out().expect("carried out");
}

/// The names of all agents that the gate supports.
pub(crate) const READY: [&str; 6] = [
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "goose",
    "cursor",
];

/// The content of a configuration file before the installation: a name for messages, the text as JSON, and the text as
/// TOML.
const TEXTS: [(&str, Option<&str>, Option<&str>); 5] = [
    ("nothing", None, None),
    ("{}", Some("{}"), Some("")),
    (
        "comments",
        Some("// mine\n{\n\t\"a\": [1, 2,], // one\n\t\"hooks\": { /* none */ },\n}\n"),
        Some("# mine\nmodel = \"x\" # fast\n\n[tui] # two\nnotifications = true\n# the end\n"),
    ),
    (
        "others",
        Some(
            "{\r\n  \"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": []}]},\r\n  \"mcp\": {},\r\n  \"mcpServers\": {\"x\": {\"command\": \"y\"}}\r\n}",
        ),
        Some(
            "# mine\r\nmodel = \"x\"   # fast\r\n\r\n[mcp_servers.x] # theirs\r\ncommand = 'y'\r\n\r\n[tui]\r\n",
        ),
    ),
    (
        "no comma",
        Some("{\n  \"z\": 1 // mine\n}\n"),
        Some("mcp_servers = { x = { command = \"y\" } } # mine"),
    ),
];

/// Writes a text to each of the agent's configuration files, except a plugin, which is ours as a whole.
fn configure(target: &InstallTarget<'_>, json: Option<&str>, toml: Option<&str>) {
    let installation = target.agent.installation();
    let servers = match installation.servers {
        ServerShape::Toml => toml,
        _ => json,
    };
    let files = [
        (
            target.hooks_file(),
            json,
            installation.hooks != HookShape::Plugin,
        ),
        (target.servers_file(), servers, true),
    ];
    for (file, text, is_shared) in files {
        let file = file.expect("a path");
        if let Some(text) = text.filter(|_| is_shared) {
            fs::create_dir_all(file.parent().expect("a folder")).expect("created");
            fs::write(file, text).expect("written");
        }
    }
}

/// Returns whether a line still contains everything that it contained before. Its arrays and objects may have new items
/// at their ends, on this line or on the next ones, after a comma.
fn continues(line: &str, before: &str) -> bool {
    let (plain, old) = (line.replace(',', ""), before.replace(',', ""));
    let mut parts = old
        .trim_end_matches(['\r', ' ', ']', '}'])
        .split([']', '}']);
    let mut rest = plain.strip_prefix(parts.next().unwrap_or_default());
    for part in parts {
        rest = rest.and_then(|rest| Some(rest.split_once(part)?.1));
    }
    rest.is_some() && line.ends_with('\r') == before.ends_with('\r')
}

/// Returns the first line of a text that another text does not have in the same order.
fn lost<'t>(before: &'t str, after: &str) -> Option<&'t str> {
    let mut rest = after.split('\n');
    let mut lines = before.split('\n');
    lines.find(|line| !rest.any(|other| continues(other, line)))
}

/// Asserts that the files still contain everything that they contained before.
#[track_caller]
fn keep_everything(before: &[(String, String)], after: &[(String, String)], case: &str) {
    for (path, text) in before {
        let now = after.iter().find(|(other, _)| other == path);
        let (_, now) = now.expect("the file is still there");
        assert_eq!(lost(text, now), None, "{case}: {path}\n{now}");
    }
}

#[test]
fn an_installation_keeps_every_line_and_its_removal_restores_every_byte() {
    for name in READY {
        for scope in [Scope::Project, Scope::User] {
            for (what, json, toml) in TEXTS {
                let case = format!("{name} {scope:?} {what}");
                let place = Place::new();
                let project = place.project();
                let target = place.target(name, scope, &project);
                configure(&target, json, toml);
                let before = place.files();
                carried_out(plan(&target, None).expect("a plan"));
                let installed = place.files();
                assert_ne!(installed, before, "{case}");
                keep_everything(&before, &installed, &case);
                let again = plan(&target, None).expect("a plan");
                assert!(again.is_done(), "{case}: {:?}", again.changes);
                carried_out(again);
                assert_eq!(place.files(), installed, "{case}");
                carried_out(plan_removal(&target).expect("a plan"));
                assert_eq!(place.files(), before, "{case}");
            }
        }
    }
}

#[test]
fn several_agents_share_a_project_and_leave_it_one_by_one() {
    let place = Place::new();
    let project = place.project();
    let before = place.files();
    for name in READY {
        carried_out(plan(&place.target(name, Scope::Project, &project), None).expect("a plan"));
    }
    for name in [
        "codex",
        "goose",
        "claude-code",
        "gemini",
        "cursor",
        "opencode",
    ] {
        carried_out(plan_removal(&place.target(name, Scope::Project, &project)).expect("a plan"));
    }
    assert_eq!(place.files(), before);
}

#[test]
fn every_agent_gets_a_hook_for_every_event() {
    for agent in AGENTS {
        let installation = agent.installation();
        if installation.hooks == HookShape::Plugin {
            continue;
        }
        let text = hooks::add(None, agent, PROGRAM)
            .expect("a path")
            .expect("an edit");
        for event in [
            installation.tool_events,
            installation.prompt_events,
            installation.other_events,
        ]
        .concat()
        {
            let found = edit::value_at(&text, &["hooks", event])
                .expect("JSON")
                .expect("a list");
            let entries = found.as_list().expect("a list");
            assert!(
                entries.iter().any(hooks::has_ours),
                "{} {event}",
                agent.name()
            );
        }
        if let Some((key, _)) = installation.fail_closed {
            assert!(text.contains(&format!("\"{key}\"")), "{}", agent.name());
        }
        assert_eq!(
            hooks::remove(&text, installation)
                .expect("an edit")
                .as_deref()
                .map(str::trim),
            match installation.hooks {
                HookShape::Flat => Some("{\n  \"version\": 1\n}"),
                _ => None,
            }
        );
    }
}

#[test]
fn a_moved_program_replaces_its_old_entry() {
    let codex = agent("codex").expect("an agent");
    let old = hooks::add(None, codex, "/old/plan-machine")
        .expect("a path")
        .expect("an edit");
    let new = hooks::add(Some(&old), codex, PROGRAM)
        .expect("a path")
        .expect("an edit");
    assert!(!new.contains("/old/") && new.contains(PROGRAM));
}

#[test]
fn a_configuration_that_switches_hooks_off_is_refused_with_the_file_and_the_setting() {
    let claude = (r#"{"disableAllHooks": true} // mine"#, "disableAllHooks");
    let codex = ("[features]\nhooks = false\n", "features.hooks");
    let inline = ("features.hooks = false\n", "features.hooks");
    let gemini = (
        r#"{"hooksConfig": {"enabled": false}}"#,
        "hooksConfig.enabled",
    );
    for (agent, file, (text, setting)) in [
        ("claude-code", "project/.claude/settings.json", claude),
        ("claude-code", "project/.claude/settings.local.json", claude),
        ("claude-code", "home/.claude/settings.json", claude),
        ("codex", "project/.codex/config.toml", codex),
        ("codex", "home/.codex/config.toml", inline),
        ("gemini", "project/.gemini/settings.json", gemini),
        ("gemini", "home/.gemini/settings.json", gemini),
    ] {
        let place = Place::new();
        let project = place.project();
        let target = place.target(agent, Scope::Project, &project);
        let file = place.folder.path().join(file);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(&file, text).expect("written");
        let refused = plan(&target, None).expect_err("refused").to_string();
        let name = file.file_name().expect("a name").to_string_lossy();
        assert!(
            refused.starts_with(&format!("`{setting}` in `")),
            "{refused}"
        );
        let words = format!("{name}` switches hooks off");
        assert!(refused.contains(&words), "{refused}");
        // The opposite setting switches nothing off.
        let on = text.replace("true", "off").replace("false", "true");
        fs::write(&file, on.replace("off", "false")).expect("written");
        plan(&target, None).expect("a plan");
    }
}

#[test]
fn a_configuration_that_is_not_an_object_is_refused_with_the_place() {
    let claude = agent("claude-code").expect("an agent");
    for (text, expected) in [
        ("[]", "expected an object at the top level"),
        ("{\"hooks\": []}", "expected an object in `hooks`"),
    ] {
        let refused = hooks::add(Some(text), claude, PROGRAM)
            .expect("a path")
            .expect_err("refused");
        assert_eq!(refused.to_string(), expected);
    }
}

#[test]
fn only_a_calls_document_that_exists_is_called_your_own() {
    let place = Place::new();
    let project = place.project();
    let target = place.target("claude-code", Scope::Project, &project);
    carried_out(plan(&target, None).expect("a plan"));
    let file = target
        .site()
        .expect("a site")
        .document
        .with_file_name(CALLS_FILE);
    let notes = || plan(&target, None).expect("a plan").notes;
    let is_own = |note: &String| note.contains("is your own file and stays as it is");
    fs::write(&file, "# mine\n").expect("written");
    assert!(notes().iter().any(is_own), "{:?}", notes());
    fs::remove_file(&file).expect("removed");
    assert!(!notes().iter().any(is_own), "{:?}", notes());
}

#[test]
fn toml_keeps_its_comments_and_other_tables() {
    let text = "# mine\nmodel = \"x\" # fast\n\n[mcp_servers.other]\ncommand = \"y\"\n\n[tui]\n";
    let added = servers::add(Some(text), ServerShape::Toml, PROGRAM).expect("an edit");
    for line in text.lines() {
        assert!(added.contains(line), "{added}");
    }
    assert!(added.contains("[mcp_servers.plan-machine]"), "{added}");
    assert_eq!(
        servers::add(Some(&added), ServerShape::Toml, PROGRAM).expect("an edit"),
        added
    );
    let removed = servers::remove(&added, ServerShape::Toml).expect("an edit");
    assert_eq!(removed.as_deref(), Some(text));
    let inline = "mcp_servers = { x = { command = \"y\" } }\n";
    let added = servers::add(Some(inline), ServerShape::Toml, PROGRAM).expect("an edit");
    assert_eq!(
        servers::add(Some(&added), ServerShape::Toml, PROGRAM).expect("an edit"),
        added
    );
    assert!(servers::add(Some("mcp_servers = 1"), ServerShape::Toml, PROGRAM).is_err());
    assert!(servers::add(Some("[x"), ServerShape::Toml, PROGRAM).is_err());
}

#[test]
fn the_plugin_folders_have_the_current_hooks() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../plugins");
    for name in ["claude-code", "codex"] {
        let agent = agent(name).expect("an agent");
        let hooks = hooks::add(None, agent, "plan-machine")
            .expect("a path")
            .expect("an edit");
        let found = fs::read_to_string(folder.join(name).join("hooks/hooks.json")).expect("text");
        assert_eq!(found, hooks, "{name}");
        let found = fs::read_to_string(folder.join(name).join(".mcp.json")).expect("text");
        let server = servers::add(None, ServerShape::Json, "plan-machine").expect("an edit");
        let value = |text: &str| plan_machine_kernel::json::Json::parse(text).expect("valid");
        assert_eq!(value(&found), value(&server), "{name}");
    }
}
