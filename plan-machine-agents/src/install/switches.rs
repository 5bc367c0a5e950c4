//! Settings that switch all hooks of an agent off. With such a setting, the gate would never be asked.

use std::path::PathBuf;

use plan_machine_kernel::json::Json;
use toml_edit::{DocumentMut, Item};

use super::change::text_of;
use super::edit;
use super::error::InstallError;
use super::places::{Scope, existing};
use super::target::InstallTarget;
use crate::agents::HookSwitch;

/// Checks that no setting switches the hooks of the agent off, in any of the files that the agent reads here.
///
/// # Errors
///
/// If there is such a setting, or if a file cannot be read.
pub(super) fn check(target: &InstallTarget<'_>) -> Result<(), InstallError> {
    for switch in target.agent.installation().switches {
        for path in files(target, switch) {
            let text = text_of(&path)?.unwrap_or_default();
            let is_toml = path.extension().is_some_and(|ext| ext == "toml");
            let value = if is_toml {
                in_toml(&text, switch.keys)
            } else {
                in_json(&text, switch.keys)
            };
            if value == Some(switch.off) {
                let setting = switch.keys.join(".");
                return Err(InstallError::HooksAreOff { path, setting });
            }
        }
    }
    Ok(())
}

/// Returns the files that can have the setting. The settings of a project do not matter for an installation for all
/// projects.
fn files(target: &InstallTarget<'_>, switch: &HookSwitch) -> Vec<PathBuf> {
    let of_project = switch.project_files.iter();
    let of_project = of_project.filter(|_| target.scope == Scope::Project);
    let of_project = of_project.map(|file| target.project.join(file));
    let of_user = switch.user_files.iter();
    // Without a home folder, there are no files of the user.
    let of_user = of_user.filter_map(|file| target.user.file(file).ok());
    of_project.chain(of_user).map(existing).collect()
}

/// Returns the value of a setting in JSON; `None` if it is not set, or if the text is invalid.
fn in_json(text: &str, keys: &[&str]) -> Option<bool> {
    let found = edit::value_at(text, keys).ok()?;
    found.as_ref().and_then(Json::as_bool)
}

/// Returns the value of a setting in TOML; `None` if it is not set, or if the text is invalid.
fn in_toml(text: &str, keys: &[&str]) -> Option<bool> {
    let document = text.parse::<DocumentMut>().ok()?;
    let mut item: &Item = document.as_item();
    for key in keys {
        item = item.get(key)?;
    }
    item.as_bool()
}
