//! PM0902: a run reads and writes only levels whose ids it has, and does not write directly to a `promoted` level.

use crate::diagnostic::{Code, Diagnostic, Sink};
use crate::scopes::model::{LevelId, Run, Scopes};
use crate::source::{Span, Spanned};

pub(super) fn check(scopes: &Scopes, sink: &mut Sink) {
    for run in &scopes.runs {
        for level in &run.reads {
            missing_id(scopes, run, "reads", level, sink);
        }
        for write in &run.writes {
            missing_id(scopes, run, "writes", &write.level, sink);
            if let Some(promoted) = scopes[write.level.node].promoted {
                written_without_promotion(scopes, run, &write.level, promoted, sink);
            }
        }
    }
    if let Some(legacy) = &scopes.legacy {
        legacy_needs_an_id(scopes, legacy, sink);
    }
}

fn missing_id(scopes: &Scopes, run: &Run, verb: &str, level: &Spanned<LevelId>, sink: &mut Sink) {
    let to = &scopes[level.node];
    let Some(missing) = run.lacks(to) else {
        return;
    };
    let (name, id) = (&to.name, &scopes[missing.node].name);
    let message = format!(
        "`{}` {verb} the level `{name}`, but the run has no id `{id}`, which the key of the level needs",
        run.name
    );
    let found = Diagnostic::new(Code::PM0902, level.span, message)
        .also(missing.span, format!("`{id}` is part of the key"));
    let help = format!("add `{id}` to the run's `ids`, or remove `{name}` from its `{verb}`");
    sink.push(found.help(help));
}

fn written_without_promotion(
    scopes: &Scopes,
    run: &Run,
    level: &Spanned<LevelId>,
    promoted: Span,
    sink: &mut Sink,
) {
    let name = &scopes[level.node].name;
    let message = format!(
        "`{}` writes `{name}`, which can be written only by promotion",
        run.name
    );
    let found = Diagnostic::new(Code::PM0902, level.span, message).also(promoted, "declared here");
    let help = "write to one of the run's own levels, and let a person promote items from there";
    sink.push(found.help(help));
}

fn legacy_needs_an_id(scopes: &Scopes, legacy: &Spanned<LevelId>, sink: &mut Sink) {
    let level = &scopes[legacy.node];
    let Some(id) = level.ids().next() else {
        return;
    };
    let (name, id_name) = (&level.name, &scopes[id.node].name);
    let message = format!(
        "items without a scope cannot belong to `{name}`: they have no id `{id_name}`, which the key needs"
    );
    let found = Diagnostic::new(Code::PM0902, legacy.span, message)
        .also(id.span, format!("`{id_name}` is part of the key"));
    let help = "`legacy` must name a level whose key needs no id of a run";
    sink.push(found.help(help));
}
