//! `plan-machine generate`: a crate with generated files builds without the macros, but only as long as the files are
//! up to date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cargo::{errors, fine, plan_machine_crate};
use super::{corpus, fresh, plan_machine, transcript};

/// Creates a crate without macros, with a spec of the corpus as `plan.yaml`.
fn user_crate(name: &str) -> PathBuf {
    let folder = fresh(name);
    let runtime = plan_machine_crate().display().to_string();
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\nplan-machine = {{ path = {runtime:?}, default-features = false }}\n",
    );
    fs::write(folder.join("Cargo.toml"), manifest).expect("written");
    fs::create_dir(folder.join("src")).expect("made");
    fs::copy(
        corpus("valid").join("work_by_plan.yaml"),
        folder.join("plan.yaml"),
    )
    .expect("copied");
    folder
}

/// Creates a crate without macros, with files of the corpus of sessions in `specs`.
fn session_crate(name: &str, files: &[&str]) -> PathBuf {
    let folder = user_crate(name);
    for file in files {
        let copy = folder.join("specs").join(file);
        fs::create_dir_all(copy.parent().expect("a folder")).expect("made");
        fs::copy(corpus("session").join(file), copy).expect("copied");
    }
    folder
}

/// Enables the feature `calls` of the dependency on `plan-machine`.
fn enable_calls(folder: &Path) {
    let without = "default-features = false";
    let with = format!("{without}, features = [\"calls\"]");
    replace(folder, "Cargo.toml", without, &with);
}

fn read(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).expect("a file in UTF-8")
}

/// Edits a file of a crate.
fn replace(folder: &Path, file: &str, old: &str, new: &str) {
    let text = read(folder, file);
    assert!(text.contains(old), "{file} contains {old}");
    fs::write(folder.join(file), text.replace(old, new)).expect("written");
}

#[test]
fn a_generated_file_needs_no_macro_and_stops_compiling_when_its_spec_changes() {
    let folder = user_crate("generate-user");
    plan_machine(&folder, "generate plan.yaml")
        .assert()
        .success();
    fs::write(
        folder.join("src/lib.rs"),
        "//! A user's crate.\n\npub mod work_by_plan;\n",
    )
    .expect("written");
    let tested = fine(&folder, "test --lib");
    assert!(
        tested.contains("test work_by_plan::"),
        "its scenarios are tests: {tested}"
    );
    let mut rustfmt = Command::new(env!("CARGO"));
    let formatted = rustfmt
        .args(["fmt", "--check"])
        .current_dir(&folder)
        .status();
    let tree = fine(&folder, "tree");
    for heavy in [
        "plan-machine-macros",
        "plan-machine-compiler",
        "syn",
        "serde",
    ] {
        assert!(!tree.contains(heavy), "{tree}");
    }
    assert!(
        formatted.expect("Cargo starts").success(),
        "rustfmt leaves it alone"
    );

    replace(&folder, "plan.yaml", "/plan done", "/plan close");
    let changed = errors(&folder, "check");
    assert!(
        changed.contains("the spec has changed since this file was generated from it"),
        "{changed}"
    );
    assert!(
        changed.contains("run `plan-machine generate plan.yaml -o src/work_by_plan.rs`"),
        "{changed}"
    );

    plan_machine(&folder, "generate plan.yaml")
        .assert()
        .success();
    fine(&folder, "check");

    // This is the state after the dependency was updated but the command was not run again.
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    replace(&folder, "src/work_by_plan.rs", &version, "\"0.0.1\"");
    let other = errors(&folder, "check");
    assert!(
        other.contains("but the crate depends on another version"),
        "{other}"
    );
}

#[test]
fn a_check_fails_until_the_file_is_what_the_spec_generates() {
    let folder = user_crate("generate-check");
    let missing = transcript(&folder, "generate plan.yaml --check", "");
    assert!(
        !folder.join("src/work_by_plan.rs").exists(),
        "a check writes nothing"
    );
    let written = transcript(&folder, "generate plan.yaml", "");
    let current = transcript(&folder, "generate plan.yaml --check", "");
    let again = transcript(&folder, "generate plan.yaml", "");
    replace(&folder, "plan.yaml", "/plan done", "/plan close");
    let before = read(&folder, "src/work_by_plan.rs");
    let stale = transcript(&folder, "generate plan.yaml --check", "");
    assert_eq!(
        read(&folder, "src/work_by_plan.rs"),
        before,
        "a check writes nothing"
    );
    insta::assert_snapshot!([missing, written, current, again, stale].join("\n"));
}

#[test]
fn a_spec_with_errors_generates_nothing() {
    let folder = user_crate("generate-errors");
    let broken = corpus("invalid").join("PM0601_lost_in_a_successor.yaml");
    fs::copy(broken, folder.join("plan.yaml")).expect("copied");
    let output = plan_machine(&folder, "generate plan.yaml -o src/plan.rs").output();
    let output = output.expect("the command starts");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(
        told.contains("PM0601") && told.contains("1 error, so nothing was generated"),
        "{told}"
    );
    assert!(!folder.join("src/plan.rs").exists());
}

#[test]
fn a_file_is_the_same_from_whichever_folder_it_is_generated() {
    let folder = user_crate("generate-places");
    plan_machine(&folder, "generate plan.yaml -o src/one.rs")
        .assert()
        .success();
    let first = read(&folder, "src/one.rs");
    plan_machine(
        &folder.join("src"),
        "generate ../plan.yaml -o one.rs --check",
    )
    .assert()
    .success();
    let above = folder.parent().expect("a folder above");
    plan_machine(
        above,
        "generate generate-places/plan.yaml -o generate-places/src/one.rs --check",
    )
    .assert()
    .success();
    assert!(
        first.contains("include_bytes!(\"../plan.yaml\")"),
        "{first}"
    );
}

#[test]
fn a_file_that_somebody_wrote_is_never_overwritten() {
    let folder = user_crate("generate-handwritten");
    fs::write(folder.join("src/work_by_plan.rs"), "//! My own.\n").expect("written");
    for line in ["generate plan.yaml", "generate plan.yaml -o plan.yaml"] {
        let before = ["src/work_by_plan.rs", "plan.yaml"].map(|file| read(&folder, file));
        let output = plan_machine(&folder, line).output().expect("it starts");
        assert_eq!(output.status.code(), Some(2), "{line}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("was not generated by plan-machine"), "{told}");
        let after = ["src/work_by_plan.rs", "plan.yaml"].map(|file| read(&folder, file));
        assert_eq!(before, after, "{line}");
    }
}

#[test]
fn scopes_are_generated_for_a_crate_that_renames_plan_machine() {
    let folder = user_crate("generate-scopes");
    replace(
        &folder,
        "Cargo.toml",
        "plan-machine = {",
        "lives = { package = \"plan-machine\", features = [\"serde\"],",
    );
    fs::copy(
        corpus("scopes/valid").join("memory.yaml"),
        folder.join("memory.yaml"),
    )
    .expect("copied");
    let line = "generate memory.yaml -o src/memory.rs --crate ::lives";
    plan_machine(&folder, line).assert().success();
    // A macro with the same name in the crate does not shadow the macro that the assertion uses.
    let lib =
        "#[allow(unused_macros)]\nmacro_rules! assert { ($($all:tt)*) => {} }\n\npub mod memory;\n";
    fs::write(folder.join("src/lib.rs"), lib).expect("written");
    fine(&folder, "check");
    replace(&folder, "memory.yaml", "scopes:", "scopes :");
    let changed = errors(&folder, "check");
    let command = "run `plan-machine generate memory.yaml -o src/memory.rs --crate ::lives`";
    assert!(changed.contains(command), "{changed}");
}

#[test]
fn a_wrong_place_or_path_is_an_error_that_says_what_to_do() {
    let folder = user_crate("generate-wrong");
    let shown = [
        "generate plan.yaml -o no/such/folder.rs",
        "generate plan.yaml --crate a+b",
        "generate missing.yaml",
    ]
    .map(|line| transcript(&folder, line, ""));
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_generated_session_needs_no_macro_and_stops_compiling_when_one_of_its_files_changes() {
    let files = [
        "valid/classes.yaml",
        "machines/planning.yaml",
        "machines/review.yaml",
        "machines/tickets.yaml",
        "calls/agent.yaml",
    ];
    let folder = session_crate("generate-session", &files);
    enable_calls(&folder);
    let line = "generate specs/valid/classes.yaml";
    plan_machine(&folder, line).assert().success();
    let lib = "//! A user's crate.\n\npub mod classes;\n\n/// Returns the builder of the gate.\n\
               pub fn gate() -> plan_machine::gate::GateBuilder {\n    \
               classes::gate(plan_machine::calls::Project::new(\".\"))\n}\n";
    fs::write(folder.join("src/lib.rs"), lib).expect("written");
    let tested = fine(&folder, "test --lib");
    for test in ["test classes::__work::", "every_example_has_its_class"] {
        assert!(tested.contains(test), "{test} is a test: {tested}");
    }
    let tree = fine(&folder, "tree");
    for heavy in ["plan-machine-macros", "plan-machine-compiler"] {
        assert!(!tree.contains(heavy), "{tree}");
    }

    for (file, old, new, source) in [
        (
            "specs/machines/tickets.yaml",
            "Publish the ticket.",
            "Publish it.",
            "`../specs/machines/tickets.yaml`",
        ),
        (
            "specs/calls/agent.yaml",
            "calls: Agent",
            "calls:  Agent",
            "`../specs/calls/agent.yaml`",
        ),
        (
            "specs/valid/classes.yaml",
            "session: Classes",
            "session:  Classes",
            "the spec",
        ),
    ] {
        replace(&folder, file, old, new);
        let changed = errors(&folder, "check");
        let problem = format!("{source} has changed since this file was generated from it");
        assert!(changed.contains(&problem), "{changed}");
        let command = "run `plan-machine generate specs/valid/classes.yaml -o src/classes.rs`";
        assert!(changed.contains(command), "{changed}");
        plan_machine(&folder, line).assert().success();
        fine(&folder, "check");
    }
}

#[test]
fn a_check_of_a_session_fails_when_one_of_its_machines_changes() {
    let files = [
        "valid/desk.yaml",
        "machines/review.yaml",
        "machines/tickets.yaml",
    ];
    let folder = session_crate("generate-session-check", &files);
    let line = "generate specs/valid/desk.yaml";
    let check = format!("{line} --check");
    let missing = transcript(&folder, &check, "");
    assert!(missing.ends_with("--- status 1\n"), "{missing}");
    assert!(!folder.join("src/desk.rs").exists(), "it writes nothing");
    plan_machine(&folder, line).assert().success();
    plan_machine(&folder, &check).assert().success();
    // The file is the same no matter from which folder it is generated.
    plan_machine(
        &folder.join("specs/valid"),
        "generate desk.yaml -o ../../src/desk.rs --check",
    )
    .assert()
    .success();

    replace(
        &folder,
        "specs/machines/review.yaml",
        "Start a review.",
        "Begin a review.",
    );
    let before = read(&folder, "src/desk.rs");
    let stale = transcript(&folder, &check, "");
    assert!(
        stale.contains("`src/desk.rs` differs from the code") && stale.ends_with("--- status 1\n"),
        "{stale}"
    );
    assert_eq!(read(&folder, "src/desk.rs"), before, "it writes nothing");
}

#[test]
fn machines_of_plan_specs_come_from_that_crate() {
    let folder = session_crate("generate-session-shipped", &["valid/coding.yaml"]);
    plan_machine(&folder, "generate specs/valid/coding.yaml")
        .assert()
        .success();
    let code = read(&folder, "src/coding.rs");
    for machine in ["plan_mode as work;", "planning_files as notes;"] {
        let used = format!("pub use ::plan_specs::{machine}");
        assert!(code.contains(&used), "{code}");
    }
    assert_eq!(code.matches("include_bytes!(").count(), 1, "{code}");
}

#[test]
fn a_session_or_calls_document_with_errors_generates_nothing() {
    let files = [
        "valid/classes.yaml",
        "invalid/PM0102_machine_with_errors.yaml",
        "invalid/PM0601_tickets_during_a_review.yaml",
        "invalid/PM0701_another_result.yaml",
        "machines/broken.yaml",
        "machines/planning.yaml",
        "machines/review.yaml",
        "machines/tickets.yaml",
        "calls/agent.yaml",
    ];
    let folder = session_crate("generate-session-errors", &files);
    let example = "{ command: git status }, class: reads";
    let other = "{ command: git status }, class: notes";
    replace(&folder, "specs/calls/agent.yaml", example, other);
    for (file, place, errors) in [
        (
            "invalid/PM0102_machine_with_errors.yaml",
            "specs/invalid/../machines/broken.yaml:4:21",
            "1 error",
        ),
        (
            "invalid/PM0601_tickets_during_a_review.yaml",
            "error[PM0601]",
            "3 errors",
        ),
        (
            "invalid/PM0701_another_result.yaml",
            "specs/invalid/PM0701_another_result.yaml:6:28",
            "2 errors",
        ),
        // An example that differs, in the calls document of a session and alone.
        (
            "valid/classes.yaml",
            "specs/valid/../calls/agent.yaml:12:57",
            "1 error",
        ),
        (
            "calls/agent.yaml",
            "specs/calls/agent.yaml:12:57",
            "1 error",
        ),
    ] {
        let line = format!("generate specs/{file} -o src/generated.rs");
        let told = transcript(&folder, &line, "");
        let end = format!("specs/{file}: {errors}, so nothing was generated\n--- status 1\n");
        assert!(told.contains(place) && told.ends_with(&end), "{told}");
        assert!(!folder.join("src/generated.rs").exists(), "{file}");
    }
}

#[test]
fn calls_are_generated_for_a_crate_that_renames_plan_machine() {
    let folder = session_crate("generate-calls", &["calls/agent.yaml"]);
    enable_calls(&folder);
    replace(
        &folder,
        "Cargo.toml",
        "plan-machine = {",
        "lives = { package = \"plan-machine\",",
    );
    let line = "generate specs/calls/agent.yaml --crate ::lives";
    plan_machine(&folder, line).assert().success();
    fs::write(folder.join("src/lib.rs"), "pub mod agent;\n").expect("written");
    let tested = fine(&folder, "test --lib");
    let test = "test agent::examples::every_example_has_its_class ... ok";
    assert!(tested.contains(test), "{tested}");

    replace(
        &folder,
        "specs/calls/agent.yaml",
        "under: plans",
        "under: notes",
    );
    let changed = errors(&folder, "check");
    let command =
        "run `plan-machine generate specs/calls/agent.yaml -o src/agent.rs --crate ::lives`";
    assert!(changed.contains(command), "{changed}");
    // An example states the class that calls under `plans` had.
    let told = transcript(&folder, &format!("{line} --check"), "");
    assert!(told.contains("error[PM1007]"), "{told}");
    assert!(told.ends_with("--- status 1\n"), "{told}");
}

#[test]
fn the_files_of_plan_specs_are_what_their_documents_generate() {
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../specs");
    let files = fs::read_dir(specs.join("src/generated")).expect("the generated files");
    let mut checked = 0;
    for file in files {
        let file = file.expect("a file").path();
        let document = Path::new(file.file_name().expect("a name")).with_extension("yaml");
        let place = ["", "sessions"].map(|folder| specs.join(folder).join(&document));
        let place = place
            .iter()
            .find(|place| place.exists())
            .expect("its document");
        let mut check = plan_machine(&specs, "generate --check");
        let check = check.arg(place).arg("-o").arg(&file);
        let output = check.output().expect("the command runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "run `scripts/generate`: {said}");
        checked += 1;
    }
    let lib = fs::read_to_string(specs.join("src/lib.rs")).expect("a file");
    let modules = lib.matches("#[path = \"generated/").count();
    assert_eq!(checked, modules, "every module of the crate is checked");
}
