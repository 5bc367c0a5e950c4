//! The memory of a host, by scope. The server itself has no memory.

use plan_machine_kernel::json::Json;
use plan_machine_sessions::SessionIdentity;

use crate::problem::Problem;

/// Who reads: a session, or one of its runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryQuery {
    /// The session itself, outside its runs.
    Session,
    /// A run for a goal.
    Goal {
        /// The goal.
        goal: String,
        /// The task.
        task: String,
    },
    /// A standalone task.
    Task {
        /// The task.
        task: String,
    },
}

/// Reads the memory of a host. Reading may block.
pub trait MemoryReader: Send + Sync {
    /// Returns what a session, or one of its runs, may read from the memory: the scopes, nearest first, and the items.
    ///
    /// # Errors
    ///
    /// If an id is not valid, or the memory cannot be read.
    fn recall(
        &self,
        session: &SessionIdentity,
        query: &MemoryQuery,
    ) -> Result<(Vec<String>, Vec<Json>), Problem>;
}

#[cfg(feature = "memory")]
mod file {
    use std::path::Path;

    use plan_machine_host::HostError;
    use plan_machine_host::memory::{Item, MemoryFile, Reader};
    use plan_machine_kernel::json::{Json, Object};
    use plan_machine_kernel::visible::{visible, visible_line};
    use plan_machine_sessions::SessionIdentity;
    use plan_specs::memory::{GoalId, GoalRun, Identity, TaskId, TaskRun};

    use super::{MemoryQuery, MemoryReader};
    use crate::problem::{Problem, ProblemKind};

    /// The memory of a host in a file, as `MemoryFile` of `plan-machine-host` stores it.
    pub struct HostMemory(MemoryFile);

    impl HostMemory {
        /// Opens the memory in a file.
        ///
        /// # Errors
        ///
        /// If the file cannot be used.
        pub fn open(path: &Path) -> Result<Self, HostError> {
            Ok(Self(MemoryFile::open(path)?))
        }

        fn read(&self, reader: &impl Reader) -> Result<(Vec<String>, Vec<Json>), Problem> {
            let (_, scopes) = reader.reads_in();
            let scopes = scopes.iter();
            let scopes = scopes.map(|scope| visible_line(&scope.to_string()));
            let scopes = scopes.collect();
            let items = self.0.recall(reader);
            let items =
                items.map_err(|error| Problem::new(ProblemKind::Store, error.to_string()))?;
            Ok((scopes, items.iter().map(item).collect()))
        }
    }

    impl MemoryReader for HostMemory {
        fn recall(
            &self,
            session: &SessionIdentity,
            query: &MemoryQuery,
        ) -> Result<(Vec<String>, Vec<Json>), Problem> {
            let identity = Identity::new(session.channel(), session.conversation());
            let identity = identity.map_err(|error| Problem::invalid(error.to_string()))?;
            let task = |id: &str| {
                TaskId::new(id).map_err(|error| Problem::invalid(format!("`taskId`: {error}")))
            };
            match query {
                MemoryQuery::Session => self.read(&identity),
                MemoryQuery::Task { task: id } => self.read(&TaskRun::new(identity, task(id)?)),
                MemoryQuery::Goal { goal, task: id } => {
                    let goal = GoalId::new(goal.as_str());
                    let goal =
                        goal.map_err(|error| Problem::invalid(format!("`goalId`: {error}")))?;
                    self.read(&GoalRun::new(identity, goal, task(id)?))
                }
            }
        }
    }

    fn item(item: &Item) -> Json {
        let mut object = Object::new();
        object.push("scope", visible_line(&item.scope.to_string()));
        object.push("text", visible(&item.text));
        object.push("at", item.at.to_string());
        object.push("by", visible_line(&item.by));
        let from = item
            .from
            .as_deref()
            .map(|from| Json::from(visible_line(from)));
        object.push("from", from.unwrap_or_default());
        object.into()
    }
}

#[cfg(feature = "memory")]
pub use file::HostMemory;
