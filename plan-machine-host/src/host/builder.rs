//! Assembles a host.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use plan_machine::gate::MachineSet;
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
use crate::tools::Tools;

/// The parts of a host; created by [`Host::builder`].
pub struct HostBuilder {
    store: Arc<dyn Store>,
    model: Arc<dyn Model>,
    tools: Arc<dyn Tools>,
    keys: Keys,
    clock: Clock,
    modes: Vec<Mode>,
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
    /// Adds a mode and the handler of its plans. A new conversation starts in the first mode, unless another mode is
    /// requested.
    #[must_use]
    pub fn mode(mut self, name: &'static str, plans: impl Handler) -> Self {
        self.modes.push(Mode::new(name, Arc::new(plans)));
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
    /// If there is no mode, if the folder cannot be created or its files cannot be read, or if the tools and the
    /// machines are incompatible.
    pub fn open(self, data: PathBuf) -> Result<Host, HostError> {
        if self.modes.is_empty() {
            return Err(HostError::input(
                "the host has no mode: call `mode` before `open`",
            ));
        }
        disk::make_folder(&data.join("history"))?;
        let modes = Arc::new(Modes::new(self.modes, &self.in_every_mode));
        let chats = Chats::open(&data.join(CHATS), self.keys, modes.names())?;
        let chats = Arc::new(chats);
        let tools = self.tools.infos();
        let mut of_mode: HashMap<&'static str, MachineSet> = HashMap::new();
        for mode in modes.iter() {
            of_mode.insert(mode.name(), modes.machines(mode, &tools)?);
        }
        let known = Arc::clone(&chats);
        let choose = move |session: &SessionIdentity| of_mode[known.mode(session)].clone();
        Ok(Host {
            sessions: Sessions::choosing(self.store, choose),
            chats,
            model: self.model,
            tools: self.tools,
            clock: self.clock,
            memory: MemoryFile::open(&data.join("memory.jsonl"))?,
            modes,
            inventory: Inventory::open(&data)?.undamaged()?,
            data,
            desks: Mutex::default(),
            began: Notify::new(),
            listener: Mutex::default(),
        })
    }
}
