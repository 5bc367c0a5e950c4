//! Checks what a sender may do. Each handler takes one of these types as an argument, so it cannot be called without
//! the check.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::auth::{Credential, Role};
use crate::problem::{Problem, ProblemKind};

/// A sender that may read.
pub(super) struct AsReader(pub(super) Credential);

/// A sender that may send calls, commands and signals.
pub(super) struct AsHost(pub(super) Credential);

/// A sender that may decide about plans.
pub(super) struct AsPerson(pub(super) Credential);

fn at_least(parts: &Parts, role: Role) -> Result<Credential, Problem> {
    let found = parts.extensions.get::<Credential>();
    let found = found.ok_or_else(|| Problem::new(ProblemKind::Unauthorized, "no credential"))?;
    if found.role < role {
        let (has, path) = (found.role, parts.uri.path());
        let detail = format!("`{path}` needs the role `{role}`, found `{has}`");
        return Err(Problem::new(ProblemKind::Forbidden, detail));
    }
    Ok(found.clone())
}

impl<S: Sync> FromRequestParts<S> for AsReader {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        at_least(parts, Role::Reader).map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for AsHost {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        at_least(parts, Role::Host).map(Self)
    }
}

impl<S: Sync> FromRequestParts<S> for AsPerson {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        at_least(parts, Role::Person).map(Self)
    }
}
