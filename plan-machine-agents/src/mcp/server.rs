//! The server: lists the tools and answers calls to them. An error in a call is returned as a result with a text.

use std::sync::Arc;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::time::Instant;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientResult, ContentBlock,
    Implementation, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ServerCapabilities,
    ServerConfig, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::sync::Semaphore;

use super::caller::{Caller, Callers, run_as_command};
use super::elicit::{self, Questions};
use super::error::McpError;
use super::gates::Gates;
use super::json::arguments;
use super::options::McpOptions;
use super::{tools, wait};
use crate::agents::SERVER;
use crate::ancestors::Ancestry;
use crate::answer::CLOSED;
use crate::audit::{self, DeniedCall};
use crate::keeper::{
    GateError, HANDLE, HandleKey, Keeper, OwnAnswer, PlanCard, STATUS, SessionHandle, WAIT,
};

/// The maximum number of calls that are answered at the same time.
const MOST_CALLS: usize = 64;

const INSTRUCTIONS: &str = "\
The tools of this project's plan mode. `plan_status` says which of them are allowed now; a call that is not allowed gets \
an error that says why. `plan_wait` waits for the person's decision about the plan. No tool approves a plan: only the \
person does.";

/// The MCP server of one client.
pub(super) struct PlanServer {
    gates: Gates,
    callers: Callers,
    /// The questions to the person, if the client may ask them.
    questions: Option<Questions>,
    calls: Semaphore,
}

impl PlanServer {
    /// Creates a server for the process with this ancestry.
    pub(super) fn new(options: McpOptions, ancestry: &Ancestry) -> Result<Self, McpError> {
        let key = HandleKey::of(&options.home)?;
        let questions = if options.elicit {
            if let Some(why) = run_as_command(ancestry) {
                return Err(McpError::Elicit(why));
            }
            let questions = Questions::new(&key);
            Some(questions.map_err(|error| McpError::Start(error.to_string()))?)
        } else {
            None
        };
        let variable = |name: &str| std::env::var(name).ok();
        Ok(Self {
            callers: Callers::new(key, options.session, ancestry, variable)?,
            gates: Gates::new(options.home, options.folder),
            questions,
            calls: Semaphore::new(MOST_CALLS),
        })
    }

    /// Closes the stores of all gates that are open.
    pub(super) async fn close(&self) {
        self.gates.close().await;
    }

    /// Answers a call to a tool.
    async fn answer(
        &self,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> CallToolResponse {
        let Ok(_permit) = self.calls.try_acquire() else {
            return error("too many calls at a time; wait for the answers to the earlier ones");
        };
        let mut request = request;
        let mut args = match arguments(request.arguments.take()) {
            Ok(args) => args,
            Err(invalid) => return error(&format!("the arguments are not valid: {invalid}")),
        };
        let tool = request.name.to_string();
        let client = context.client_info().map(|client| client.name);
        let client = client.unwrap_or_else(|| "client".to_owned());
        let may_mint = tool == STATUS;
        let found = self.callers.of(&mut args, &context.meta, &client, may_mint);
        let mut caller = match found {
            Ok(caller) => caller,
            Err(unknown) => return error(&unknown.to_string()),
        };
        let opened = self.gates.of(&caller.handle.session).await;
        let keeper = match opened.and_then(|keeper| in_store(keeper, &mut caller)) {
            Ok(keeper) => keeper,
            Err(closed) => return error(&format!("{CLOSED}: {closed}")),
        };
        let kept = args.clone();
        let answered = match tool.as_str() {
            WAIT => self.wait(&keeper, &caller, &request, context).await,
            tool => own(&keeper, &caller, tool, args).await,
        };
        let answer = match answered {
            Ok(CallOutcome::Ask(question)) => return question,
            Ok(CallOutcome::Own(answer)) => answer,
            Err(failed) => OwnAnswer {
                text: failed.to_string(),
                is_denied: true,
            },
        };
        if answer.is_denied {
            note(&keeper, &caller.handle, &tool, kept, &answer.text);
            return error(&answer.text);
        }
        CallToolResult::success(vec![ContentBlock::text(answer.text)]).into()
    }

    /// Waits for the person, or asks the person through the client.
    async fn wait(
        &self,
        keeper: &Arc<Keeper>,
        caller: &Caller,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallOutcome, GateError> {
        let session = &caller.handle.session;
        if let Some(questions) = &self.questions {
            if request.request_state.is_some() {
                let answer = questions.answered(keeper, session, request).await?;
                return Ok(CallOutcome::Own(answer));
            }
            if can_ask(context)
                && let Some(card) = next_card(keeper, &caller.handle).await?
            {
                if is_current(context) {
                    let question = questions.ask(session, &card, elicit::LIMIT);
                    return Ok(CallOutcome::Ask(question.into()));
                }
                let answer = ask_older(keeper, &caller.handle, &card, context).await?;
                return Ok(CallOutcome::Own(answer));
            }
        }
        let waited = wait::wait(keeper, session, wait::LIMIT);
        // If the call is cancelled, nobody reads the answer.
        let waited = context.ct.run_until_cancelled(waited).await;
        waited.map_or_else(
            || Err(GateError::Request("the call was cancelled".to_owned())),
            |answer| answer.map(CallOutcome::Own),
        )
    }
}

/// The answer to a call, or a question to the person.
enum CallOutcome {
    Own(OwnAnswer),
    Ask(CallToolResponse),
}

/// Replaces the session in the handle of a call with its identity in the store, which may contain the name of the
/// project. The handle contains the identity without that name; the server has used that shorter identity to find the
/// project.
fn in_store(keeper: Arc<Keeper>, caller: &mut Caller) -> Result<Arc<Keeper>, GateError> {
    caller.handle.session = keeper.named(&caller.handle.session)?;
    Ok(keeper)
}

/// Calls a machine's tool, or `plan_status`.
async fn own(
    keeper: &Keeper,
    caller: &Caller,
    tool: &str,
    args: Object,
) -> Result<CallOutcome, GateError> {
    let mut answer = keeper.own_call(&caller.handle, tool, args).await?;
    if let Some(handle) = &caller.minted {
        let hint = "A session was started for you. Pass this handle as";
        let text = &answer.text;
        answer.text = format!("{text}\n\n{hint} `{HANDLE}` in every call: {handle}");
    }
    Ok(CallOutcome::Own(answer))
}

/// Returns the first plan that waits for the person and that a client can show.
async fn next_card(keeper: &Keeper, handle: &SessionHandle) -> Result<Option<PlanCard>, GateError> {
    let view = keeper.view(&handle.session).await?;
    let mut cards = view.cards.into_iter();
    Ok(cards.find(PlanCard::fits_a_message))
}

/// Asks the person through a client of an older protocol revision, which accepts requests during a call.
async fn ask_older(
    keeper: &Keeper,
    handle: &SessionHandle,
    card: &PlanCard,
    context: &RequestContext<RoleServer>,
) -> Result<OwnAnswer, GateError> {
    let request = ServerRequest::ElicitRequest(elicit::question(card));
    let options = PeerRequestOptions::with_timeout(elicit::LIMIT);
    let sent = context.peer.send_request_with_option(request, options);
    let answer = match sent.await {
        Ok(sent) => sent.await_response().await,
        Err(error) => Err(error),
    };
    let answer = match answer {
        Ok(ClientResult::ElicitResult(answer)) => Some(answer),
        Ok(_) => None,
        Err(error) => {
            return Err(GateError::Request(format!(
                "the client cannot ask the person: {error}"
            )));
        }
    };
    elicit::decide_card(keeper, &handle.session, card, answer.as_ref()).await
}

/// Returns whether the client can ask the person.
fn can_ask(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
    // A client that supports elicitation without naming a mode supports forms.
    elicitation.is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

/// Returns whether a call uses the protocol revision in which the result of a call can be a question.
fn is_current(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Adds a denied call to the list of denials.
fn note(keeper: &Keeper, handle: &SessionHandle, tool: &str, args: Object, reason: &str) {
    let now = Instant::try_from(std::time::SystemTime::now());
    let denied = DeniedCall {
        at: now.unwrap_or_else(|_| Instant::at_second(0)),
        session: handle.session.to_string(),
        actor: handle.actor.clone(),
        tool: tool.to_owned(),
        args: Json::from(args).to_string(),
        reason: reason.to_owned(),
    };
    // The call is denied whether or not the denial can be listed.
    let _ = audit::add(&keeper.site().state.join("audit.jsonl"), &denied);
}

/// Returns an error as a result with a text, which the model reads. A protocol error would not reach the model.
fn error(text: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

impl ServerHandler for PlanServer {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let version = env!("CARGO_PKG_VERSION");
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(SERVER, version))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        // A closed gate only lists the server's own tools, whose results say why it is closed.
        let keeper = self.gates.here().await;
        let schemas = keeper.map(|keeper| keeper.own_schemas());
        let tools = tools::all(&schemas.unwrap_or_default());
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(self.answer(request, &context).await)
    }
}

#[cfg(test)]
#[path = "server_tests.rs"]
mod tests;
