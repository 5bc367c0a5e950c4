//! Does the store work?

use tokio::runtime::Builder;

use super::Finding;
use crate::install::InstallTarget;
use crate::keeper::{GateError, Keeper};
use crate::project::Site;

const CHECK: &str = "store";

/// Opens the store and counts its sessions.
pub(super) fn check(target: &InstallTarget<'_>, site: &Site) -> Finding {
    let path = site.store();
    match sessions(target, site) {
        Ok(count) => Finding::well(CHECK, {
            let plural = if count == 1 { "" } else { "s" };
            format!("`{}` has {count} session{plural}", path.display())
        }),
        Err(error @ GateError::Project(_)) => {
            Finding::skipped(CHECK, format!("not opened: {error}"))
        }
        Err(error) => Finding::wrong(
            CHECK,
            error.to_string(),
            format!(
                // A new file must not find the log of the damaged one.
                "stop other programs that use `{0}`; if the file is damaged, move it away together with its log, with `mkdir {0}.damaged && mv {0} {0}-* {0}.damaged`: all conversations then start over, without a plan",
                path.display()
            ),
        ),
    }
}

fn sessions(target: &InstallTarget<'_>, site: &Site) -> Result<usize, GateError> {
    let keeper = Keeper::open(target.home, site.clone(), &site.root)?;
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| GateError::Start(error.to_string()))?;
    runtime.block_on(async {
        let count = keeper.all_sessions().await?.len();
        keeper.close().await?;
        Ok(count)
    })
}
