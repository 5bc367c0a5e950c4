//! Does the store work?

use plan_machine_sessions::store::without_password;
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
        // The check of the documents says what to do about them.
        Err(GateError::Project(error)) => match error.untrusted() {
            Some((found, _)) => Finding::skipped(CHECK, format!("not opened: {found}")),
            None => Finding::skipped(CHECK, format!("not opened: {error}")),
        },
        Err(error) => Finding::wrong(
            CHECK,
            error.to_string(),
            format!(
                // A new file must not find the log of the damaged one.
                "stop other programs that use `{0}`; if the file is damaged, move it away together with its log, with `mkdir {0}.damaged && mv {0} {0}-* {0}.damaged`: all conversations then start over, without a plan",
                site.store().display()
            ),
        ),
    }
}

/// Returns the store as it may be shown, and the number of the project's sessions.
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
