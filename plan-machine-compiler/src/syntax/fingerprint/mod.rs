//! The fingerprint of a spec: the digest of a canonical encoding of the syntax tree.
//!
//! Every journal entry contains the fingerprint of the spec under which it was written, so **the encoding is frozen**.
//! It does not depend on how a spec is printed or in which notation it was written. The encoding is JSON in the form
//! that [`Json::canonical`] returns. Parts that a spec does not contain are omitted, so that later additions to the
//! language do not change existing fingerprints. Docs, titles, prompts, `unavailable` texts, `deny`, invariants and
//! scenarios are also omitted, because they do not affect stored records, and so is the version, which is stored
//! separately.
//!
//! The functions destructure structs field by field, so that a new field is not forgotten here.

mod declarations;
mod expressions;
mod parts;
mod states;

use plan_machine_kernel::digest::sha256_hex;
use plan_machine_kernel::json::Json;

use super::ast::{Path, Spec};
use parts::{Parts, name};

/// Returns the digest of the canonical encoding.
#[must_use]
pub fn fingerprint(spec: &Spec) -> String {
    sha256_hex(&canonical(spec))
}

/// Returns the canonical encoding: everything in a spec that affects its meaning, as JSON text.
#[must_use]
pub fn canonical(spec: &Spec) -> String {
    let Spec {
        machine,
        doc: _,
        version: _,
        deny_warnings: _,
        many,
        max_live,
        review,
        summary,
        context,
        types,
        data,
        commands,
        signals,
        tools,
        effects,
        external_tools,
        other_tools,
        states,
        invariants: _,
        scenarios: _,
    } = spec;
    Parts::default()
        .part("encoding", 1_i64)
        .some("machine", machine.as_ref().map(name))
        .some("many", many.map(|many| many.node))
        .some("max_live", max_live.map(|most| most.node))
        .list("review", review.iter().map(path))
        .list("summary", summary.iter().map(name))
        .list("context", context.iter().map(declarations::field))
        .list("types", types.iter().map(declarations::declared_type))
        .list("data", data.iter().map(declarations::field))
        .list("commands", commands.iter().map(declarations::command))
        .list("signals", signals.iter().map(declarations::signal))
        .list("tools", tools.iter().map(declarations::tool))
        .list("effects", effects.iter().map(declarations::effect))
        .list(
            "external_tools",
            external_tools.iter().map(declarations::external_tool),
        )
        .some("other_tools", other_tools.as_ref().map(states::handler))
        .list("states", states.iter().map(states::state))
        .json()
        .canonical()
}

fn path(path: &Path) -> Json {
    Json::List(path.node.iter().map(name).collect())
}
