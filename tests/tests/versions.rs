//! Two versions of a spec, and what the newer version does with the records of the older one.

use plan_machine_compiler::Compilation;
use plan_machine_compiler::compile;
use plan_machine_compiler::diagnostic::Code;
use plan_machine_compiler::diagnostic::Sink;
use plan_machine_compiler::diagnostic::render::{Colour, human};
use plan_machine_compiler::diff::{Change, Concern, Difference, diff, edits};
use plan_machine_compiler::mutate::Mutants;
use plan_machine_compiler::source::SourceMap;
use plan_machine_compiler::syntax::ast::Spec;
use plan_machine_compiler::syntax::fingerprint::fingerprint;
use plan_machine_compiler::syntax::yaml;
use plan_machine_tests::{Spec as Corpus, root, specs, valid};

const OLD: &str = "\
machine: Shelf
types:
  Mark: { enum: [todo, done] }
  Book: { fields: { title: string, mark: Mark } }
data:
  label: string?
  note: { type: string, max: 40, default: none }
  books: { type: [Book], max: 5 }
commands:
  begin: /shelf on
  end: /shelf off
tools:
  put: { doc: Put a book on the shelf., input: { title: string } }
  name: { doc: Name the shelf., input: { label: string, note: { type: string, max: 40 } } }
states:
  none: { on: { begin: OPEN } }
  OPEN:
    on:
      put: { append: { books: { title: event.title, mark: todo } } }
      name: { to: NAMED, set: { label: event.label, note: event.note } }
      end: { to: CLOSED, next: none }
  NAMED: { on: { end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
";

/// Returns the differences between two specs.
fn between(old: &str, new: &str) -> (Difference, SourceMap) {
    let mut sources = SourceMap::default();
    let (old, new) = (sources.add("old.yaml", old), sources.add("new.yaml", new));
    let (old, new) = (compile(&sources, old), compile(&sources, new));
    let version = |compilation: &'_ Compilation| format!("{:#?}", compilation.diagnostics);
    let found = match (old.version(), new.version()) {
        (Some(old), Some(new)) => diff(old, new),
        _ => panic!("{} {}", version(&old), version(&new)),
    };
    (found, sources)
}

/// Returns a spec with some parts replaced.
fn edited(text: &str, edits: &[(&str, &str)]) -> String {
    let mut new = text.to_owned();
    for (from, to) in edits {
        assert!(new.contains(from), "{from} is not in the spec");
        new = new.replace(from, to);
    }
    new
}

/// Returns the differences between the two versions, with some parts of the newer one replaced.
fn differing(edits: &[(&str, &str)]) -> (Difference, SourceMap) {
    between(OLD, &edited(OLD, edits))
}

/// Formats changes for a person, including their marks.
fn lines(found: &Difference) -> Vec<String> {
    let line = |change: &Change| {
        let mark = change.concern.map_or("", Concern::as_str);
        format!(
            "{mark}: {} {} {}: {}",
            change.kind.as_str(),
            change.what,
            change.name,
            change.detail
        )
    };
    let lines = found.changes.iter().map(line);
    lines
        .map(|line| line.trim_start_matches(": ").to_owned())
        .collect()
}

fn told(edits: &[(&str, &str)]) -> String {
    let (found, sources) = differing(edits);
    let diagnostics = found.diagnostics.iter();
    let diagnostics = diagnostics.map(|one| human(one, &sources, Colour::Never));
    let lines: Vec<String> = lines(&found).into_iter().chain(diagnostics).collect();
    lines.join("\n")
}

fn codes(edits: &[(&str, &str)]) -> Vec<Code> {
    let (found, _) = differing(edits);
    let codes = found.diagnostics.into_iter().map(|found| found.code);
    codes.filter(|code| *code != Code::PM0803).collect()
}

#[test]
fn a_removed_state_and_a_removed_field_are_reported() {
    insta::assert_snapshot!(told(&[("NAMED", "TITLED"), ("label", "heading")]));
}

#[test]
fn a_different_text_for_a_denial_is_only_a_change_of_wording() {
    let texts = [
        (
            "begin: /shelf on",
            "begin: { text: /shelf on, unavailable: The shelf already exists. }",
        ),
        (
            "NAMED: {",
            "NAMED: { title: named, unavailable: { put: \"{plan.state} is full.\" },",
        ),
    ];
    let (found, _) = differing(&texts);
    assert!(found.diagnostics.is_empty(), "{:#?}", found.diagnostics);
    insta::assert_snapshot!(lines(&found).join("\n"), @r#"
    added wording of the denial of begin: "The shelf already exists."
    added title NAMED: "named"
    added wording of the denial of put in NAMED: "{plan.state} is full."
    "#);
}

#[test]
fn stored_data_that_no_longer_fits_is_reported_field_by_field() {
    insta::assert_snapshot!(told(&[
        (
            "note: { type: string, max: 40, default: none }",
            "note: { type: string, max: 30, default: none }"
        ),
        (
            "note: { type: string, max: 40 }",
            "note: { type: string, max: 30 }"
        ),
        ("enum: [todo, done]", "enum: [todo, read]"),
        (
            "title: string, mark: Mark",
            "title: string, mark: Mark, page: int"
        ),
        (
            "title: event.title, mark: todo",
            "title: event.title, mark: todo, page: 1"
        ),
        ("NAMED: {", "NAMED: { has: [label],"),
    ]));
}

#[test]
fn a_change_of_meaning_without_a_new_version_is_noted() {
    let edit = [(
        "name: { to: NAMED, set: { label: event.label",
        "name: { to: NAMED, set: { label: event.note",
    )];
    let (found, _) = differing(&edit);
    let codes: Vec<Code> = found.diagnostics.iter().map(|found| found.code).collect();
    assert_eq!(codes, [Code::PM0803]);
    let versioned = [edit[0], ("machine: Shelf", "machine: Shelf\nversion: 2")];
    assert!(differing(&versioned).0.diagnostics.is_empty());
}

#[test]
fn texts_for_people_do_not_affect_records() {
    let (found, _) = differing(&[("machine: Shelf", "machine: Shelf\ndoc: A shelf of books.")]);
    assert!(
        found.changes.is_empty() && found.diagnostics.is_empty(),
        "{found:?}"
    );
}

#[test]
fn a_change_that_only_widens_a_bound_affects_no_record() {
    assert_eq!(codes(&[("max: 5", "max: 6")]), []);
    assert_eq!(
        codes(&[("enum: [todo, done]", "enum: [todo, done, lent]")]),
        []
    );
    assert_eq!(
        codes(&[(
            "  label: string?",
            "  label: string?\n  owner: string?\n  shelves: [int]"
        )]),
        []
    );
}

#[test]
fn a_changed_type_and_a_required_field_without_a_default_are_reported() {
    let retyped = [
        ("  label: string?", "  label: int?"),
        ("label: string, note", "label: int, note"),
    ];
    assert_eq!(codes(&retyped), [Code::PM0802]);
    let required = [
        ("  label: string?", "  label: string?\n  owner: string"),
        ("begin: OPEN", "begin: { to: OPEN, set: { owner: \"x\" } }"),
    ];
    assert_eq!(codes(&required), [Code::PM0802]);
}

#[test]
fn changed_handling_in_a_state_is_shown_with_its_values() {
    let told = |edits: &[(&str, &str)]| lines(&differing(edits).0);
    let gated = [(
        "  OPEN:\n    on:",
        "  OPEN:\n    other_tools: deny\n    on:",
    )];
    assert_eq!(
        told(&gated),
        [
            "gating: changed tool other_tools: runs → denied in OPEN",
            "added handling OPEN other_tools: deny"
        ]
    );
    let moved = [
        (
            "name: { to: NAMED, set",
            "name: { to: CLOSED, next: none, set",
        ),
        ("      end: {", "      begin: NAMED\n      end: {"),
    ];
    assert_eq!(
        told(&moved),
        [
            "approval: changed path to CLOSED: now also by the tool name from OPEN",
            "approval: changed path to NAMED: by the tool name from OPEN → by the command begin from OPEN",
            "changed handling OPEN name: to NAMED → to CLOSED; next none",
            "added handling OPEN begin: to NAMED",
        ]
    );
    let valued = [(
        "title: event.title, mark: todo",
        "title: event.title, mark: done",
    )];
    assert_eq!(
        told(&valued),
        [
            "changed handling OPEN put: append books: { title: event.title, mark: todo } → append books: { title: event.title, mark: done }"
        ]
    );
}

const APPROVED: &str = "\
machine: Approved
review: [steps.tool, steps.args]
external_tools: [shell]
types:
  Step: { fields: { tool: string, args: json } }
context: { user: string }
data:
  steps: [Step]
commands:
  begin: /steps on
  approve: { text: \"/steps approve {token?}\", reviewed: true }
  end: /steps off
tools:
  add: { doc: Add a step., input: { tool: string, args: json } }
effects:
  card: { fields: { plan: id, token: string, urgent: { type: bool, default: false } } }
states:
  none: { on: { begin: DRAFT } }
  live:
    other_tools: deny
    on: { end: { to: CLOSED, next: none } }
    states:
      DRAFT:
        on: { add: { to: SHOWN, append: { steps: { tool: event.tool, args: event.args } } } }
      SHOWN:
        enter: { emit: { card: { plan: plan.id, token: plan.token } } }
        on: { approve: RUNNING }
      RUNNING:
        on: { shell: run }
  CLOSED: { final: true }
";

fn approved(edits: &[(&str, &str)]) -> Vec<String> {
    lines(&between(APPROVED, &edited(APPROVED, edits)).0)
}

#[test]
fn fields_that_an_approval_no_longer_covers_are_marked() {
    assert_eq!(
        approved(&[("review: [steps.tool, steps.args]", "review: [steps.tool]")]),
        ["review: changed reviewed fields : no longer steps.args"]
    );
}

#[test]
fn a_different_value_in_an_entry_effect_is_a_change() {
    assert_eq!(
        approved(&[("token: plan.token }", "token: plan.token, urgent: true }")]),
        [
            "changed enter SHOWN: emit card { plan: plan.id, token: plan.token } → emit card { plan: plan.id, token: plan.token, urgent: true }"
        ]
    );
}

#[test]
fn an_approval_that_no_longer_needs_a_token_is_marked() {
    assert_eq!(
        approved(&[(", reviewed: true", "")]),
        [
            "approval: removed reviewed command approve: must carry the token of the content that was shown"
        ]
    );
}

#[test]
fn a_change_of_who_starts_execution_is_marked_with_its_conditions() {
    let required =
        "approve: { to: RUNNING, require: [{ that: context.user == \"ann\", else: ask ann }] }";
    assert_eq!(
        approved(&[("approve: RUNNING", required)])[0],
        "approval: changed path to RUNNING: by the command approve from SHOWN → by the command approve, requiring context.user == \"ann\" from SHOWN"
    );
    let found = approved(&[(
        "on: { approve: RUNNING }",
        "on: { approve: RUNNING, add: RUNNING }",
    )]);
    assert_eq!(
        found,
        [
            "gating: changed tool add: not advertised → advertised in SHOWN",
            "approval: changed path to RUNNING: now also by the tool add from SHOWN",
            "added handling SHOWN add: to RUNNING",
        ]
    );
}

#[test]
fn an_inherited_gate_is_marked_where_it_takes_effect() {
    assert_eq!(
        approved(&[("    other_tools: deny\n", "")]),
        [
            "gating: changed tool shell: denied → runs in DRAFT, SHOWN",
            "gating: changed tool other_tools: denied → runs in DRAFT, SHOWN, RUNNING",
            "removed handling live other_tools: deny",
        ]
    );
}

#[test]
fn a_new_state_says_what_its_tools_may_do() {
    let found = approved(&[(
        "on: { shell: run }",
        "on: { shell: run, begin: PAUSED }\n      PAUSED:\n        on: { begin: RUNNING, shell: deny }",
    )]);
    assert!(
        found.contains(&"gating: added state PAUSED: denies shell, other_tools".to_owned()),
        "{found:#?}"
    );
}

#[test]
fn a_declaration_that_only_moves_is_a_change_of_order() {
    let swapped = [
        ("  begin: /steps on\n", ""),
        (
            "  end: /steps off\n",
            "  end: /steps off\n  begin: /steps on\n",
        ),
    ];
    assert_eq!(
        approved(&swapped),
        ["changed order of commands : begin, approve, end → approve, end, begin"]
    );
}

/// Returns every spec that compiles: those of the corpus and the shipped ones.
fn all_specs() -> Vec<Corpus> {
    let shipped = std::fs::read_dir(root().join("specs")).expect("the shipped specs");
    let shipped = shipped.map(|entry| entry.expect("an entry").path());
    let yaml = shipped.filter(|path| path.extension().is_some_and(|ending| ending == "yaml"));
    let shipped = yaml.filter(|path| !path.ends_with("memory.yaml"));
    let shipped = shipped.map(|path| Corpus {
        name: path.display().to_string(),
        text: std::fs::read_to_string(&path).expect("a shipped spec"),
        path,
    });
    shipped.chain(valid()).collect()
}

/// Returns whether the fingerprints differ. Fails if the reported differences contradict the result.
fn differ(old: &Spec, known: &str, new: &Spec, why: &dyn Fn() -> String) -> bool {
    let differ = known != fingerprint(new);
    let beside = [
        "prompt",
        "invariant",
        "version",
        "documentation of tool",
        "wording of the denial of",
        "title",
    ];
    let mut found = edits(old, new).into_iter();
    let found = found.find(|change| !beside.contains(&change.what));
    assert_eq!(differ, found.is_some(), "{}: {found:#?}", why());
    differ
}

#[test]
fn every_mutant_with_a_different_fingerprint_is_a_change() {
    let (mut mutants, mut differing) = (0, 0);
    for spec in all_specs() {
        let mut sources = SourceMap::default();
        let file = sources.add(spec.name.as_str(), spec.text.as_str());
        let compilation = compile(&sources, file);
        let (Some(machine), Some(old)) = (&compilation.machine, &compilation.spec) else {
            continue;
        };
        let made = Mutants::of(&sources, file, machine);
        for mutant in made.all() {
            let why = || format!("{}: {}", spec.name, mutant.change);
            let new = made.altered(mutant);
            differing += usize::from(differ(old, &machine.fingerprint, &new, &why));
            mutants += 1;
        }
    }
    assert!(mutants > 2000, "only {mutants} mutants");
    assert!(
        differing * 10 > mutants * 9,
        "only {differing} of {mutants} mutants differ"
    );
}

#[test]
fn every_word_of_a_spec_is_compared() {
    let (mut read, mut differing) = (0, 0);
    for spec in all_specs() {
        let text = without_promises(&spec.text);
        let Some(old) = read_whole(text) else {
            continue;
        };
        let known = fingerprint(&old);
        for new in reworded(text) {
            let Some(altered) = read_whole(&new) else {
                continue;
            };
            let why = || format!("{}:\n{new}", spec.name);
            differing += usize::from(differ(&old, &known, &altered, &why));
            read += 1;
        }
    }
    assert!(read > 2_000, "only {read} could be read");
    assert!(differing * 2 > read, "only {differing} of {read} differ");
}

/// Returns the part of a spec that the fingerprint covers.
fn without_promises(text: &str) -> &str {
    let ends = ["\ninvariants:", "\nscenarios:"].map(|key| text.find(key).unwrap_or(text.len()));
    &text[..ends[0].min(ends[1])]
}

/// Returns the syntax tree of a spec, if it has no errors.
fn read_whole(text: &str) -> Option<Spec> {
    let mut sources = SourceMap::default();
    let file = sources.add("spec.yaml", text);
    let mut sink = Sink::default();
    let spec = yaml::read(&sources, file, &mut sink)?;
    (!sink.breaks_a_rule()).then_some(spec)
}

/// Returns the spec with one word replaced by another: once for each word, up to a limit.
fn reworded(text: &str) -> impl Iterator<Item = String> {
    const MOST: usize = 40;
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut places = Vec::new();
    let mut rest = 0;
    while let Some(start) = text[rest..].find(word) {
        let start = rest + start;
        let length = text[start..].find(|c| !word(c));
        let end = start + length.unwrap_or(text.len() - start);
        places.push(start..end);
        rest = end;
    }
    let step = places.len().div_ceil(MOST).max(1);
    places.into_iter().step_by(step).map(|place| {
        let number = text[place.clone()].parse::<u64>().is_ok();
        let other = if number { "77" } else { "other_word" };
        format!("{}{other}{}", &text[..place.start], &text[place.end..])
    })
}

#[test]
fn a_mutant_that_compiles_is_never_reported_as_unchanged() {
    let small = specs("valid/rules").into_iter();
    let mut compared = 0;
    for spec in small.take(40) {
        let mut sources = SourceMap::default();
        let file = sources.add(spec.name.as_str(), spec.text.as_str());
        let compilation = compile(&sources, file);
        let (Some(machine), Some(old)) = (&compilation.machine, compilation.version()) else {
            continue;
        };
        let made = Mutants::of(&sources, file, machine);
        for mutant in made.all() {
            let altered = made.compiled(mutant);
            let Some(new) = altered.version() else {
                continue;
            };
            let found = diff(old, new).changes;
            let differ = old.machine.fingerprint != new.machine.fingerprint;
            let why = format!("{}: {}: {found:#?}", spec.name, mutant.change);
            assert_eq!(differ, !found.is_empty(), "{why}");
            compared += 1;
        }
    }
    assert!(compared > 100, "only {compared} comparisons");
}

#[test]
fn a_renamed_machine_does_not_read_stored_plans() {
    let (found, _) = between(
        OLD,
        &edited(OLD, &[("machine: Shelf", "machine: Bookcase")]),
    );
    let codes: Vec<Code> = found.diagnostics.iter().map(|one| one.code).collect();
    assert_eq!(codes, [Code::PM0801, Code::PM0803]);
    let message = &found.diagnostics[0].message;
    assert!(
        message.contains("`Shelf` is now called `Bookcase`"),
        "{message}"
    );
}

#[test]
fn the_text_that_the_model_reads_about_a_tool_is_compared() {
    let new = edited(OLD, &[("Put a book on the shelf.", "Throw a book away.")]);
    let (found, _) = between(OLD, &new);
    let [change] = &found.changes[..] else {
        panic!("{:?}", found.changes);
    };
    assert_eq!(change.what, "documentation of tool");
    assert_eq!(change.name, "put");
}
