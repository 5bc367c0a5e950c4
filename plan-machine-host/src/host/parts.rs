//! The parts of a host: conversations, modes, and the handlers of machines.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use plan_machine::description::Description;
use plan_machine::gate::{EventContext, Gate, GateBuilder, MachineSet};
use plan_machine::machine::{Denial, EffectView};
use plan_machine::{Instant, Json, Lifecycle, Machine, MachineTypes};
use plan_machine_sessions::{Session, SessionIdentity, SessionPlan, Sessions};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::body::body;
use super::denials::DenialListener;
use super::desk::Desk;
use crate::chats::Chats;
use crate::clock::Clock;
use crate::data::Inventory;
use crate::error::HostError;
use crate::memory::MemoryFile;
use crate::model::{Model, Response, Tool};
use crate::outgoing::{Content, Outgoing};
use crate::tools::{ToolError, Tools};

/// A host: its conversations, its model, its tools, and a handler for each machine.
pub struct Host {
    pub(crate) sessions: Sessions,
    pub(crate) chats: Arc<Chats>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Arc<dyn Tools>,
    pub(super) clock: Clock,
    pub(crate) memory: MemoryFile,
    pub(crate) data: PathBuf,
    pub(crate) modes: Arc<Modes>,
    /// The machines and tools of each mode.
    pub(super) machines: HashMap<&'static str, MachineSet>,
    pub(super) inventory: Inventory,
    pub(super) desks: Mutex<HashMap<SessionIdentity, Desk>>,
    /// Notified when the host starts to work on a plan. Commands may run during this work.
    pub(super) began: Notify,
    /// Receives content that is produced before the work is over.
    pub(super) listener: Mutex<Option<UnboundedSender<Vec<Outgoing>>>>,
    /// Receives denied calls.
    pub(super) on_denial: Mutex<Option<DenialListener>>,
}

impl Host {
    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Instant {
        (self.clock)()
    }

    /// Accesses the data that the host keeps about a session, apart from the session's plans.
    pub(super) fn desk<T>(&self, session: &SessionIdentity, of: impl FnOnce(&mut Desk) -> T) -> T {
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        of(desks.entry(session.clone()).or_default())
    }
}

/// A mode: one machine for the plans of a conversation, the other machines of its session document, if it has one, and
/// the additional machines that every mode has.
pub struct Mode {
    pub(super) name: &'static str,
    /// The handler of the plans, then the handlers of the additional machines, then those of a session's other
    /// machines.
    pub(super) handlers: Vec<Arc<dyn AnyHandler>>,
}

/// The modes of a host. A new conversation starts in the first one, unless another mode is requested.
pub struct Modes(pub(super) Vec<Mode>);

/// A session together with its host.
#[derive(Clone)]
pub struct Conversation<'h> {
    /// The host.
    pub host: &'h Host,
    /// The session.
    pub session: Session,
}

/// A future that resolves to content.
pub type ContentFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Content>, HostError>> + Send + 'a>>;

/// Returns no content.
fn nothing<'a>() -> ContentFuture<'a> {
    Box::pin(async { Ok(Vec::new()) })
}

/// The part of a model request that is not the conversation: prompts and tools.
#[derive(Debug, Default)]
pub struct Brief {
    /// The prompts of the plans' states.
    pub prompts: Vec<&'static str>,
    /// The tools that the model may call now.
    pub tools: Vec<Tool>,
    /// The tools that are withheld from the model although the plans would accept them, each with the reason for
    /// denying calls to it.
    pub withheld: HashMap<String, String>,
}

impl Brief {
    /// Withholds all matching tools from the model; calls to these tools are denied with this reason.
    pub fn withhold(&mut self, reason: &str, matches: impl Fn(&Tool) -> bool) {
        let (withheld, offered): (Vec<Tool>, Vec<Tool>) =
            self.tools.drain(..).partition(|tool| matches(tool));
        self.tools = offered;
        let names = withheld.into_iter().map(|tool| tool.name);
        self.withheld
            .extend(names.map(|name| (name, reason.to_owned())));
    }
}

/// Handles the plans of one machine for a host: performs their effects, and may implement the hooks of [`Attendant`].
///
/// ```
/// # use plan_machine_host::{Attendant, Conversation, Handler, Content, ContentFuture};
/// # use plan_specs::work_by_plan::{self, Effect};
/// struct Ring;
///
/// impl Attendant for Ring {}
///
/// impl Handler for Ring {
///     type Machine = work_by_plan::Machine;
///
///     fn effect<'a>(&'a self, at: &'a Conversation<'a>, effect: Effect) -> ContentFuture<'a> {
///         Box::pin(async move {
///             match effect {
///                 Effect::PlanReady { plan, token } => at.card(&plan, &token).await,
///                 Effect::PlanApproved { plan, .. } => {
///                     Ok(vec![Content::Notice(format!("{plan} may begin."))])
///                 }
///                 Effect::PlanExpired { plan } => {
///                     Ok(vec![Content::Notice(format!("{plan} has expired."))])
///                 }
///             }
///         })
///     }
/// }
/// ```
pub trait Handler: Attendant {
    /// The machine.
    type Machine: Lifecycle + Machine + Default + Send + Sync;

    /// Performs an effect. The effect may have been performed before: after a restart, an effect that was performed but
    /// not settled is delivered again.
    fn effect<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        effect: <Self::Machine as MachineTypes>::Effect,
    ) -> ContentFuture<'a>;
}

/// The hooks of a handler, in addition to effects. The default implementation of every method changes nothing.
#[expect(unused_variables, reason = "the defaults do not use their arguments")]
pub trait Attendant: Send + Sync + 'static {
    /// Returns the noun for a plan of the handler's machine, such as `plan` or `run`.
    fn noun(&self) -> &'static str {
        "plan"
    }

    /// Describes what a person can do in this mode: one text for `/help`, and one for the greeting.
    fn invitation(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Returns the handler's own commands, and their descriptions.
    fn commands(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Runs one of the handler's own commands; returns `None` if the line is another command.
    fn command<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> Option<ContentFuture<'a>> {
        None
    }

    /// Returns the reason why a line must not reach the plans: the line looks like a command but is not a command.
    fn mistyped(&self, modes: &Modes, mode: &Mode, line: &str) -> Option<String> {
        None
    }

    /// Explains how to type these words after `/plan` so that they are not read as a subcommand, if the machine accepts
    /// any text there.
    fn otherwise(&self, words: &str) -> Option<String> {
        None
    }

    /// Resets the conversation if the handler keeps its own history; returns `None` to let the host reset the
    /// conversation.
    fn reset<'a>(&'a self, at: &'a Conversation<'a>) -> Option<ContentFuture<'a>> {
        None
    }

    /// Called before a person's message or a command of the plans is handled.
    fn before_line<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Called after the plans have answered a command, before its effects are performed.
    fn answered<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// Called after the plans have answered a command and its effects have been performed. Not called for a command
    /// that runs at once, while other work in the conversation continues. [`Host::catch_up`] calls this method with an
    /// empty line.
    fn after_command<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// Called before a message goes to the model.
    fn before_message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// Answers a message in the handler's own way; returns `None` to let the model answer in an ordinary turn.
    fn message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> Option<ContentFuture<'a>> {
        None
    }

    /// Called after the model has answered a message with this content.
    fn after_turn<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        turn: &'a [Content],
    ) -> ContentFuture<'a> {
        nothing()
    }

    /// Called after a tool has run for a model.
    fn tool_ran<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        tool: &'a str,
        result: &'a Result<String, ToolError>,
    ) -> ContentFuture<'a> {
        nothing()
    }

    /// Called before effects are performed.
    fn before_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Called when no effect is left.
    fn after_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Takes over the plans that another process left behind, or the plans of a mode that the conversation returns to.
    /// No work on these plans is in progress.
    fn take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Called after a session has been taken over; returns content that has not been shown yet.
    fn after_take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Forgets the handler's data about a session whose plans were ended by a restart of the session.
    fn restarted(&self, session: &SessionIdentity) {}

    /// Lets background work take the turns that are due. A timer of the handler's machine determines when a turn is
    /// due.
    fn tick<'a>(
        &'a self,
        host: &'a Host,
    ) -> Pin<Box<dyn Future<Output = Vec<Outgoing>> + Send + 'a>> {
        Box::pin(async { Vec::new() })
    }

    /// Called when the host ends; returns what a person should know about background work that does not continue.
    fn ending(&self) -> Vec<Outgoing> {
        Vec::new()
    }

    /// Changes the prompts and tools of a model request; `asked` is the message to be answered.
    fn brief(&self, gate: &Gate, asked: &str, brief: &mut Brief) {}

    /// Adds the data that the machine needs to the context of an event; `response` contains the
    /// calls that are being decided on.
    fn context(
        &self,
        at: &Conversation<'_>,
        response: Option<&Response>,
        context: EventContext,
    ) -> EventContext {
        context
    }

    /// Formats a plan's reply to a command; returns `None` if the reply is already readable.
    fn reply(&self, reply: &Json) -> Option<Content> {
        None
    }

    /// Formats the denial of a command; returns `None` if the denial is already readable.
    fn denial(&self, denial: &Denial, line: &str) -> Option<String> {
        None
    }

    /// Returns the content of a plan, for its card.
    fn body(&self, plan: &SessionPlan) -> String {
        body(&plan.plan.data)
    }

    /// Returns the commands that decide on a waiting plan. If the list is empty, the card shows the commands from the
    /// machine's tables.
    fn decisions(&self, plan: &SessionPlan) -> Vec<String> {
        Vec::new()
    }
}

/// A handler whose machine type is erased.
pub(crate) trait AnyHandler: Attendant {
    /// Returns the tables of the handler's machine.
    fn tables(&self) -> &'static Description;
    /// Adds the handler's machine to a gate, unless the gate already has it.
    fn join(&self, gate: GateBuilder) -> GateBuilder;
    /// Performs an effect; returns `None` if the handler's machine has no such effect.
    fn any_effect<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        effect: &EffectView,
    ) -> Option<ContentFuture<'a>>;
}

impl<H: Handler> AnyHandler for H {
    fn tables(&self) -> &'static Description {
        <H::Machine as MachineTypes>::MACHINE
    }

    fn join(&self, gate: GateBuilder) -> GateBuilder {
        let name = self.tables().name;
        let is_there = gate.machines().any(|machine| machine.name == name);
        let gate = if is_there {
            gate
        } else {
            gate.with(H::Machine::default())
        };
        match self.noun() {
            "plan" => gate,
            noun => gate.names(name, noun),
        }
    }

    fn any_effect<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        effect: &EffectView,
    ) -> Option<ContentFuture<'a>> {
        let effect = effect.typed::<H::Machine>()?;
        Some(self.effect(at, effect))
    }
}
