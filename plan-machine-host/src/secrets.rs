//! API keys and URLs with passwords: read once, then removed from everything that other processes can read.
//!
//! Any process can read the environment and the arguments with which another process of the same user was started.
//! Therefore, a host re-executes itself without its secrets, in the same process, and passes the secrets on through a
//! pipe. It then makes its memory unreadable to other processes, if the system supports that.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write, pipe};
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::error::HostError;

/// Where a program finds its secrets when it is started.
#[derive(Clone, Copy, Debug)]
pub struct SecretNames<'a> {
    /// The environment variables that contain a secret.
    pub variables: &'a [&'a str],
    /// The option of the command line whose value may be secret.
    pub option: &'a str,
    /// The variable that is used if the option is not given. It is one of `variables`.
    pub instead: &'a str,
}

/// The variable with the file descriptor of the pipe that contains the secrets.
const HANDED_OVER: &str = "PLAN_MACHINE_SECRETS";

/// The number of bytes that a pipe can buffer on every system.
const LONGEST: usize = 16 * 1024;

/// The secrets of a program.
#[derive(Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Removes the secrets from the environment and the arguments. If there are any, the program re-executes itself
    /// without them, and this function does not return. `value` is the value of the option, if it is secret.
    ///
    /// # Errors
    ///
    /// If a secret is not valid UTF-8, or if the secrets cannot be passed on or, after the re-execution, read.
    pub fn take(names: &SecretNames<'_>, value: Option<&str>) -> Result<Self, HostError> {
        let failed = |error: io::Error| {
            HostError::Input(format!("the secrets cannot be passed on: {error}"))
        };
        if let Some(number) = env::var_os(HANDED_OVER) {
            return Self::handed_over(number).map_err(failed);
        }
        let mut found = BTreeMap::new();
        for name in names.variables {
            if let Some(value) = env::var_os(name) {
                let value = value.into_string();
                let value =
                    value.map_err(|_| HostError::Input(format!("{name} is not valid UTF-8")))?;
                found.insert((*name).to_owned(), value);
            }
        }
        if let Some(value) = value {
            found.insert(names.instead.to_owned(), value.to_owned());
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        Err(failed(begin_anew(names, &found)))
    }

    fn handed_over(number: OsString) -> io::Result<Self> {
        let number = number.into_string().unwrap_or_default();
        let number: i32 = number.parse().map_err(io::Error::other)?;
        let mut text = String::new();
        File::open(format!("/dev/fd/{number}"))?.read_to_string(&mut text)?;
        // The pipe is closed, because commands would inherit it. The standard streams stay open.
        if number > 2 {
            nix::unistd::close(number)?;
        }
        Ok(Self(serde_json::from_str(&text)?))
    }

    /// Returns the value of an environment variable, whether it is secret or not.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned().or_else(|| env::var(name).ok())
    }
}

/// Re-executes this program in this process, without its secrets; returns the error if that fails.
fn begin_anew(names: &SecretNames<'_>, secrets: &BTreeMap<String, String>) -> io::Error {
    match command(names, secrets) {
        Ok((mut command, _pipe)) => command.exec(),
        Err(error) => error,
    }
}

/// Returns the command that re-executes this program, and the end of the pipe from which the new program reads the
/// secrets.
fn command(
    names: &SecretNames<'_>,
    secrets: &BTreeMap<String, String>,
) -> io::Result<(Command, io::PipeReader)> {
    let text = serde_json::to_string(secrets)?;
    if text.len() > LONGEST {
        let found: Vec<&str> = secrets.keys().map(String::as_str).collect();
        let found = found.join(", ");
        return Err(io::Error::other(format!(
            "expected secrets of at most {LONGEST} bytes in total, found {} bytes in {found}",
            text.len()
        )));
    }
    let (reader, mut writer) = pipe()?;
    writer.write_all(text.as_bytes())?;
    // The pipe stays open when the program is re-executed.
    fcntl_setfd(&reader, FdFlags::empty())?;
    let mut args = env::args_os();
    let mut command = Command::new(env::current_exe()?);
    command.arg0(args.next().unwrap_or_default());
    let is_handed_over = secrets.contains_key(names.instead);
    command.args(without_option(args, names.option, is_handed_over));
    command.env(HANDED_OVER, reader.as_raw_fd().to_string());
    for name in names.variables {
        command.env_remove(name);
    }
    Ok((command, reader))
}

/// Returns the arguments for the re-executed program, without the option if a pipe passes its value on instead.
fn without_option(
    args: impl Iterator<Item = OsString>,
    option: &str,
    is_handed_over: bool,
) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut is_value = false;
    for arg in args {
        let text = arg.to_string_lossy();
        let with_value = text.strip_prefix(option);
        let with_value = with_value.is_some_and(|rest| rest.starts_with('='));
        let is_option = text == option;
        if is_handed_over && (is_value || is_option || with_value) {
            is_value = is_option;
        } else {
            kept.push(arg);
        }
    }
    kept
}

/// Prevents other processes of the same user from reading the memory and the environment of this process, if the system
/// supports that.
///
/// # Errors
///
/// If the system supports this but the call fails.
#[cfg(target_os = "linux")]
pub fn hide_memory() -> Result<(), HostError> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    hidden.map_err(|error| {
        HostError::Input(format!(
            "cannot prevent other processes from reading the memory of this process: {error}"
        ))
    })
}

/// Does nothing, because only Linux supports hiding the memory of a process.
///
/// # Errors
///
/// Never.
#[cfg(not(target_os = "linux"))]
pub fn hide_memory() -> Result<(), HostError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_with_a_secret_is_taken_out_of_the_arguments() {
        let args = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let kept = |line: &str| without_option(args(line).into_iter(), "--store", true);
        assert_eq!(
            kept("--plain --store postgres:x --live"),
            args("--plain --live")
        );
        assert_eq!(kept("--store=postgres:x --live"), args("--live"));
        let line = "--data --store-like --store sqlite:x";
        assert_eq!(
            without_option(args(line).into_iter(), "--store", false),
            args(line)
        );
    }
}
