//! What a host is: its parts, its conversations, its modes, and what a handler of a machine does.

use std::collections::HashMap;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use plan_machine::description::Description;
use plan_machine::gate::{EventContext, Gate, GateBuilder};
use plan_machine::machine::{Denial, EffectView};
use plan_machine::{Json, Lifecycle, Machine, MachineTypes};
use plan_machine_sessions::{Session, SessionIdentity, SessionPlan, Sessions};
use tokio::sync::Notify;
use tokio::sync::mpsc::UnboundedSender;

use super::body::body;
use super::desk::Desk;
use crate::chats::Chats;
use crate::data::Inventory;
use crate::error::HostError;
use crate::memory::MemoryFile;
use crate::model::{Model, Response, Tool};
use crate::outgoing::{Content, Outgoing};
use crate::tools::{ToolError, Tools};

/// A host: conversations, a model, tools, and a handler for each machine.
pub struct Host {
    pub(crate) sessions: Sessions,
    pub(crate) chats: Arc<Chats>,
    pub(crate) model: Arc<dyn Model>,
    pub(crate) tools: Arc<dyn Tools>,
    pub(crate) memory: MemoryFile,
    pub(crate) data: PathBuf,
    pub(crate) modes: Arc<Modes>,
    pub(super) inventory: Inventory,
    pub(super) desks: Mutex<HashMap<SessionIdentity, Desk>>,
    /// Work that commands may overtake has begun.
    pub(super) began: Notify,
    /// Where words go that are said before the work is over.
    pub(super) voice: Mutex<Option<UnboundedSender<Vec<Outgoing>>>>,
}

impl Host {
    /// Uses what there is of a session beside its plans.
    pub(super) fn desk<T>(&self, session: &SessionIdentity, of: impl FnOnce(&mut Desk) -> T) -> T {
        let mut desks = self.desks.lock().unwrap_or_else(PoisonError::into_inner);
        of(desks.entry(session.clone()).or_default())
    }
}

/// A mode: one machine for the plans of a conversation, and those beside it that every mode has.
pub struct Mode {
    pub(super) name: &'static str,
    /// The handler of the plans, then those beside it.
    pub(super) handlers: Vec<Arc<dyn AnyHandler>>,
}

/// The modes of a host; the first is that of a new conversation.
pub struct Modes(pub(super) Vec<Mode>);

/// A session in the hands of its host.
#[derive(Clone)]
pub struct Conversation<'h> {
    /// The host.
    pub host: &'h Host,
    /// The session.
    pub session: Session,
}

/// What is said, later.
pub type ContentFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Content>, HostError>> + Send + 'a>>;

/// Nothing is said.
fn nothing<'a>() -> ContentFuture<'a> {
    Box::pin(async { Ok(Vec::new()) })
}

/// The part of a request that is not the conversation.
#[derive(Debug, Default)]
pub struct Brief {
    /// What the states of the plans say.
    pub prompts: Vec<&'static str>,
    /// The tools that it may call now.
    pub tools: Vec<Tool>,
}

/// What a host does for the plans of one machine: it does their effects, and may take part in everything else.
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
///             }
///         })
///     }
/// }
/// ```
pub trait Handler: Attendant {
    /// The machine.
    type Machine: Lifecycle + Machine + Default + Send + Sync;

    /// Does an effect. It may have been done before: one that was done and not settled is delivered again after a
    /// restart.
    fn effect<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        effect: <Self::Machine as MachineTypes>::Effect,
    ) -> ContentFuture<'a>;
}

/// Where a handler takes part beside effects. Everything has a default that changes nothing.
#[expect(unused_variables, reason = "defaults take part in nothing")]
pub trait Attendant: Send + Sync + 'static {
    /// What people call one of its plans.
    fn noun(&self) -> &'static str {
        "plan"
    }

    /// What a person can do here, for `/help` and for the greeting.
    fn invitation(&self) -> Option<(&'static str, &'static str)> {
        None
    }

    /// Its own commands, and what each does.
    fn commands(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Does a command of its own; `None` where the line is another one.
    fn command<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> Option<ContentFuture<'a>> {
        None
    }

    /// Why a line must not reach the plans: it looks like a command and is none.
    fn mistyped(&self, modes: &Modes, mode: &Mode, line: &str) -> Option<String> {
        None
    }

    /// How a person gives it words after `/plan` that look like a command.
    fn otherwise(&self, words: &str) -> Option<String> {
        None
    }

    /// Takes part in a reset, in place of the host: it then begins what it keeps of the talk anew.
    fn reset<'a>(&'a self, at: &'a Conversation<'a>) -> Option<ContentFuture<'a>> {
        None
    }

    /// Before a line of a person is taken.
    fn before_line<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// After the plans have answered a command; what they ask for then is still to be done.
    fn answered<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// After the plans have taken a command that waits for others, and its effects are done.
    fn after_command<'a>(&'a self, at: &'a Conversation<'a>, line: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// Before a message goes to the model.
    fn before_message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> ContentFuture<'a> {
        nothing()
    }

    /// Answers a message in place of an ordinary turn.
    fn message<'a>(&'a self, at: &'a Conversation<'a>, text: &'a str) -> Option<ContentFuture<'a>> {
        None
    }

    /// After the model has answered a message with these words.
    fn after_turn<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        turn: &'a [Content],
    ) -> ContentFuture<'a> {
        nothing()
    }

    /// After a tool has run for a model.
    fn tool_ran<'a>(
        &'a self,
        at: &'a Conversation<'a>,
        tool: &'a str,
        result: &'a Result<String, ToolError>,
    ) -> ContentFuture<'a> {
        nothing()
    }

    /// Before effects are done.
    fn before_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Once no effect is left.
    fn after_effects<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Takes up what another process has left, or a mode that comes back: nobody works at these plans any more.
    fn take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// After a session was taken up, for what is left to be said.
    fn after_take_up<'a>(&'a self, at: &'a Conversation<'a>) -> ContentFuture<'a> {
        nothing()
    }

    /// Forgets what it keeps of a session whose plans were ended from outside.
    fn restarted(&self, session: &SessionIdentity) {}

    /// Gives those their turn that work by themselves.
    fn tick<'a>(
        &'a self,
        host: &'a Host,
    ) -> Pin<Box<dyn Future<Output = Vec<Outgoing>> + Send + 'a>> {
        Box::pin(async { Vec::new() })
    }

    /// Changes the part of a request that is not the conversation; `asked` is the message that it answers.
    fn brief(&self, gate: &Gate, asked: &str, brief: &mut Brief) {}

    /// Adds what its machine wants to know of an event, and of the response whose calls are decided.
    fn context(
        &self,
        at: &Conversation<'_>,
        response: Option<&Response>,
        context: EventContext,
    ) -> EventContext {
        context
    }

    /// A reply of one of its plans to a command, in words; `None` where it has words already.
    fn reply(&self, reply: &Json) -> Option<Content> {
        None
    }

    /// A denial of a command, in words; `None` where it has words already.
    fn denial(&self, denial: &Denial, line: &str) -> Option<String> {
        None
    }

    /// What a plan says, for its card.
    fn body(&self, plan: &SessionPlan) -> String {
        body(&plan.plan.data)
    }

    /// What can be typed to decide about a plan that waits.
    fn decisions(&self, plan: &SessionPlan) -> Vec<String> {
        Vec::new()
    }
}

/// A handler of whichever machine.
pub(crate) trait AnyHandler: Attendant {
    /// The tables of its machine.
    fn tables(&self) -> &'static Description;
    /// Adds its machine to a gate.
    fn join(&self, gate: GateBuilder) -> GateBuilder;
    /// Does an effect; `None` where its machine has no such effect.
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
        let gate = gate.with(H::Machine::default());
        match self.noun() {
            "plan" => gate,
            noun => gate.names(self.tables().name, noun),
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
