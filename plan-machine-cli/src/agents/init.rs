//! `plan-machine init`: installs the gate for an agent, or removes it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::builder::PossibleValuesParser;
use plan_machine_agents::agents::{AGENTS, agent};
use plan_machine_agents::install::{
    self, FileChange, InstallError, InstallTarget, Plan, Scope, UserFolders,
};
use plan_machine_agents::project::{self, COMPILER, Documents, ProjectError, Site, StateFolder};
use plan_machine_compiler::session::SessionReport;
use plan_machine_sessions::store::without_password;

use super::person::{agreed, needs_terminal};
use super::shared_store;
use super::site::{failed_files, refuse_agents};
use super::trust;
use crate::output::{ASIDE, Exit, Failure, GOOD, Out, WARN, count, styled};

/// The number of changed lines that are shown for each file.
const SHOWN: usize = 60;

/// The line that is printed if there is nothing to do.
const UNCHANGED: &str = "nothing to change";

/// Documents, and the proof of their invariants.
type Proved = (Documents, SessionReport);

/// Install the gate for an agent, or remove it.
///
/// Writes a session document with its machine, a calls document, and entries in the agent's own configuration: hooks
/// for every tool and prompt, and the MCP server. Shows what changes, and asks before it changes an existing file.
/// Everything else in the agent's configuration stays unchanged. Running the command again changes nothing; `--remove`
/// restores the files. An agent cannot run this command.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine init --agent codex
  plan-machine init --agent claude-code --session plan-specs:record_then_replay
  plan-machine init --agent codex --store postgres://ann@db/plans
  plan-machine init --agent codex --remove")]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is an option of the command line"
)]
pub(crate) struct Args {
    /// The name of the agent.
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(AGENTS.map(|agent| agent.name())))]
    agent: String,
    /// The session: `plan-specs:look_then_act`, `plan-specs:budgeted`, `plan-specs:record_then_replay` or
    /// `plan-specs:work_by_plan`. Without it, an existing session document is kept, and a new one is `look_then_act`.
    #[arg(long, value_name = "plan-specs:NAME", conflicts_with = "remove")]
    session: Option<String>,
    /// Store the sessions in a database that other computers share. The address is remembered outside the project.
    #[arg(long, value_name = "postgres:URL", conflicts_with = "remove")]
    store: Option<String>,
    /// Gate all projects of this user.
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// Gate only this project (the default).
    #[arg(long, value_name = "DIR", num_args = 0..=1, default_missing_value = ".")]
    project: Option<PathBuf>,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
    /// Remove the gate from the agent's configuration.
    #[arg(long)]
    remove: bool,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if !args.dry_run {
        refuse_agents("init")?;
    }
    let places = Places::find(args.project.as_deref())?;
    let scope = if args.user {
        Scope::User
    } else {
        Scope::Project
    };
    let mut target = places.target(&args.agent, scope)?;
    if let Some(address) = &args.store {
        shared_store::check_address(address)?;
        target.hook = target.program;
    }
    let plan = if args.remove {
        install::plan_removal(&target)
    } else {
        install::plan(&target, args.session.as_deref())
    };
    let plan = plan.map_err(|error| failed(&error))?;
    // Hooks with documents that cannot be used would close the gate, so nothing is installed then.
    let proved = if args.remove {
        None
    } else {
        Some(plan.prove().map_err(|error| invalid(&error, args))?)
    };
    let mut out = Out::coloured();
    for change in plan.changes.iter().filter(|change| change.is_change()) {
        show(change, &mut out)?;
    }
    if let Some(file) = &plan.user_hooks {
        out.line(format_args!(
            "the hooks in `{}` already gate this project, so it gets no hooks of its own",
            file.display()
        ))?;
    }
    if let Some(address) = &args.store {
        let shown = without_password(address);
        out.line(format_args!("the sessions are in `{shown}`"))?;
    }
    out.flush()?;
    if args.dry_run {
        if plan.is_done() && args.store.is_none() {
            out.line(UNCHANGED)?;
        }
        return Ok(Exit::Fine);
    }
    let asks = !args.yes && plan.changes.iter().any(FileChange::touches_existing);
    if asks && !agreed("changing existing files", "Change these files?", &mut out)? {
        out.line("nothing was changed")?;
        return Ok(Exit::Spec);
    }
    let is_foreign = is_foreign(&plan.site)?;
    if is_foreign && !args.remove && !args.yes {
        needs_terminal(
            "this project has documents that no person has trusted, so nothing was changed",
        )?;
    }
    if let Some(address) = &args.store {
        shared_store::create(address)?;
    }
    let is_installed = finish(args, plan, proved, is_foreign, &places.home, &mut out)?;
    Ok(Exit::of(is_installed))
}

/// Returns the failure of an installation whose documents cannot be used.
fn invalid(error: &ProjectError, args: &Args) -> Failure {
    let name = &args.agent;
    let scope = if args.user { " --user" } else { "" };
    failed_files(error).help(format!(
        "nothing was changed; fix the documents, or replace them with `plan-machine init --agent {name}{scope} --session plan-specs:look_then_act`"
    ))
}

/// Makes the changes, and trusts the documents that were written. Returns `false` if the person does not trust the
/// documents.
fn finish(
    args: &Args,
    plan: Plan,
    proved: Option<Proved>,
    is_foreign: bool,
    home: &StateFolder,
    out: &mut Out<'_>,
) -> Result<bool, Failure> {
    let (site, mut notes, is_done) = (plan.site.clone(), plan.notes.clone(), plan.is_done());
    plan.carry_out().map_err(|error| failed(&error))?;
    let is_shared = match &args.store {
        Some(address) => shared_store::remember(address, &site, home)?,
        None => false,
    };
    if args.remove {
        shared_store::forget(&site)?;
    }
    let is_gated = site.document.is_file();
    if let Some(proved) = proved {
        if !trust_proved(&site, &proved, is_foreign, args.yes, out)? {
            return Ok(false);
        }
    } else if !is_gated {
        project::forget(&site).map_err(|error| failed_files(&error))?;
    } else if !is_foreign {
        // Documents that no person has trusted stay untrusted.
        notes.extend(trust_rest(&site, args.yes, out)?);
    }
    let name = &args.agent;
    match (args.remove, is_done && !is_shared) {
        (_, true) => out.line(UNCHANGED)?,
        (true, _) => out.line(styled(GOOD, format!("removed the gate from {name}")))?,
        (false, _) => out.line(styled(GOOD, format!("installed the gate for {name}")))?,
    }
    for note in notes {
        out.line(format_args!("{}: {note}", styled(WARN, "next")))?;
    }
    if !args.remove {
        out.line(format_args!(
            "{}: `plan-machine doctor --agent {name}` checks that the gate works",
            styled(ASIDE, "then")
        ))?;
    }
    Ok(true)
}

/// Returns whether the project has documents that no person has trusted, such as documents that came with a clone.
fn is_foreign(site: &Site) -> Result<bool, Failure> {
    if !site.document.is_file() {
        return Ok(false);
    }
    let Ok(documents) = Documents::read(site) else {
        return Ok(true);
    };
    let trusted = project::is_trusted(site, &documents);
    Ok(!trusted.map_err(|error| failed_files(&error))?)
}

/// Trusts the documents that stay after a removal. If they are not valid, the removal still succeeds, and this function
/// returns a note about the problem.
fn trust_rest(site: &Site, yes: bool, out: &mut Out<'_>) -> Result<Option<String>, Failure> {
    match Documents::prove(site) {
        Ok(proved) => trust_proved(site, &proved, false, yes, out).map(|_| None),
        Err(error) => Ok(Some(format!(
            "the documents that stay cannot be used: {error}"
        ))),
    }
}

/// Trusts documents that were proved. A person must agree to documents that this command has not written. Returns
/// whether the documents are trusted now.
fn trust_proved(
    site: &Site,
    (documents, report): &Proved,
    is_foreign: bool,
    yes: bool,
    out: &mut Out<'_>,
) -> Result<bool, Failure> {
    if project::check(site, documents).is_ok() {
        return Ok(true);
    }
    if is_foreign {
        return trust::ask(site, documents, report, yes, out);
    }
    project::trust(site, documents).map_err(|error| failed_files(&error))?;
    let proved = count(report.invariants.len(), "invariant");
    out.line(format_args!(
        "trusted: {} ({proved} of the session proved)",
        site.document.display()
    ))?;
    Ok(true)
}

fn show(change: &FileChange, out: &mut Out<'_>) -> Result<(), Failure> {
    // A file that is created or removed has nothing to be compared with.
    let whole = |word: &str, text: &str, out: &mut Out<'_>| {
        let lines = count(text.lines().count(), "line");
        out.line(format_args!("{word}: {} ({lines})", change.path.display()))
    };
    match (&change.before, &change.after) {
        (None, Some(text)) => return whole("to create", text, out),
        (Some(text), None) => return whole("to remove", text, out),
        _ => {}
    }
    let diff = change.diff();
    let surplus = diff.lines().count().saturating_sub(SHOWN);
    for line in diff.lines().take(SHOWN) {
        let style = match line.chars().next() {
            Some('+') => GOOD,
            Some('-') => WARN,
            _ => ASIDE,
        };
        out.line(styled(style, line))?;
    }
    if surplus > 0 {
        out.line(format_args!("… and {}", count(surplus, "other line")))?;
    }
    Ok(())
}

/// The folders and the programs that an installation uses.
pub(super) struct Places {
    home: StateFolder,
    user: UserFolders,
    project: PathBuf,
    program: String,
    hook: String,
}

impl Places {
    /// Finds the project folder (by default, the current folder), the folders that the environment names, and the paths
    /// of this program and of the program that hooks run.
    pub(super) fn find(project: Option<&Path>) -> Result<Self, Failure> {
        let project = project.unwrap_or(Path::new("."));
        let shown = project.display();
        let found = project.canonicalize();
        let found =
            found.map_err(|error| Failure::usage(format!("`{shown}` cannot be used: {error}")))?;
        let program = program()?;
        Ok(Self {
            home: StateFolder::from_environment().map_err(|error| failed_files(&error))?,
            user: UserFolders::from_environment(),
            project: found,
            hook: hook_beside(&program).unwrap_or_else(|| program.clone()),
            program,
        })
    }

    /// Returns the target for an agent.
    pub(super) fn target(&self, name: &str, scope: Scope) -> Result<InstallTarget<'_>, Failure> {
        let agent = agent(name).ok_or_else(|| Failure::usage(format!("unknown agent `{name}`")))?;
        let mut target = InstallTarget {
            agent,
            scope,
            project: &self.project,
            user: &self.user,
            home: &self.home,
            program: &self.program,
            hook: &self.hook,
        };
        // `plan-machine-hook` usually cannot connect to a database server.
        if target.site().is_ok_and(|site| may_share_store(&site)) {
            target.hook = &self.program;
        }
        Ok(target)
    }
}

/// Returns whether the sessions of a project may be in a database. A damaged record of trust says nothing about that;
/// without this exception, the configuration of the agent would count as wrong until the documents are trusted again.
fn may_share_store(site: &Site) -> bool {
    !matches!(
        project::shared_store(site),
        Ok(None) | Err(ProjectError::DamagedTrust(_))
    )
}

/// Returns the path of this program. A path in a folder of `PATH` is preferred, because it is more likely to stay valid
/// after an update than the path of the file itself.
fn program() -> Result<String, Failure> {
    let own = env::current_exe().and_then(|own| own.canonicalize());
    let own = own
        .map_err(|error| Failure::usage(format!("the path of plan-machine is unknown: {error}")))?;
    let folders = env::var_os("PATH").unwrap_or_default();
    let mut listed = env::split_paths(&folders).filter(|folder| folder.is_absolute());
    let name = own.file_name().unwrap_or_default().to_owned();
    let found = listed.find_map(|folder| {
        let path = folder.join(&name);
        (path.canonicalize().ok()? == own).then_some(path)
    });
    Ok(found.unwrap_or(own).display().to_string())
}

/// Returns the path of the `plan-machine-hook` in the folder of this program, if both have the same version: a hook of
/// another version would close the gate. A `plan-machine-hook` in a build folder of Cargo is not used, because Cargo
/// may have built it earlier than this program, from other sources.
fn hook_beside(program: &str) -> Option<String> {
    let path = Path::new(program).with_file_name("plan-machine-hook");
    if !path.is_file() || path.with_file_name(".cargo-lock").exists() {
        return None;
    }
    let answer = Command::new(&path).arg("--version").output().ok()?;
    let answer = String::from_utf8(answer.stdout).ok()?;
    let is_same = answer.split_whitespace().last() == Some(COMPILER);
    is_same.then(|| path.display().to_string())
}

/// Returns the failure of an installation.
pub(super) fn failed(error: &InstallError) -> Failure {
    Failure::usage(error.to_string())
}
