//! The specs of the crate `plan-specs`, which session documents name as `plan-specs:NAME`.
//!
//! The files in the folder `shipped` are links to those of `plan-specs`. With the feature `agents`, that crate depends
//! on the macros, which depend on this crate, so this crate cannot depend on `plan-specs`. A published package contains
//! the files themselves.

/// The names and texts of the shipped specs.
const SPECS: [(&str, &str); 6] = [
    (
        "work_by_plan",
        include_str!("../../shipped/work_by_plan.yaml"),
    ),
    ("plan_mode", include_str!("../../shipped/plan_mode.yaml")),
    (
        "allowlist_plan",
        include_str!("../../shipped/allowlist_plan.yaml"),
    ),
    (
        "plan_builder",
        include_str!("../../shipped/plan_builder.yaml"),
    ),
    (
        "planning_files",
        include_str!("../../shipped/planning_files.yaml"),
    ),
    ("auto_run", include_str!("../../shipped/auto_run.yaml")),
];

/// The names and texts of the shipped calls documents.
const CALLS: [(&str, &str); 6] = [
    (
        "claude_code",
        include_str!("../../shipped/calls/claude_code.yaml"),
    ),
    ("codex", include_str!("../../shipped/calls/codex.yaml")),
    (
        "opencode",
        include_str!("../../shipped/calls/opencode.yaml"),
    ),
    ("gemini", include_str!("../../shipped/calls/gemini.yaml")),
    ("goose", include_str!("../../shipped/calls/goose.yaml")),
    ("cursor", include_str!("../../shipped/calls/cursor.yaml")),
];

/// Returns the names of the shipped calls documents, each with its text.
#[must_use]
pub fn shipped_calls() -> &'static [(&'static str, &'static str)] {
    &CALLS
}

/// Returns the names of the shipped specs, each with its text.
#[must_use]
pub fn shipped() -> &'static [(&'static str, &'static str)] {
    &SPECS
}
