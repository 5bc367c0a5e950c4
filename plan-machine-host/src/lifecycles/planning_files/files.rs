//! Planning files: the content of a `planning_files` plan, for people to read.
//!
//! ```text
//! data/users/{thread}/plan/
//!   task_plan.md  findings.md  progress.md     the current plan
//!   archive/plan-20260116-0217.md              plans that have ended
//! ```
//!
//! The plan is in the session's store; the three files are rewritten from it after each event, and never read back.
//! They are not part of a workspace, so the host's tools do not see them. All functions here block on disk access: call
//! them only where blocking is acceptable.

use std::path::{Path, PathBuf};

use plan_machine::machine::PlanView;
use plan_machine::{Id, Instant};
use plan_specs::planning_files::types::Document;
use plan_specs::planning_files::{self as spec, AnyPlanningFiles, Cx, Effect, state};

use crate::disk::{self, folder_name};
use crate::error::HostError;
use crate::tools::Workspace;

/// The planning files of all conversations.
#[derive(Debug)]
pub struct Files(PathBuf);

impl Files {
    /// Returns the planning files in the folder `data`, which is created if it is missing.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created.
    pub fn open(data: &Path) -> Result<Self, HostError> {
        disk::make_folder(data)?;
        Ok(Self(data.to_owned()))
    }

    /// Writes the current plan to the three files, as `read_plan` shows it. Without a plan, the files are removed, but
    /// the archive is kept.
    ///
    /// # Errors
    ///
    /// If a file cannot be written or removed, or if the plan is not an open plan of this machine.
    pub fn show(&self, thread: &str, plan: Option<&PlanView>) -> Result<(), HostError> {
        let plan = plan.map(open).transpose()?;
        if plan.is_some() {
            disk::make_folder(&self.folder(thread).join("archive"))?;
        }
        // `read_plan` does not start a plan and does not use the time, so both values are placeholders.
        let cx = Cx::new(Instant::at_second(0), || Id::from("none"));
        for document in Document::ALL {
            let name = format!("{}.md", document.as_str());
            let file = self.folder(thread).join(name);
            match &plan {
                // The machine itself adds its logs to the documents.
                Some(plan) => disk::write(&file, &plan.read_plan(*document, &cx))?,
                None => disk::remove(&file)?,
            }
        }
        Ok(())
    }

    /// Performs an effect of the machine. The effect may have been performed before.
    ///
    /// # Errors
    ///
    /// If a file cannot be written. If the caller passes the error on, the effect stays pending.
    pub fn apply(
        &self,
        thread: &str,
        effect: &Effect,
        workspace: &Workspace,
    ) -> Result<(), HostError> {
        match effect {
            Effect::ExportFile { name, content } => workspace
                .put(name, content)
                .map_err(|error| HostError::input(error.to_string())),
            Effect::PlanArchived {
                plan,
                at,
                title,
                task_plan,
                findings,
                progress,
            } => {
                // The plan's id distinguishes plans with the same documents.
                let head = format!("<!-- {plan}: {title}, {at} -->");
                let archived = [&head, task_plan, findings, progress];
                let archived = archived.map(String::as_str).join("\n\n");
                self.archive(thread, *at, &archived)
            }
            // The caller reports to the user where the files are.
            Effect::FilesOpened { .. } => Ok(()),
        }
    }

    /// Archives a plan in a file that is named after the minute of `at`, with a number if that name is already used.
    /// Does nothing if the plan is already archived.
    fn archive(&self, thread: &str, at: Instant, text: &str) -> Result<(), HostError> {
        let archive = self.folder(thread).join("archive");
        let minute: String = at.to_string().chars().take(16).collect();
        let minute = minute.replace(['-', ':'], "").replace('T', "-");
        let mut file = archive.join(format!("plan-{minute}.md"));
        for number in 2_u32.. {
            if disk::write_new(&file, text)? || disk::read(&file).is_ok_and(|old| old == text) {
                break;
            }
            file = archive.join(format!("plan-{minute}-{number}.md"));
        }
        Ok(())
    }

    /// Returns the folder of a conversation's plan.
    #[must_use]
    pub fn folder(&self, thread: &str) -> PathBuf {
        let users = self.0.join("users");
        users.join(folder_name(thread)).join("plan")
    }
}

/// Returns the plan as a typed plan in the state `Open`.
fn open(plan: &PlanView) -> Result<spec::PlanningFiles<state::Open>, HostError> {
    let plan =
        AnyPlanningFiles::restore(plan).map_err(|damaged| HostError::input(damaged.to_string()))?;
    let open = plan.into_state::<state::Open>();
    open.map_err(|plan| HostError::input(format!("the plan {} is over", plan.id())))
}
