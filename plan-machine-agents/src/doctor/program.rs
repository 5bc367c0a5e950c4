//! Can the agent start the program that the hooks name?

use std::fs;

use super::{Finding, init};
use crate::install::InstallTarget;

const CHECK: &str = "program";

/// Checks that the program is an executable file, and that not everybody can change it.
pub(super) fn check(target: &InstallTarget<'_>) -> Finding {
    let program = target.program;
    let found = match fs::metadata(program) {
        Ok(found) => found,
        Err(error) => {
            return Finding::wrong(
                CHECK,
                format!("`{program}` cannot be used: {error}"),
                init(target),
            );
        }
    };
    if !found.is_file() {
        return Finding::wrong(CHECK, format!("`{program}` is not a file"), init(target));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = found.permissions().mode();
        if mode & 0o111 == 0 {
            return Finding::wrong(
                CHECK,
                format!("`{program}` is not executable"),
                format!("run `chmod +x {program}`"),
            );
        }
        if mode & 0o002 != 0 {
            return Finding::wrong(
                CHECK,
                format!("everybody can change `{program}`"),
                format!("run `chmod o-w {program}`"),
            );
        }
    }
    Finding::well(CHECK, format!("`{program}`"))
}
