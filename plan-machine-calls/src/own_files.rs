//! The files of the gate and of the agents' hooks that every project protects.

use std::ffi::OsString;
use std::path::PathBuf;

/// Files of the project and of the home folder. A path that ends with `/` is a folder with everything in it; `*`
/// matches any characters of a name.
const OWN: [&str; 29] = [
    ".plan-machine/",
    ".claude/settings*.json",
    ".claude/hooks/",
    ".claude/plugins/",
    ".mcp.json",
    "~/.claude.json",
    ".codex/",
    "opencode.json",
    "opencode.jsonc",
    ".opencode/",
    "~/.opencode/",
    ".gemini/settings*.json",
    ".gemini/hooks/",
    ".gemini/extensions/",
    "~/.gemini/settings*.json",
    "~/.gemini/hooks/",
    "~/.gemini/extensions/",
    ".cursor/hooks.json",
    ".cursor/hooks/",
    ".cursor/mcp.json",
    "~/.cursor/hooks.json",
    "~/.cursor/hooks/",
    "~/.cursor/mcp.json",
    ".goose/",
    ".goosehints",
    "~/.goose/",
    "~/.goosehints",
    ".agents/plugins/",
    "~/.agents/plugins/",
];

/// Files with the environment of a process, which often contains secrets.
const ENVIRONMENTS: [&str; 2] = ["/proc/*/environ", "/proc/*/task/*/environ"];

/// A folder that an environment variable can move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The name of the environment variable.
    pub(crate) variable: &'static str,
    /// The path of the folder if the variable is not set.
    pub(crate) usual: &'static str,
    /// The files and subfolders that belong to the gate or to an agent's hooks; an empty string means the whole folder.
    own: &'static [&'static str],
    /// The files in the folder that no call may read.
    secret: &'static [&'static str],
}

/// The files that every project protects.
pub(crate) struct OwnFiles {
    /// The files that no call may write.
    pub(crate) own: Vec<String>,
    /// The files that no call may read.
    pub(crate) secret: Vec<String>,
    /// The folders that variables have moved.
    pub(crate) moved: Vec<(&'static str, PathBuf)>,
}

/// The folders that environment variables can move. Their usual places are always protected as well.
pub(crate) const PLACES: [Place; 6] = [
    Place {
        variable: "PLAN_MACHINE_HOME",
        usual: "~/.plan-machine",
        own: &[""],
        secret: &["key"],
    },
    Place {
        variable: "XDG_STATE_HOME",
        usual: "~/.local/state",
        own: &["plan-machine/"],
        secret: &["plan-machine/key"],
    },
    Place {
        variable: "XDG_DATA_HOME",
        usual: "~/.local/share",
        own: &["plan-machine/"],
        secret: &[],
    },
    Place {
        variable: "XDG_CONFIG_HOME",
        usual: "~/.config",
        own: &["plan-machine/", "opencode/", "goose/"],
        secret: &[],
    },
    Place {
        variable: "CODEX_HOME",
        usual: "~/.codex",
        own: &[""],
        secret: &[],
    },
    Place {
        variable: "CLAUDE_CONFIG_DIR",
        usual: "~/.claude",
        own: &["settings*.json", "hooks/", "plugins/", ".claude.json"],
        secret: &[],
    },
];

/// Returns the files that every project protects.
pub(crate) fn own_files(variable: impl Fn(&str) -> Option<OsString>) -> OwnFiles {
    let mut files = OwnFiles {
        own: OWN.map(str::to_owned).to_vec(),
        secret: ENVIRONMENTS.map(str::to_owned).to_vec(),
        moved: Vec::new(),
    };
    for place in PLACES {
        files.add(&place, place.usual);
        let value = variable(place.variable).filter(|value| !value.is_empty());
        let folder = value.and_then(|value| std::path::absolute(value).ok());
        if let Some(folder) = folder {
            files.add(&place, &folder.to_string_lossy());
            files.moved.push((place.variable, folder));
        }
    }
    files
}

impl OwnFiles {
    fn add(&mut self, place: &Place, folder: &str) {
        let join = |file: &&str| format!("{folder}/{file}");
        self.own.extend(place.own.iter().map(join));
        self.secret.extend(place.secret.iter().map(join));
    }
}

#[cfg(test)]
mod tests {
    use plan_machine_kernel::calls::{Class, Document, ToolArguments};
    use plan_machine_kernel::json::{Json, Object};

    use super::*;
    use crate::{Classifier, FlagsTable, Project};

    /// Returns a classifier for a computer on which one variable, if any, is set to `/srv/moved`.
    fn with_variable(set: Option<&str>) -> Classifier {
        let moved = |name: &str| (Some(name) == set).then(|| OsString::from("/srv/moved"));
        let OwnFiles { own, secret, moved } = own_files(moved);
        let document = Document {
            name: "Test".to_owned(),
            tools: vec![ToolArguments {
                command: Some("command".to_owned()),
                ..ToolArguments::named("Bash")
            }],
            classes: vec!["writes".to_owned()],
            rules: Vec::new(),
            otherwise: 0,
        };
        let project = Project {
            own,
            secret,
            moved,
            ..Project::new("/srv/project").home("/home/ann")
        };
        Classifier::new(document, FlagsTable::built_in(), project)
    }

    fn is_held(classifier: &Classifier, command: &str) -> bool {
        let arguments: Object = [("command".to_owned(), Json::from(command))]
            .into_iter()
            .collect();
        classifier.classify("Bash", &arguments.into()).class == Class::Guard
    }

    #[test]
    fn each_variable_moves_files_that_are_protected_in_both_places() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/calls.md");
        let page = std::fs::read_to_string(page).expect("the page");
        let usual = with_variable(None);
        for place in PLACES {
            let name = place.variable;
            assert!(page.contains(&format!("`{name}`")), "{name} is on the page");
            let classifier = with_variable(Some(name));
            let files = place.own.iter().map(|file| match *file {
                "" => "x".to_owned(),
                folder if folder.ends_with('/') => format!("{folder}x"),
                file => file.replace('*', ".local"),
            });
            for file in files {
                for folder in ["/srv/moved", &format!("${name}"), place.usual] {
                    let command = format!("echo x > {folder}/{file}");
                    assert!(is_held(&classifier, &command), "{name}: {command}");
                }
                // Without the variable, nothing is special about the folder.
                let command = format!("echo x > /srv/moved/{file}");
                assert!(!is_held(&usual, &command), "{name}: {command}");
            }
            for file in place.secret {
                for folder in ["/srv/moved", place.usual] {
                    let command = format!("cat {folder}/{file}");
                    assert!(is_held(&classifier, &command), "{name}: {command}");
                }
            }
            assert!(!is_held(&classifier, "echo x > /srv/other/x"), "{name}");
        }
    }

    #[test]
    fn a_folder_that_a_variable_moves_is_protected_in_both_places() {
        let set = |name: &str| match name {
            "PLAN_MACHINE_HOME" => Some(OsString::from("/srv/gate")),
            "XDG_STATE_HOME" => Some(OsString::from("/srv/state")),
            "CODEX_HOME" => Some(OsString::new()),
            _ => None,
        };
        let OwnFiles { own, secret, moved } = own_files(set);
        for file in [
            "/srv/gate/",
            "/srv/state/plan-machine/",
            "~/.plan-machine/",
            "~/.local/state/plan-machine/",
            "~/.codex/",
        ] {
            assert!(own.iter().any(|known| known == file), "{file}");
        }
        for file in ["/srv/gate/key", "~/.local/state/plan-machine/key"] {
            assert!(secret.iter().any(|known| known == file), "{file}");
        }
        let moved: Vec<&str> = moved.iter().map(|(name, _)| *name).collect();
        assert_eq!(moved, ["PLAN_MACHINE_HOME", "XDG_STATE_HOME"]);
    }
}
