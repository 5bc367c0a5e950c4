//! Assembles a host.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use plan_machine::gate::{Gate, GateBuilder, MachineSet};
use plan_machine_sessions::store::Store;
use plan_machine_sessions::{SessionIdentity, Sessions};
use tokio::sync::Notify;

use super::parts::{AnyHandler, Handler, Host, Mode, Modes};
use crate::chats::{Chats, Keys};
use crate::clock::{self, Clock};
use crate::data::{CHATS, Inventory};
use crate::disk;
use crate::error::HostError;
use crate::memory::MemoryFile;
use crate::model::Model;
use crate::tools::{ToolInfo, Tools};

/// The parts of a host; created by [`Host::builder`].
pub struct HostBuilder {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    tools: Arc<dyn Tools>,
    keys: Keys,
    clock: Clock,
    /// The modes, each with the machines of its session document, if it has one.
    modes: Vec<(Mode, GateBuilder)>,
    in_every_mode: Vec<Arc<dyn AnyHandler>>,
}

impl Host {
    /// Starts building a host from the store of its sessions, its model and its tools.
    #[must_use]
    pub fn builder(
        store: Arc<dyn Store>,
        model: Arc<dyn Model>,
        tools: Arc<dyn Tools>,
    ) -> HostBuilder {
        HostBuilder {
            store,
            model,
            tools,
            keys: Keys::default(),
            clock: clock::system(),
            modes: Vec::new(),
            in_every_mode: Vec::new(),
        }
    }
}

impl HostBuilder {
    /// Adds a mode with one machine and the handler of its plans. A new conversation starts in the first mode, unless
    /// another mode is requested.
    #[must_use]
    pub fn mode(mut self, name: &'static str, plans: impl Handler) -> Self {
        let mode = Mode::new(name, Arc::new(plans));
        self.modes.push((mode, Gate::builder()));
        self
    }

    /// Adds a mode with the gate of a session document, which combines all machines of the document and the classes of
    /// its calls. `plans` is the handler of the machine whose plans people and the model work on. Another machine of
    /// the session may get its handler from [`in_every_mode`](Self::in_every_mode). The effects of a machine without a
    /// handler are reported in the conversation as unhandled.
    ///
    /// The host adds its own tools to the gate. People begin commands with `/`, as they begin the host's own commands,
    /// even if the document sets another prefix.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use plan_machine_host::Host;
    /// use plan_machine_host::lifecycles::WorkByPlan;
    /// use plan_machine_host::model::script::Script;
    /// use plan_machine_sessions::store::Memory;
    ///
    /// mod desk {
    ///     // In a program: `plan_machine::session!("desk.yaml");`
    ///     pub(crate) fn gate() -> plan_machine::gate::GateBuilder {
    ///         plan_machine::gate::Gate::builder().with(plan_specs::work_by_plan::Machine)
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = Script::read("example", "- default: [{ text: Hello. }]")?;
    /// let data = tempfile::tempdir()?;
    /// let host = Host::builder(Arc::new(Memory::new()), Arc::new(model), Arc::new(()))
    ///     .session("desk", desk::gate(), WorkByPlan::default())
    ///     .open(data.path().to_owned())?;
    /// assert_eq!(host.modes().names(), ["desk"]);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn session(mut self, name: &'static str, gate: GateBuilder, plans: impl Handler) -> Self {
        self.modes.push((Mode::new(name, Arc::new(plans)), gate));
        self
    }

    /// Adds a machine that every conversation has in every mode, in addition to the machine of the mode's plans.
    #[must_use]
    pub fn in_every_mode(mut self, handler: impl Handler) -> Self {
        self.in_every_mode.push(Arc::new(handler));
        self
    }

    /// Sets how the keys of new conversations are generated.
    #[must_use]
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    /// Sets the clock. Without this call, the host uses the clock of the system.
    #[must_use]
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Opens the host. The chats, histories and memory are stored in the folder `data`; the sessions are in the store.
    ///
    /// # Errors
    ///
    /// If there is no mode, if the folder cannot be created or its files cannot be read, if the tools and the machines
    /// are incompatible, if a session document does not have the machine that its handler handles, or if two modes have
    /// different machines with the same name.
    pub fn open(self, data: PathBuf) -> Result<Host, HostError> {
        if self.modes.is_empty() {
            return Err(HostError::input(
                "the host has no mode: call `mode` or `session` before `open`",
            ));
        }
        let (modes, machines) = joined(self.modes, &self.in_every_mode, &self.tools.infos())?;
        disk::make_folder(&data.join("history"))?;
        let chats = Chats::open(&data.join(CHATS), self.keys, modes.names())?;
        let chats = Arc::new(chats);
        let (known, of_mode) = (Arc::clone(&chats), machines.clone());
        let choose = move |session: &SessionIdentity| of_mode[known.mode(session)].clone();
        Ok(Host {
            sessions: Sessions::choosing(self.store, choose),
            chats,
            model: self.model,
            tools: self.tools,
            clock: self.clock,
            memory: MemoryFile::open(&data.join("memory.jsonl"))?,
            modes: Arc::new(modes),
            machines,
            inventory: Inventory::open(&data)?.undamaged()?,
            data,
            desks: Mutex::default(),
            began: Notify::new(),
            listener: Mutex::default(),
            on_denial: Mutex::default(),
        })
    }
}

/// Combines the machines of each mode with the host tools.
fn joined(
    modes: Vec<(Mode, GateBuilder)>,
    in_every_mode: &[Arc<dyn AnyHandler>],
    tools: &[ToolInfo],
) -> Result<(Modes, HashMap<&'static str, MachineSet>), HostError> {
    let (modes, gates): (Vec<Mode>, Vec<GateBuilder>) = modes.into_iter().unzip();
    let mut modes = Modes::new(modes, in_every_mode);
    for (mode, gate) in modes.0.iter_mut().zip(&gates) {
        mode.attend(gate)?;
    }
    modes.check_names()?;
    let mut machines = HashMap::new();
    for (mode, gate) in modes.iter().zip(gates) {
        machines.insert(mode.name(), modes.machines(mode, gate, tools)?);
    }
    Ok((modes, machines))
}
