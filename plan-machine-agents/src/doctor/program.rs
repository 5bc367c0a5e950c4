//! Checks that the agent can start the programs that its configuration names.

use std::fs;

use super::finding::{Finding, init};
use crate::install::InstallTarget;

const CHECK: &str = "program";

/// Checks that each program is an executable file, and that not everybody can change it.
pub(super) fn check(target: &InstallTarget<'_>) -> Finding {
    let (program, hook) = (target.program, target.hook);
    let mut programs = [program, hook].into_iter();
    if let Some(wrong) = programs.find_map(|one| problem(target, one)) {
        return wrong;
    }
    let found = if hook == program {
        format!("`{program}`")
    } else {
        format!("`{program}`; hooks run `{hook}`")
    };
    Finding::well(CHECK, found)
}

/// Returns what is wrong with a program.
fn problem(target: &InstallTarget<'_>, program: &str) -> Option<Finding> {
    let wrong = |found: String, fix: String| Some(Finding::wrong(CHECK, found, fix));
    let found = match fs::metadata(program) {
        Ok(found) => found,
        Err(error) => {
            return wrong(format!("`{program}` cannot be used: {error}"), init(target));
        }
    };
    if !found.is_file() {
        return wrong(format!("`{program}` is not a file"), init(target));
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let word = plan_machine_sessions::store::shell_word(program.as_ref());
        let mode = found.permissions().mode();
        if mode & 0o111 == 0 {
            return wrong(
                format!("`{program}` is not executable"),
                format!("run `chmod +x {word}`"),
            );
        }
        if mode & 0o002 != 0 {
            return wrong(
                format!("everybody can change `{program}`"),
                format!("run `chmod o-w {word}`"),
            );
        }
    }
    None
}
