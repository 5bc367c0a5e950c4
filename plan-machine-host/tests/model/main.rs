//! Models: the scripted one, and the real client talking to a server that implements both APIs.

mod refused;
mod script;

mod anthropic;
mod faults;
mod openai;
mod server;
mod variables;

use plan_machine::{Json, Object};
use plan_machine_host::model::{Message, ModelCall};

fn user(text: &str) -> Message {
    Message::User(text.to_owned())
}

fn result(call: &ModelCall, content: &str) -> Message {
    Message::Result {
        call_id: call.id.clone(),
        tool: call.tool.clone(),
        content: content.to_owned(),
    }
}

fn object(json: &str) -> Object {
    match Json::parse(json) {
        Ok(Json::Object(object)) => object,
        other => panic!("{json} is not an object: {other:?}"),
    }
}
