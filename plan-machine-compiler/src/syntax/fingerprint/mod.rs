//! The fingerprint of a spec: the digest of a canonical encoding of the syntax tree.
//!
//! Every journal entry holds the fingerprint of the spec that wrote it, so **the encoding is frozen**: how a spec is
//! printed, and in which way it was written, make no difference to it. It is JSON, as [`Json::canonical`] writes it.
//! A part that is not written is left out, so a part that the language gets later changes no fingerprint of today.
//! Docs, prompts, invariants, scenarios and the version are left out too: they change nothing for a stored record.
//!
//! The functions take every struct apart field by field, so that a new field cannot be forgotten here.

mod declarations;
mod expressions;
mod parts;
mod states;

use plan_machine_kernel::digest::sha256_hex;
use plan_machine_kernel::json::Json;

use super::ast::{Name, Path, Spec};
use parts::Parts;

/// The digest of the canonical encoding.
#[must_use]
pub fn fingerprint(spec: &Spec) -> String {
    sha256_hex(&canonical(spec))
}

/// Everything in a spec that affects its meaning, as one text.
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
        .list("external_tools", external_tools.iter().map(name))
        .some("other_tools", other_tools.as_ref().map(states::handler))
        .list("states", states.iter().map(states::state))
        .json()
        .canonical()
}

fn name(name: &Name) -> Json {
    Json::from(name.node.as_str())
}

fn path(path: &Path) -> Json {
    Json::List(path.node.iter().map(name).collect())
}
