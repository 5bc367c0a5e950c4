//! Stores that one version of plan-machine has written, and that every later version must be able
//! to read.
//!
//! `stores/VERSION` contains the files that one version wrote: the same sessions in `plans.db` (`SQLite`) and in
//! `plans.sql` (a `PostgreSQL` dump), the specs and calls documents of that version, and `expected.json`, which lists
//! the expected content of the sessions. The program `write-store` writes such a folder with the
//! current version.

mod script;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan_machine::calls::{Classifier, Document, FlagsTable, Project};
use plan_machine::gate::{Gate, GateBuilder, MachineSet};
use plan_machine::interpret::InterpretedMachine;
use plan_machine::{Json, Object};
use plan_machine_compiler::calls::compile_calls;
use plan_machine_compiler::source::SourceMap;
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{SessionIdentity, Sessions};

pub use script::answer;

/// Any error that occurs while a store is being written or its specs are being read.
pub type Failed = Box<dyn Error + Send + Sync>;

/// A session of a stored fixture: its conversation, its machines by the names of their specs, and the unavailable
/// machines whose plans the session keeps.
#[derive(Clone, Copy, Debug)]
pub struct Cast {
    /// The conversation; the channel is always `kept`.
    pub conversation: &'static str,
    /// The names of the specs of the session's machines.
    pub specs: &'static [&'static str],
    /// The names of the unavailable machines whose plans are parked: the session keeps these plans but does not use
    /// them.
    pub parks: &'static [&'static str],
    /// The name of the calls document that gives each call its class, if the session has one.
    pub calls: Option<&'static str>,
}

/// The sessions, each with the machines that it had at the end.
pub const CASTS: [Cast; 9] = [
    cast("work-by-plan", &["work_by_plan"]),
    cast("plan-mode", &["plan_mode"]),
    cast("allowlist-plan", &["allowlist_plan"]),
    cast("plan-builder", &["plan_builder"]),
    cast("planning-files", &["planning_files"]),
    cast("auto-runs", &["auto_run"]),
    cast("ended-from-outside", &["work_by_plan"]),
    Cast {
        conversation: "side-by-side",
        specs: &["work_by_plan", "planning_files", "auto_run"],
        parks: &["PlanMode"],
        calls: None,
    },
    Cast {
        conversation: "budgeted",
        specs: &["budgeted"],
        parks: &[],
        calls: Some("claude_code"),
    },
];

/// The machines that the session `side-by-side` had at first. The plan of `PlanMode` was parked when the machines
/// changed.
pub const BEFORE: Cast = Cast {
    conversation: "side-by-side",
    specs: &["plan_mode", "planning_files", "auto_run"],
    parks: &["WorkByPlan"],
    calls: None,
};

const fn cast(conversation: &'static str, specs: &'static [&'static str]) -> Cast {
    Cast {
        conversation,
        specs,
        parks: &[],
        calls: None,
    }
}

impl Cast {
    /// Returns the session's identity.
    ///
    /// # Panics
    /// If the name of the conversation is not allowed.
    #[must_use]
    pub fn identity(&self) -> SessionIdentity {
        SessionIdentity::new("kept", self.conversation).expect("an identity")
    }

    /// Returns the session's machines, as this version compiles them.
    ///
    /// # Panics
    /// If a spec has no compiled machine, or if the machines conflict.
    #[must_use]
    pub fn today(&self) -> MachineSet {
        let machines = self
            .specs
            .iter()
            .fold(Gate::builder(), |parts, spec| compiled(parts, spec));
        let calls = self
            .calls
            .map(|_| plan_specs::agents::budgeted::calls::document());
        self.joined(machines, calls)
    }

    /// Returns the session's machines, interpreted from the specs of a version.
    ///
    /// # Errors
    ///
    /// If a spec or a calls document cannot be read.
    ///
    /// # Panics
    /// If the machines conflict.
    pub fn of(&self, version: &str) -> Result<MachineSet, Failed> {
        let folder = folder(version);
        let mut parts = Gate::builder();
        for spec in self.specs {
            let name = format!("{spec}.yaml");
            let text = std::fs::read_to_string(folder.join("specs").join(&name))?;
            // The proofs of a newer version do not affect a replay, so only the machine is used.
            let found = crate::compiled(&name, &text);
            let machine = found
                .compilation
                .machine
                .ok_or("the spec is not a valid machine")?;
            parts = parts.with(InterpretedMachine::of(machine));
        }
        let calls = self.calls.map(|name| document(&folder.join("calls"), name));
        Ok(self.joined(parts, calls.transpose()?))
    }

    fn joined(&self, parts: GateBuilder, calls: Option<Document>) -> MachineSet {
        let tools = ["read_file", "list_files", "search_files", "shell"];
        let parts = tools.iter().fold(parts, |parts, tool| {
            parts.host_tool(tool, "", Object::new())
        });
        let parts = self
            .parks
            .iter()
            .fold(parts, |parts, machine| parts.parks(machine));
        let Some(calls) = calls else {
            return parts.join().expect("machines without conflicts");
        };
        let project = Project::new("/project");
        let classifier = Classifier::new(calls, FlagsTable::built_in(), project);
        let parts = parts.any_host_tool().calls(classifier);
        parts.join().expect("machines without conflicts")
    }
}

/// Reads a calls document.
fn document(folder: &Path, name: &str) -> Result<Document, Failed> {
    let name = format!("{name}.yaml");
    let text = std::fs::read_to_string(folder.join(&name))?;
    let mut sources = SourceMap::default();
    let file = sources.add(name.as_str(), text);
    let calls = compile_calls(&sources, file).calls;
    let calls = calls.ok_or("the calls document is not valid")?;
    Ok(calls.document.clone())
}

fn compiled(parts: GateBuilder, spec: &str) -> GateBuilder {
    use plan_specs::{
        allowlist_plan, auto_run, plan_builder, plan_mode, planning_files, work_by_plan,
    };
    match spec {
        "work_by_plan" => parts.with(work_by_plan::Machine),
        "plan_mode" => parts.with(plan_mode::Machine),
        "allowlist_plan" => parts.with(allowlist_plan::Machine),
        "plan_builder" => parts.with(plan_builder::Machine),
        "planning_files" => parts.with(planning_files::Machine),
        "auto_run" => parts.with(auto_run::Machine),
        "budgeted" => parts.with(plan_specs::agents::budgeted::work::Machine),
        other => panic!("`{other}` has no compiled machine"),
    }
}

/// Returns the folder with the stores of a version.
#[must_use]
pub fn folder(version: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("stores")
        .join(version)
}

/// Writes all sessions to a store and returns their expected content.
///
/// # Errors
///
/// If the store fails.
pub async fn write(store: Arc<dyn Store>) -> Result<Json, Failed> {
    let mut expected = Object::new();
    let mut before = Vec::new();
    for cast in [&BEFORE].into_iter().chain(&CASTS) {
        let sessions = Sessions::new(Arc::clone(&store), cast.today());
        let session = sessions.session(&cast.identity());
        if cast.parks.contains(&"WorkByPlan") {
            before = script::run(&session, script::before()).await?;
            continue;
        }
        let mut calls = script::run(&session, script::of(cast.conversation)).await?;
        if cast.conversation == BEFORE.conversation {
            calls.splice(0..0, std::mem::take(&mut before));
        }
        expected.push(cast.conversation, script::found(&session, calls).await?);
    }
    Ok(expected.into())
}
