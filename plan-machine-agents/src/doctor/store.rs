//! Checks that the store works.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine_sessions::store::{shell_word, without_password};
use tokio::runtime::Builder;

use super::finding::{Finding, init};
use crate::install::InstallTarget;
use crate::keeper::{GateError, Keeper};
use crate::project::{ProjectError, Site};

const CHECK: &str = "store";

/// Opens the store and counts the sessions of the project.
pub(super) fn check(target: &InstallTarget<'_>, site: &Site) -> Finding {
    match sessions(target, site) {
        Ok((store, count)) => Finding::well(CHECK, {
            let plural = if count == 1 { "" } else { "s" };
            format!("`{store}` has {count} session{plural}")
        }),
        Err(
            error @ (GateError::SharedStore { .. }
            | GateError::Project(
                ProjectError::NoAddress(_) | ProjectError::ChangedAddress(_),
            )),
        ) => Finding::wrong(
            CHECK,
            error.to_string(),
            format!(
                "{} --store postgres:URL`, with the address of a server that is running",
                init(target).trim_end_matches('`')
            ),
        ),
        // The check of the documents reports how to fix this problem.
        Err(GateError::Project(error)) => match error.untrusted() {
            Some((found, _)) => Finding::skipped(CHECK, format!("not opened: {found}")),
            None => Finding::skipped(CHECK, format!("not opened: {error}")),
        },
        Err(error) => Finding::wrong(
            CHECK,
            error.to_string(),
            format!(
                "stop other programs that use `{}`; if the file is damaged, move it away together with its log, with `{}`: all conversations then start over, without a plan",
                site.store().display(),
                command_to_move(&site.store())
            ),
        ),
    }
}

/// Returns the command that moves a store away, with its log, to a new folder. A new store must not be opened with the
/// log of the damaged one. The command names only files that exist, because a pattern without a match is an error.
fn command_to_move(store: &Path) -> String {
    let mut folder = with_end(store, ".damaged");
    let mut number = 2;
    while fs::symlink_metadata(&folder).is_ok() {
        folder = with_end(store, &format!(".damaged-{number}"));
        number += 1;
    }
    let folder = shell_word(&folder);
    let files = ["", "-wal", "-shm", "-journal"].map(|end| with_end(store, end));
    let files = files
        .iter()
        .filter(|file| fs::symlink_metadata(file).is_ok());
    let files: Vec<String> = files.map(|file| shell_word(file)).collect();
    format!("mkdir {folder} && mv {} {folder}", files.join(" "))
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(end);
    path.into()
}

/// Returns the address of the store without its password, and the number of the project's sessions.
fn sessions(target: &InstallTarget<'_>, site: &Site) -> Result<(String, usize), GateError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| GateError::Start(error.to_string()))?;
    runtime.block_on(async {
        let keeper = Keeper::open(target.home, site.clone(), &site.root).await?;
        let count = keeper.all_sessions().await?.len();
        keeper.close().await?;
        let store = match keeper.shared_store() {
            None => site.store().display().to_string(),
            Some(shared) => without_password(shared.address()),
        };
        Ok((store, count))
    })
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn the_command_that_moves_a_damaged_store_works_in_each_shell() {
        for shell in ["bash", "zsh", "sh"] {
            for log in ["", "-wal"] {
                let place = tempfile::tempdir().expect("a folder");
                let store = place.path().join("Ann's $(state)/sessions.db");
                let folder = store.parent().expect("a folder");
                fs::create_dir(folder).expect("a folder");
                for (round, moved) in ["sessions.db.damaged", "sessions.db.damaged-2"]
                    .into_iter()
                    .enumerate()
                {
                    for end in ["", log] {
                        fs::write(with_end(&store, end), "damaged").expect("written");
                    }
                    let command = command_to_move(&store);
                    // Shells that are not installed are skipped.
                    let Ok(run) = Command::new(shell).args(["-c", &command]).output() else {
                        continue;
                    };
                    assert!(run.status.success(), "{shell}: {command}: {run:?}");
                    assert!(
                        folder.join(moved).join("sessions.db").is_file(),
                        "{command}"
                    );
                    let left = fs::read_dir(folder).expect("the folder").count();
                    assert_eq!(left, round + 1, "{command}");
                }
            }
        }
    }
}
