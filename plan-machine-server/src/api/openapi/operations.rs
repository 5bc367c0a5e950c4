//! All operations of the interface, in one table.

use super::schemas::FieldList;

/// An answer of an operation.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) media: &'static str,
    pub(super) kind: &'static str,
}

const OBJECT: Answer = json_of("object");

/// The host answers later, on the stream of the session.
const ACCEPTED: Answer = Answer {
    status: "202",
    ..OBJECT
};

const EVENTS: Answer = Answer {
    media: "text/event-stream",
    kind: "string",
    ..OBJECT
};

const TEXT: Answer = Answer {
    media: "text/plain",
    ..EVENTS
};

const fn json_of(kind: &'static str) -> Answer {
    Answer {
        status: "200",
        media: "application/json",
        kind,
    }
}

/// An operation: its method and path, the role that it needs, what it does, its parameters, the fields of its body, and
/// its answer.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) role: &'static str,
    pub(super) summary: &'static str,
    pub(super) query: FieldList,
    pub(super) body: FieldList,
    pub(super) answer: Answer,
}

impl Operation {
    const fn answers(self, answer: Answer) -> Self {
        Self { answer, ..self }
    }
}

const fn get(path: &'static str, summary: &'static str, query: FieldList) -> Operation {
    Operation {
        method: "get",
        path,
        role: "reader",
        summary,
        query,
        body: &[],
        answer: OBJECT,
    }
}

const fn post(
    path: &'static str,
    role: &'static str,
    summary: &'static str,
    body: FieldList,
) -> Operation {
    Operation {
        method: "post",
        path,
        role,
        summary,
        query: &[],
        body,
        answer: OBJECT,
    }
}

/// The values of the parameter `command`.
pub(super) const COMMANDS: &str = "enable|disable|done|approve|reject|cancel|resume";

const PLAN: FieldList = &[
    ("sessionId!", "string"),
    ("planId", "string"),
    ("token", "string"),
    ("reason", "string"),
    ("once", "string"),
    ("actor", "string"),
    ("context", "object"),
];

/// All operations.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/api/me", "Who sends the request, and what is served.", &[]),
    post(
        "/api/link",
        "person",
        "A link that signs one browser in under the name of the sender.",
        &[],
    ),
    get(
        "/api/inbox",
        "The plans that wait for a person, oldest first.",
        &[("limit", "integer"), ("after", "string")],
    )
    .answers(json_of("Inbox")),
    get(
        "/api/sessions",
        "The sessions.",
        &[
            ("limit", "integer"),
            ("after", "string"),
            ("order", "recent|name"),
        ],
    ),
    get("/api/sessions/{session}", "One session in full.", &[]),
    get(
        "/api/sessions/{session}/versions",
        "The versions of a plan's content.",
        &[
            ("machine!", "string"),
            ("plan!", "string"),
            ("limit", "integer"),
        ],
    ),
    get(
        "/api/sessions/{session}/timeline",
        "The events of the session, newest first.",
        &[("limit", "integer"), ("before", "integer")],
    ),
    get(
        "/api/sessions/{session}/events",
        "The live events of one session (watch): entries and denied calls. If a hook denied a call, the event's `seq` is null.",
        &[("after", "integer")],
    )
    .answers(EVENTS),
    get(
        "/api/sessions/{session}/advertised",
        "The tools that the model may call now.",
        &[("shape", "openai|anthropic|mcp")],
    ),
    get(
        "/api/sessions/{session}/effects",
        "The effects that the host has to carry out.",
        &[],
    ),
    post(
        "/api/sessions/{session}/effects/settle",
        "host",
        "Report that an effect was carried out.",
        &[("seq!", "integer"), ("position!", "integer")],
    ),
    post(
        "/api/sessions/{session}/decision",
        "person",
        "Approve or reject exactly what was shown.",
        &[
            ("decision!", "string"),
            ("machine!", "string"),
            ("plan!", "string"),
            ("token!", "string"),
            ("reason", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    )
    .answers(json_of("Decided")),
    post(
        "/api/sessions/{session}/decide",
        "host",
        "Decide on the calls of one response of a model.",
        &[
            ("calls!", "[Call]"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    )
    .answers(json_of("CallDecisions")),
    post(
        "/api/sessions/{session}/command",
        "host",
        "Send a line that a person typed.",
        &[
            ("line!", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    post(
        "/api/sessions/{session}/signal",
        "host",
        "Send a signal to a machine.",
        &[
            ("machine!", "string"),
            ("event!", "string"),
            ("plan", "string"),
            ("revision", "integer"),
            ("with", "object"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    post(
        "/api/sessions/{session}/turn",
        "host",
        "Begin a turn with a person's message.",
        &[
            ("turn", "string"),
            ("once", "string"),
            ("actor", "string"),
            ("context", "object"),
        ],
    ),
    get(
        "/api/sessions/{session}/messages",
        "The last messages of the chat, if the server has chats.",
        &[("limit", "integer")],
    ),
    post(
        "/api/sessions/{session}/messages",
        "person",
        "Send a message to the host, if the server has chats.",
        &[("text!", "string")],
    )
    .answers(ACCEPTED),
    get(
        "/api/events",
        "The live events of all sessions: entries and denied calls. If a hook denied a call, the event's `seq` is null.",
        &[("after", "string")],
    )
    .answers(EVENTS),
    get(
        "/api/proofs",
        "The invariants of the documents, with their verdicts.",
        &[],
    ),
    get(
        "/api/memory",
        "The memory that a session or one of its runs may read.",
        &[
            ("sessionId!", "string"),
            ("runKind", "GOAL_RUN|TASK_RUN"),
            ("goalId", "string"),
            ("taskId", "string"),
        ],
    ),
    get(
        "/api/plans",
        "The plan mode of a session.",
        &[("sessionId!", "string")],
    ),
    post(
        "/api/plans/{command}",
        "person",
        "Send a command of the plan mode: enable, disable, done, approve, reject, cancel or resume.",
        PLAN,
    ),
    get("/metrics", "Metrics in the text format of Prometheus.", &[]).answers(TEXT),
    get("/openapi.json", "This document.", &[]),
];
