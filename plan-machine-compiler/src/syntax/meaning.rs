//! The meaning of a spec as readable text, which does not depend on how the spec was written.

use super::ast::{Field, Spec, State, TypeKind};
use super::dsl;

/// Returns the spec in the DSL, without its docs, titles, prompts, `unavailable` texts, version, `deny warnings`,
/// invariants and scenarios. Before the [fingerprint](super::fingerprint) had its own encoding, journals identified
/// their specs by the digest of this text; such journals can still be opened.
#[must_use]
pub fn meaning(spec: &Spec) -> String {
    let mut bare = spec.clone();
    bare.doc = None;
    bare.version = None;
    bare.deny_warnings = false;
    bare.invariants.clear();
    bare.scenarios.clear();
    strip_fields(&mut bare.context);
    strip_fields(&mut bare.data);
    for declared in &mut bare.types {
        declared.doc = None;
        if let TypeKind::Record(fields) = &mut declared.kind {
            strip_fields(fields);
        }
    }
    for command in &mut bare.commands {
        command.doc = None;
        command.unavailable = None;
        strip_fields(&mut command.input);
    }
    for signal in &mut bare.signals {
        signal.doc = None;
        signal.unavailable = None;
        strip_fields(&mut signal.input);
    }
    for tool in &mut bare.tools {
        tool.doc = None;
        tool.unavailable = None;
        strip_fields(&mut tool.input);
    }
    for tool in &mut bare.external_tools {
        tool.unavailable = None;
    }
    for effect in &mut bare.effects {
        effect.doc = None;
        strip_fields(&mut effect.fields);
    }
    bare.states.iter_mut().for_each(strip_state);
    dsl::print(&bare)
}

fn strip_fields(fields: &mut [Field]) {
    for field in fields {
        field.doc = None;
    }
}

fn strip_state(state: &mut State) {
    state.doc = None;
    state.prompt = None;
    state.title = None;
    state.unavailable.clear();
    state.states.iter_mut().flatten().for_each(strip_state);
}
