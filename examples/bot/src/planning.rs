//! Planning files: what a plan of the machine `planning_files` holds, for people to read.
//!
//! ```text
//! data/users/{thread}/plan/
//!   task_plan.md  findings.md  progress.md     the plan in the slot
//!   archive/plan-20260116-0217.md              plans that have ended
//! ```
//!
//! The plan is in the session's store; the three files are written anew from it after each event, and
//! nothing reads them back. They are no part of a workspace, so tools of the host do not see them.
//! Everything here waits for the disk: call it where that is no harm.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use plan_machine::machine::{Call, EffectView, Env, Machine as _, Outcome, PlanView, Stored, What};
use plan_machine::{Id, Instant, Object};
use plan_specs::planning_files::{Effect, Machine};

use crate::disk;
use crate::tools::HostTools;

/// The documents, as the machine calls them; their files have the same names.
const DOCUMENTS: [&str; 3] = ["task_plan", "findings", "progress"];

/// What is written otherwise in the name of a folder.
const UNSAFE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

/// The planning files of all conversations.
#[derive(Debug)]
pub struct PlanningFiles(PathBuf);

impl PlanningFiles {
    /// The planning files in the folder `data`; it is made where it is missing.
    ///
    /// # Errors
    /// Says why it cannot be made.
    pub fn open(data: &Path) -> Result<Self, String> {
        let made = std::fs::create_dir_all(data);
        made.map_err(|error| format!("`{}` cannot be made: {error}", data.display()))?;
        Ok(Self(data.to_owned()))
    }

    /// Makes the three files show the plan in the slot, as `read_plan` does; without one they are
    /// removed. The archive stays.
    ///
    /// # Errors
    /// Says which file could not be written, or that the plan is none of this machine.
    pub fn show(&self, thread: &str, plan: Option<&PlanView>) -> Result<(), String> {
        for document in DOCUMENTS {
            let file = self.folder(thread).join(format!("{document}.md"));
            match plan {
                Some(plan) => disk::write(&file, &text_of(plan, document)?)?,
                None => disk::remove(&file)?,
            }
        }
        Ok(())
    }

    /// Does an effect of the machine; it may have been done before. `false` where it is none of this
    /// machine.
    ///
    /// # Errors
    /// Says what could not be written; the effect is still to be done.
    pub fn apply(
        &self,
        thread: &str,
        effect: &EffectView,
        workspace: &HostTools,
    ) -> Result<bool, String> {
        match effect.typed::<Machine>() {
            Some(Effect::ExportFile { name, content }) => workspace.put(&name, &content)?,
            Some(Effect::PlanArchived {
                plan,
                at,
                title,
                task_plan,
                findings,
                progress,
            }) => {
                // The plan's id tells plans with the same documents apart.
                let head = format!("<!-- {plan}: {title}, {at} -->");
                let archived = [head, task_plan, findings, progress].join("\n\n");
                self.archive(thread, at, &archived)?;
            }
            None => return Ok(false),
        }
        Ok(true)
    }

    /// Stores a plan under the first free name of its minute, unless it is there already.
    fn archive(&self, thread: &str, at: Instant, text: &str) -> Result<(), String> {
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

    /// The folder of a conversation's plan.
    fn folder(&self, thread: &str) -> PathBuf {
        let users = self.0.join("users");
        users.join(folder_name(thread)).join("plan")
    }
}

/// What `read_plan` answers for a plan: the machine itself puts its logs into the documents.
fn text_of(plan: &PlanView, document: &str) -> Result<String, String> {
    let stored = Stored {
        plans: vec![plan.clone()],
        slot: Some(0),
    };
    let held = Machine.restore(&stored);
    let mut held = held.map_err(|damaged| damaged.to_string())?;
    let mut call = Call::new(What::Event("read_plan".to_owned()));
    call.with.push("which", document);
    // Reading makes no plan and does not look at the time.
    let mut env = Env {
        now: Instant::at_second(0),
        new_id: Id::from("none"),
        context: &Object::new(),
        host_tools: None,
    };
    match Machine.step(&mut held, &call, &mut env) {
        Outcome::Accepted(taken) => match taken.reply.as_text() {
            Some(text) => Ok(text.to_owned()),
            None => Err(format!("`{document}` is no text")),
        },
        Outcome::Denied(denial) => Err(denial.messages.join("; ")),
        Outcome::Run { tool, .. } => Err(format!("`{tool}` is a tool of the host")),
    }
}

/// A conversation's key as the name of a folder: different keys give different names, and none of
/// them leads elsewhere.
#[must_use]
pub fn folder_name(thread: &str) -> String {
    match thread {
        "" => "%".to_owned(),
        thread => utf8_percent_encode(thread, UNSAFE).to_string(),
    }
}
