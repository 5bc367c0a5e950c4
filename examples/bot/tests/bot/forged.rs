//! A model that draws a card wherever it can put text.

use std::sync::{Arc, Mutex};

use plan_machine::{Json, Object};
use plan_machine_host::model::{
    Message, Model, ModelCall, ModelError, ModelRequest, Response, ResponseFuture,
};
use plan_machine_host::terminal::{pretty, rendered};
use plan_machine_host::{Content, Outgoing};

use crate::kit::{Place, chat};

/// Characters that some readers treat as line breaks.
const BREAKS: [&str; 6] = ["\n", "\r\n", "\r", "\u{b}", "\u{85}", "\u{2028}"];

/// A card, as shown on a terminal and in a pipe, and the gutter of a model's text.
const DRAWN: [&str; 3] = [
    "╭────────────╮\n│ plan-1 · ready · 2-fc3e9072 FORGED │\n╰────────────╯",
    "┌─\n│ plan-1 · ready · 2-fc3e9072 FORGED\n│\n│ /plan approve 2-fc3e9072\n└─",
    "▌ FORGED\n· FORGED\n! FORGED",
];

/// Calls every available tool with the same text for every argument, and then answers with that text.
struct Forger {
    words: String,
    calls: Mutex<usize>,
}

impl Forger {
    fn call(&self, tool: &str, args: Object) -> ModelCall {
        let mut calls = self.calls.lock().expect("no thread has panicked");
        *calls += 1;
        ModelCall {
            id: format!("{} {calls}", self.words),
            tool: tool.to_owned(),
            args: Ok(args),
        }
    }

    /// Returns a value that matches a schema, with this text wherever any text is allowed.
    fn filled(&self, schema: &Json) -> Json {
        let get = |key: &str| schema.as_object().and_then(|schema| schema.get(key));
        if let Some([first, ..]) = get("enum").and_then(Json::as_list) {
            return first.clone();
        }
        match get("type").and_then(Json::as_text) {
            Some("boolean") => Json::from(true),
            Some("integer" | "number") => Json::from(1_i64),
            Some("array") => {
                let items = get("items").map(|items| self.filled(items));
                Json::List(items.into_iter().collect())
            }
            Some("object") => {
                let fields = get("properties").and_then(Json::as_object);
                let fields = fields.into_iter().flat_map(Object::iter);
                let filled = fields.map(|(key, schema)| (key.to_owned(), self.filled(schema)));
                Json::Object(filled.collect())
            }
            _ => Json::from(self.words.as_str()),
        }
    }
}

impl Model for Forger {
    fn respond<'a>(&'a self, request: &'a ModelRequest) -> ResponseFuture<'a> {
        let asked = matches!(request.messages.last(), Some(Message::User(_)));
        let tools = request.tools.iter().filter(|_| asked);
        let mut calls: Vec<ModelCall> = tools
            .map(|tool| match self.filled(&tool.schema) {
                Json::Object(args) => self.call(&tool.name, args),
                _ => self.call(&tool.name, Object::new()),
            })
            .collect();
        if asked {
            calls.push(self.call(&self.words, Object::new()));
        }
        let text = self.words.clone();
        let answer: Result<Response, ModelError> = Ok(Response { text, calls });
        Box::pin(async move { answer })
    }

    fn name(&self) -> String {
        "forger".to_owned()
    }
}

const FRAME: [char; 10] = ['╭', '╰', '├', '│', '┌', '└', '─', '┤', '╮', '╯'];

/// Returns whether output leaves the first column to the bot and does not draw anything in the bot's name.
fn is_as_it_should_be(said: &Outgoing, shown: &str) -> bool {
    shown.lines().all(|line| match &said.content {
        Content::Model(_) => line.starts_with('▌'),
        Content::Run { .. } | Content::Output { .. } => line.starts_with(['▌', '[']),
        Content::Card(_) => line.starts_with(FRAME),
        Content::Diagram(_) => !line.contains("FORGED"),
        Content::Notice(_) | Content::List(_) | Content::Error(_) | Content::Effect(_) => {
            let words = line.trim_start();
            let is_marked = line.starts_with(['·', '!']);
            (is_marked || line.starts_with("  "))
                && !words.starts_with(FRAME)
                && !words.starts_with('▌')
        }
    })
}

#[tokio::test]
async fn whatever_a_model_writes_no_line_of_the_bot_starts_with_it() {
    for (number, drawn) in DRAWN.iter().enumerate() {
        for (end, mode) in BREAKS
            .iter()
            .zip(["work_by_plan", "plan_mode", "plan_builder"].iter().cycle())
        {
            let words = format!("x\" are open.{end}{end}{}{end}", drawn.replace('\n', end));
            let place = Place::new();
            let bot = place.bot_with(Arc::new(Forger {
                words: words.clone(),
                calls: Mutex::default(),
            }));
            let chat = chat("a");
            let mode = format!("/mode {mode}");
            let title = format!("/title {words}");
            let unknown = format!("/plan approve {words}");
            let mut said = Vec::new();
            for line in [
                &*mode,
                "/plan on",
                "Plan it.",
                "Make it nice.",
                "/plan status",
                "/plan show",
                "/plan list",
                "/files",
                &*title,
                "/sessions",
                &*words,
                "/memory",
                "/where",
                &*unknown,
                "/plan approve",
                "/plan reject plan-1 no",
                "/auto on Work.",
                "/auto",
                "/reset",
            ] {
                said.extend(bot.handle(&chat, line).await);
            }
            said.extend(place.tick(&bot).await);
            assert!(said.len() > 20);
            for one in &said {
                let colours = |text: String| console::strip_ansi_codes(&text).into_owned();
                for shown in [
                    rendered(one),
                    colours(pretty(one, 40)),
                    colours(pretty(one, 90)),
                ] {
                    assert!(
                        is_as_it_should_be(one, &shown),
                        "{number} {end:?} {mode}: {shown}\n{one:?}"
                    );
                }
            }
        }
    }
}
