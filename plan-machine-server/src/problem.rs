//! Errors as problem documents (RFC 9457).

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use plan_machine_agents::keeper::GateError;
use plan_machine_agents::project::ProjectError;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_kernel::visible::visible;
use plan_machine_sessions::store::{StoreError, StoreErrorKind};
use plan_machine_sessions::{InvalidIdentity, SessionError};

/// How long a client should wait before it tries again if the store or the server is busy, in seconds.
const RETRY_SECONDS: u64 = 1;

/// The kind of a problem, which determines the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// The request cannot be read or is not valid.
    Invalid,
    /// There is no valid credential.
    Unauthorized,
    /// The role or the origin does not allow the request.
    Forbidden,
    /// Something that the request names does not exist, such as the path, a session or a plan.
    NotFound,
    /// The path does not support this method.
    Method,
    /// A decision was about different content.
    Stale,
    /// The session denied the event, or a decision was not about a card that was shown.
    Denied,
    /// The id of a call was used for a different call.
    OtherCall,
    /// The body is too long.
    TooLarge,
    /// The body is not declared as JSON.
    MediaType,
    /// The request is for another host.
    WrongHost,
    /// There are too many requests or streams, or others are changing the session at the same time.
    Busy,
    /// The stored session is damaged.
    Unreadable,
    /// The store or the memory cannot be used.
    Store,
    /// The server is still reading what was stored before it started.
    Starting,
    /// The gate is closed, for example because the documents of the project are not trusted.
    Closed,
    /// The request took too long.
    Timeout,
    /// The server has failed.
    Internal,
}

impl ProblemKind {
    /// Returns the last part of the problem's `type`, its status, and its title.
    fn parts(self) -> (&'static str, StatusCode, &'static str) {
        match self {
            Self::Invalid => (
                "invalid",
                StatusCode::BAD_REQUEST,
                "The request cannot be read",
            ),
            Self::Unauthorized => (
                "unauthorized",
                StatusCode::UNAUTHORIZED,
                "No valid credential",
            ),
            Self::Forbidden => ("forbidden", StatusCode::FORBIDDEN, "Not allowed"),
            Self::NotFound => ("not-found", StatusCode::NOT_FOUND, "Not found"),
            Self::Method => (
                "method",
                StatusCode::METHOD_NOT_ALLOWED,
                "The path does not support this method",
            ),
            Self::Stale => ("stale", StatusCode::CONFLICT, "The plan has changed"),
            Self::Denied => (
                "denied",
                StatusCode::CONFLICT,
                "The session denied the event",
            ),
            Self::OtherCall => (
                "other-call",
                StatusCode::CONFLICT,
                "The id belongs to another call",
            ),
            Self::TooLarge => (
                "too-large",
                StatusCode::PAYLOAD_TOO_LARGE,
                "The body is too long",
            ),
            Self::MediaType => (
                "media-type",
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "The body is not JSON",
            ),
            Self::WrongHost => (
                "wrong-host",
                StatusCode::MISDIRECTED_REQUEST,
                "The request is for another host",
            ),
            Self::Busy => ("busy", StatusCode::TOO_MANY_REQUESTS, "Too many requests"),
            Self::Unreadable => (
                "unreadable",
                StatusCode::INTERNAL_SERVER_ERROR,
                "The session is damaged",
            ),
            Self::Store => (
                "store",
                StatusCode::SERVICE_UNAVAILABLE,
                "The store cannot be used",
            ),
            Self::Starting => (
                "starting",
                StatusCode::SERVICE_UNAVAILABLE,
                "The server is starting",
            ),
            Self::Closed => (
                "closed",
                StatusCode::SERVICE_UNAVAILABLE,
                "The gate is closed",
            ),
            Self::Timeout => (
                "timeout",
                StatusCode::SERVICE_UNAVAILABLE,
                "The request took too long",
            ),
            Self::Internal => (
                "internal",
                StatusCode::INTERNAL_SERVER_ERROR,
                "The server has failed",
            ),
        }
    }
}

/// An error, in the form in which clients receive it.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The kind.
    pub kind: ProblemKind,
    /// What was found, what was expected, and what to do next.
    pub detail: String,
    /// Further members of the document.
    pub more: Object,
    /// The number of seconds after which the client may try again.
    pub retry_after: Option<u64>,
}

impl Problem {
    /// Returns a problem.
    pub fn new(kind: ProblemKind, detail: impl Into<String>) -> Self {
        let retries = matches!(
            kind,
            ProblemKind::Busy
                | ProblemKind::Store
                | ProblemKind::Starting
                | ProblemKind::Closed
                | ProblemKind::Timeout
        );
        Self {
            kind,
            detail: detail.into(),
            more: Object::new(),
            retry_after: retries.then_some(RETRY_SECONDS),
        }
    }

    /// Returns the problem for a request that cannot be read.
    pub fn invalid(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::Invalid, detail)
    }

    /// Returns the problem for something that does not exist.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(ProblemKind::NotFound, detail)
    }

    /// Adds a member to the document.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<Json>) -> Self {
        self.more.push(key, value);
        self
    }

    /// Returns the status.
    #[must_use]
    pub fn status(&self) -> StatusCode {
        self.kind.parts().1
    }

    fn document(&self) -> Json {
        let (name, status, title) = self.kind.parts();
        let mut object = Object::new();
        object.push("type", format!("urn:plan-machine:{name}"));
        object.push("title", title);
        object.push("status", u64::from(status.as_u16()));
        object.push("detail", visible(&self.detail));
        for (key, value) in self.more.iter() {
            object.push(key.to_owned(), value.clone());
        }
        object.into()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.document().to_string()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if self.kind == ProblemKind::Unauthorized {
            let bearer = HeaderValue::from_static("Bearer");
            headers.insert(header::WWW_AUTHENTICATE, bearer);
        }
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let kind = match error.kind {
            StoreErrorKind::Damaged => ProblemKind::Unreadable,
            _ => ProblemKind::Store,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        let kind = match &error {
            SessionError::Store(store) => return store.clone().into(),
            SessionError::Unreadable { .. } | SessionError::Unfit { .. } => ProblemKind::Unreadable,
            SessionError::NoPlan { .. } => ProblemKind::NotFound,
            SessionError::OtherCall { .. } => ProblemKind::OtherCall,
            SessionError::NotConfirmed(_) | SessionError::ForeignCall => ProblemKind::Denied,
            SessionError::Contended => ProblemKind::Busy,
            SessionError::Identity(_)
            | SessionError::NoCommand(_)
            | SessionError::NotDamaged { .. }
            | SessionError::OtherPlans { .. }
            | SessionError::Readable
            | SessionError::Input(_)
            | SessionError::Unstorable(_)
            | SessionError::Unknown(_) => ProblemKind::Invalid,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<InvalidIdentity> for Problem {
    fn from(error: InvalidIdentity) -> Self {
        Self::invalid(error.to_string())
    }
}

impl From<ProjectError> for Problem {
    fn from(error: ProjectError) -> Self {
        Self::new(ProblemKind::Closed, error.to_string())
    }
}

impl From<GateError> for Problem {
    fn from(error: GateError) -> Self {
        match error {
            GateError::Session(error) => error.into(),
            GateError::Store(error) => error.into(),
            other => Self::new(ProblemKind::Closed, other.to_string()),
        }
    }
}
