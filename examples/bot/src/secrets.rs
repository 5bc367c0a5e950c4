//! Model API keys and store URLs: read once, then removed from everything that other processes can read.
//!
//! Any process can read the environment and the arguments with which another process of the same user was started.
//! Therefore, the bot re-executes itself without its secrets, in the same process, and passes the secrets on through a
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

use crate::error::BotError;

/// The variables that contain a secret: API keys, and URLs that may contain a password.
const NAMES: [&str; 5] = [
    "PLAN_BOT_KEY",
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "PLAN_BOT_URL",
    STORE,
];

/// The variable with the store's address, used if the `--store` option is not given.
const STORE: &str = "PLAN_BOT_STORE";

/// The option with the store's address.
const STORE_OPTION: &str = "--store";

/// The variable with the file descriptor of the pipe that contains the secrets.
const HANDED_OVER: &str = "PLAN_BOT_SECRETS";

/// The number of bytes that a pipe can buffer on every system.
const LONGEST: usize = 16 * 1024;

/// The secrets of the bot.
#[derive(Default)]
pub struct Secrets(BTreeMap<String, String>);

impl Secrets {
    /// Removes the secrets from the environment and the arguments. If there are any, the bot re-executes itself without
    /// them, and this function does not return.
    ///
    /// # Errors
    ///
    /// If the secrets cannot be passed on; nothing is run in that case.
    pub fn take(store: Option<&str>) -> Result<Self, BotError> {
        let failed = |error: io::Error| {
            BotError::Refused(format!("the secrets cannot be passed on: {error}"))
        };
        if let Some(number) = env::var_os(HANDED_OVER) {
            return Self::handed_over(number).map_err(failed);
        }
        let mut found = BTreeMap::new();
        for name in NAMES {
            if let Some(value) = env::var_os(name) {
                let value = value.into_string();
                let value =
                    value.map_err(|_| BotError::Refused(format!("{name} is not valid UTF-8")))?;
                found.insert(name.to_owned(), value);
            }
        }
        if let Some(store) = store.filter(|store| store.starts_with("postgres")) {
            found.insert(STORE.to_owned(), store.to_owned());
        }
        if found.is_empty() {
            return Ok(Self::default());
        }
        Err(failed(begin_anew(&found)))
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

    /// Returns the address of the store.
    #[must_use]
    pub fn store(&self) -> Option<String> {
        self.variable(STORE)
    }
}

/// Re-executes this program in this process, without its secrets; returns the error if that fails.
fn begin_anew(secrets: &BTreeMap<String, String>) -> io::Error {
    match command(secrets) {
        Ok((mut command, _pipe)) => command.exec(),
        Err(error) => error,
    }
}

/// Returns the command that re-executes this program, and the end of the pipe from which the new program reads the
/// secrets.
fn command(secrets: &BTreeMap<String, String>) -> io::Result<(Command, io::PipeReader)> {
    let text = serde_json::to_string(secrets)?;
    if text.len() > LONGEST {
        let names: Vec<&str> = secrets.keys().map(String::as_str).collect();
        let names = names.join(", ");
        return Err(io::Error::other(format!(
            "expected secrets of at most {LONGEST} bytes in total, found {} bytes in {names}",
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
    command.args(without_store(args, secrets.contains_key(STORE)));
    command.env(HANDED_OVER, reader.as_raw_fd().to_string());
    for name in NAMES {
        command.env_remove(name);
    }
    Ok((command, reader))
}

/// Returns the arguments, without the address of the store if that address is passed on through the
/// pipe.
fn without_store(args: impl Iterator<Item = OsString>, is_handed_over: bool) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut is_address = false;
    for arg in args {
        let text = arg.to_string_lossy();
        let with_address = text.strip_prefix(STORE_OPTION);
        let with_address = with_address.is_some_and(|rest| rest.starts_with('='));
        let is_option = text == STORE_OPTION;
        if is_handed_over && (is_address || is_option || with_address) {
            is_address = is_option;
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
pub fn hide_memory() -> Result<(), BotError> {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    let hidden = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    hidden.map_err(|error| {
        BotError::Refused(format!(
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
pub fn hide_memory() -> Result<(), BotError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_store_is_taken_out_of_the_arguments() {
        let args = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        let kept = |line: &str| without_store(args(line).into_iter(), true);
        assert_eq!(
            kept("--plain --store postgres:x --live"),
            args("--plain --live")
        );
        assert_eq!(kept("--store=postgres:x --live"), args("--live"));
        let line = "--data --store-like --store sqlite:x";
        assert_eq!(without_store(args(line).into_iter(), false), args(line));
    }
}
