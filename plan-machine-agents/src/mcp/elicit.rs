//! Asks the person through the client, if the server was started with `--elicit`.
//!
//! The question contains the card. The token of the card is sealed in `requestState`, which the client returns with the
//! answer. So only the content that was shown is approved: a plan that has changed in the meantime has another token.
//! The server cannot find out whether the client shows the question to a person, so questions are off by default.

use std::time::Duration;

use plan_machine_kernel::json::{Json, Object};
use plan_machine_sessions::SessionIdentity;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationSchema, EnumSchema, InputRequest, InputRequests, InputRequiredResult,
    RequestStateCodec, RequestStateError, SealOptions,
};
use serde_json::Value;

use super::wait::said;
use crate::keeper::{
    Delivery, GateError, HandleKey, Keeper, OwnAnswer, PlanCard, PlanDecision, WAIT,
};

/// How long an answer to a question is accepted.
pub(super) const LIMIT: Duration = Duration::from_secs(15 * 60);

/// The key of the question among the requests for input.
const QUESTION: &str = "decision";

/// The key of the reason for a rejection.
const REASON: &str = "reason";

/// The maximum length of a reason, in characters.
const MAX_REASON: usize = 2000;

const APPROVE: &str = "approve";
const REJECT: &str = "reject";

/// Seals the questions to the person, and opens them when the answer arrives.
pub(super) struct Questions {
    codec: RequestStateCodec,
}

/// The plan that a question was about.
#[derive(Clone, Debug, PartialEq, Eq)]
struct AskedPlan {
    machine: String,
    plan: String,
    token: String,
}

impl Questions {
    pub(super) fn new(key: &HandleKey) -> Result<Self, RequestStateError> {
        let codec = RequestStateCodec::try_new(key.derived("elicitation").to_vec())?;
        Ok(Self { codec })
    }

    /// Returns the result that makes a client of the protocol's current revision ask the person. The answer is accepted
    /// for the time `limit`.
    pub(super) fn ask(
        &self,
        session: &SessionIdentity,
        card: &PlanCard,
        limit: Duration,
    ) -> InputRequiredResult {
        let mut object = Object::new();
        object.push("machine", card.machine.as_str());
        object.push("plan", card.plan.as_str());
        object.push("token", card.token.as_str());
        let bound = bound(session);
        let options = SealOptions::new().associated_data(&bound).ttl(limit);
        let text = Json::from(object).to_string();
        let state = self.codec.seal_with(text.as_bytes(), &options);
        let mut requests = InputRequests::new();
        requests.insert(
            QUESTION.to_owned(),
            InputRequest::Elicitation(question(card)),
        );
        InputRequiredResult::new(Some(requests), Some(state))
    }

    /// Decides about a plan according to the person's answer.
    pub(super) async fn answered(
        &self,
        keeper: &Keeper,
        session: &SessionIdentity,
        request: &CallToolRequestParams,
    ) -> Result<OwnAnswer, GateError> {
        let state = request.request_state.as_deref().unwrap_or_default();
        let asked = self.open(session, state)?;
        let answers = request.input_responses.as_ref();
        let answer = answers.and_then(|answers| answers.get(QUESTION));
        let answer = answer.and_then(|answer| serde_json::from_value(answer.clone()).ok());
        decide(keeper, session, &asked, answer.as_ref()).await
    }

    fn open(&self, session: &SessionIdentity, state: &str) -> Result<AskedPlan, GateError> {
        let invalid = |why: String| {
            GateError::Request(format!(
                "nothing was decided: {why}; call `plan_wait` again"
            ))
        };
        let opened = self.codec.open_with(state, &bound(session));
        let bytes = opened.map_err(|error| invalid(error.to_string()))?;
        asked(&bytes).ok_or_else(|| invalid("the question is not known".to_owned()))
    }
}

fn asked(bytes: &[u8]) -> Option<AskedPlan> {
    let json = Json::parse(std::str::from_utf8(bytes).ok()?).ok()?;
    let text = |key: &str| Some(json.as_object()?.get(key)?.as_text()?.to_owned());
    Some(AskedPlan {
        machine: text("machine")?,
        plan: text("plan")?,
        token: text("token")?,
    })
}

/// Returns the tool and the session that a question is bound to. An answer for another tool or session is not accepted.
fn bound(session: &SessionIdentity) -> Vec<u8> {
    format!("{WAIT}\n{session}").into_bytes()
}

/// Returns the question about a card.
pub(super) fn question(card: &PlanCard) -> ElicitRequest {
    let choices = EnumSchema::builder(vec![APPROVE.to_owned(), REJECT.to_owned()]);
    let choices = choices.description("Your decision about exactly this plan.");
    let schema = ElicitationSchema::builder().required_enum_schema(QUESTION, choices.build());
    let schema = schema.optional_string(REASON);
    ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: card.text.clone(),
        requested_schema: schema.build_unchecked(),
    })
}

/// Decides about the plan on a card, based on the answer from a client of an older protocol revision.
pub(super) async fn decide_card(
    keeper: &Keeper,
    session: &SessionIdentity,
    card: &PlanCard,
    answer: Option<&ElicitResult>,
) -> Result<OwnAnswer, GateError> {
    let asked = AskedPlan {
        machine: card.machine.clone(),
        plan: card.plan.clone(),
        token: card.token.clone(),
    };
    decide(keeper, session, &asked, answer).await
}

async fn decide(
    keeper: &Keeper,
    session: &SessionIdentity,
    asked: &AskedPlan,
    answer: Option<&ElicitResult>,
) -> Result<OwnAnswer, GateError> {
    let Some(decision) = answer.and_then(decision) else {
        return said(keeper, session, "The person has not decided.").await;
    };
    let view = keeper.view(session).await?;
    let mut cards = view.cards.iter();
    let card = cards.find(|card| {
        card.machine == asked.machine && card.plan == asked.plan && card.token == asked.token
    });
    let Some(card) = card else {
        let text = "Nothing was decided: the plan has changed since it was shown, or the decision was already made.";
        let answer = said(keeper, session, text).await?;
        return Ok(OwnAnswer {
            is_denied: true,
            ..answer
        });
    };
    keeper.delivered(&[Delivery::of(session, card, "elicitation")])?;
    let decided = keeper.decide_plan(Some(session), &card.token, &decision);
    let decided = decided.await?;
    let answer = said(keeper, session, &decided.text).await?;
    Ok(OwnAnswer {
        is_denied: !decided.is_accepted,
        ..answer
    })
}

/// Returns the decision in an answer; `None` if no choice was made.
fn decision(answer: &ElicitResult) -> Option<PlanDecision> {
    if answer.action != ElicitationAction::Accept {
        return None;
    }
    let content = answer.content.as_ref()?;
    match content.get(QUESTION)? {
        Value::String(choice) if choice == APPROVE => Some(PlanDecision::Approve),
        Value::String(choice) if choice == REJECT => {
            let reason = content.get(REASON).and_then(Value::as_str);
            Some(PlanDecision::Reject(line(reason.unwrap_or_default())))
        }
        _ => None,
    }
}

/// Returns a reason as one line, because a command has only one line.
fn line(reason: &str) -> String {
    let short: String = reason.chars().take(MAX_REASON).collect();
    short.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use serde_json::json;

    use super::*;
    use crate::project::StateFolder;

    fn card() -> PlanCard {
        PlanCard {
            machine: "Plan".to_owned(),
            plan: "plan-1".to_owned(),
            state: "READY".to_owned(),
            token: "1-02c18244ed851867ff5741fba8ac4f93".to_owned(),
            text: "# Port it".to_owned(),
            terminal_text: String::new(),
        }
    }

    #[test]
    fn a_question_carries_the_token_and_is_bound_to_its_session() {
        let place = tempfile::tempdir().expect("a folder");
        let key = HandleKey::of(&StateFolder::at(place.path())).expect("a key");
        let questions = Questions::new(&key).expect("questions");
        let session: SessionIdentity = "codex:c1".parse().expect("an identity");
        let asked = questions.ask(&session, &card(), LIMIT);
        let wire = serde_json::to_value(&asked).expect("JSON");
        let params = &wire["inputRequests"][QUESTION]["params"];
        assert_eq!(params["message"], "# Port it");
        let choices = &params["requestedSchema"]["properties"][QUESTION]["enum"];
        assert_eq!(*choices, json!([APPROVE, REJECT]));
        let state = asked.request_state.expect("a state");
        let opened = questions.open(&session, &state).expect("a question");
        assert_eq!(opened.token, card().token);
        let other: SessionIdentity = "codex:c2".parse().expect("an identity");
        assert!(questions.open(&other, &state).is_err());
        let forged = state.replace('.', "_");
        for text in ["", "x.y.z", &forged, &state[..state.len() - 2]] {
            assert!(questions.open(&session, text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_answer_that_comes_too_late_is_not_accepted() {
        let place = tempfile::tempdir().expect("a folder");
        let key = HandleKey::of(&StateFolder::at(place.path())).expect("a key");
        let questions = Questions::new(&key).expect("questions");
        let session: SessionIdentity = "codex:c1".parse().expect("an identity");
        let state = |limit: Duration| {
            let asked = questions.ask(&session, &card(), limit);
            asked.request_state.expect("a state")
        };
        let now = || {
            let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            since.expect("a time after 1970").as_millis()
        };
        let (late, timely) = (state(Duration::ZERO), state(LIMIT));
        // Times are sealed in milliseconds, so the first question expires with the next millisecond.
        let sealed = now();
        while now() == sealed {
            std::hint::spin_loop();
        }
        let error = questions.open(&session, &late).expect_err("it is too late");
        let error = error.to_string();
        assert!(error.contains("nothing was decided"), "{error}");
        assert!(error.contains("call `plan_wait` again"), "{error}");
        questions.open(&session, &timely).expect("in time");
        assert_eq!(LIMIT.as_secs(), 15 * 60, "docs/mcp.md says how long");
    }

    #[test]
    fn only_a_choice_that_was_made_decides() {
        let answer = |value: Value| serde_json::from_value::<ElicitResult>(value).expect("JSON");
        let decided = |value: Value| decision(&answer(value));
        let chosen = json!({"action": "accept", "content": {"decision": "approve"}});
        assert_eq!(decided(chosen), Some(PlanDecision::Approve));
        let chosen = json!({"action": "accept", "content": {"decision": "reject"}});
        assert_eq!(decided(chosen), Some(PlanDecision::Reject(String::new())));
        let chosen = json!({"action": "accept", "content": {"decision": "reject", "reason": "no\n.plan approve 1"}});
        let reason = "no .plan approve 1".to_owned();
        assert_eq!(decided(chosen), Some(PlanDecision::Reject(reason)));
        for other in [
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"decision": "APPROVE"}}),
            json!({"action": "accept", "content": {"decision": true}}),
            json!({"action": "decline", "content": {"decision": "approve"}}),
            json!({"action": "cancel"}),
        ] {
            assert_eq!(decided(other.clone()), None, "{other}");
        }
    }
}
