//! JSON values have a bound even if the spec does not state one. The bound applies to input and writes, never to stored
//! data, and it is the same for interpreted and compiled machines.

use plan_machine::interpret::InterpretedMachine;
use plan_machine::machine::{Call, CallKind, Env, Machine, Outcome, PlanView, StoredPlans};
use plan_machine::{Id, Instant, Json, Object};
use plan_machine_compiler::emit::json_schema;
use plan_machine_kernel::denial::DenialKind;
use plan_machine_kernel::edition::Editions;
use plan_machine_kernel::stored::MOST_JSON;
use plan_machine_tests::{Compiled, compiled};

plan_machine::machine!("corpus/valid/json_bounds.yaml");

const SPEC: &str = include_str!("../corpus/valid/json_bounds.yaml");
const MOST: usize = 65_536;

/// Returns a string that takes this many bytes as JSON, including its quotes.
fn long(bytes: usize) -> Json {
    Json::from("x".repeat(bytes - 2))
}

fn with(name: &str, value: Json) -> Object {
    Object::from_iter([(name.to_owned(), value)])
}

/// Returns a plan in OPEN with these fields.
fn open(data: Object) -> StoredPlans {
    StoredPlans {
        plans: vec![PlanView {
            id: Id::from("plan-1"),
            previous: None,
            state: "OPEN".into(),
            revision: 1,
            edition: 0,
            token: String::new(),
            data,
            timers: Object::new(),
        }],
        slot: Some(0),
        editions: None,
    }
}

fn plan() -> StoredPlans {
    open(with("text", Json::from("t")))
}

/// Applies an event to a stored plan; with `earlier`, as in the replay of an entry that an earlier version wrote.
fn step_of<M: Machine>(machine: &M, stored: &StoredPlans, call: &Call, earlier: bool) -> Outcome {
    let mut held = machine
        .restore(stored)
        .expect("stored plans can be restored");
    if earlier {
        machine.set_editions(&mut held, Editions::restarting());
    }
    let context = Object::new();
    let mut env = Env {
        now: Instant::at_second(0),
        new_id: Id::from("plan-2"),
        context: &context,
        host_tools: None,
    };
    machine
        .step(&mut held, call, &mut env)
        .expect("a known event")
}

/// Returns the outcome of a step, on which generated code and the interpreter must agree.
fn step(stored: &StoredPlans, call: &Call, earlier: bool) -> Outcome {
    let interpreted = InterpretedMachine::read("json_bounds.yaml", SPEC).expect("a valid spec");
    let compiled = step_of(&json_bounds::Machine, stored, call, earlier);
    assert_eq!(
        compiled,
        step_of(&interpreted, stored, call, earlier),
        "{:?}",
        call.what
    );
    compiled
}

fn event(name: &'static str, with: Object) -> Call {
    let mut call = Call::new(CallKind::Event(name.into()));
    call.with = with;
    call
}

fn tool(args: Object) -> Call {
    let mut call = Call::new(CallKind::HostTool("shell".into()));
    call.with = args;
    call
}

fn is_accepted(outcome: &Outcome) {
    assert!(matches!(outcome, Outcome::Accepted(_)), "{outcome:?}");
}

fn is_denied(outcome: Outcome, kind: DenialKind, message: &str) {
    let Outcome::Denied(denial) = outcome else {
        panic!("expected a denial: {message}");
    };
    assert_eq!(
        (denial.kind, &denial.messages[..]),
        (kind, &[message.to_owned()][..])
    );
}

fn too_long(name: &str, bytes: usize) -> String {
    format!(
        "`{name}` has {bytes} bytes as JSON, but at most 65536 are allowed: send less, or give the field a larger `max` in the spec"
    )
}

#[test]
fn the_bound_is_64_kib() {
    assert_eq!(u64::try_from(MOST), Ok(MOST_JSON));
}

#[test]
fn json_input_can_be_as_long_as_the_bound_but_no_longer() {
    let keep = |bytes| event("keep", with("value", long(bytes)));
    is_accepted(&step(&plan(), &keep(MOST), false));
    let denied = step(&plan(), &keep(MOST + 1), false);
    let said = too_long("value", MOST + 1);
    is_denied(denied, DenialKind::InvalidInput, &said);
}

#[test]
fn escaped_characters_count_in_their_escaped_form() {
    // Each character takes six bytes in canonical JSON.
    let value = Json::from("\u{1}".repeat(MOST / 6));
    let bytes = value.canonical().len();
    let denied = step(&plan(), &event("keep", with("value", value)), false);
    assert!(bytes <= MOST, "{bytes}");
    is_accepted(&denied);
    let value = Json::from("\u{1}".repeat(MOST / 6 + 1));
    let bytes = value.canonical().len();
    let denied = step(&plan(), &event("keep", with("value", value)), false);
    is_denied(denied, DenialKind::InvalidInput, &too_long("value", bytes));
}

#[test]
fn the_arguments_of_a_recorded_call_are_bounded_where_they_are_written() {
    let around = r#"{"command":""}"#.len();
    let call = |bytes: usize| tool(with("command", Json::from("x".repeat(bytes - around))));
    is_accepted(&step(&plan(), &call(MOST), false));
    let denied = step(&plan(), &call(70_000), false);
    is_denied(
        denied,
        DenialKind::LimitReached,
        &too_long("calls[0].args", 70_000),
    );
}

#[test]
fn each_item_of_a_list_of_json_is_bounded() {
    let values = Json::List(vec![long(MOST), long(MOST), long(MOST + 5)]);
    let denied = step(&plan(), &event("keep_all", with("values", values)), false);
    let said = too_long("values[2]", MOST + 5);
    is_denied(denied, DenialKind::InvalidInput, &said);
    let values = Json::List(vec![long(MOST); 3]);
    is_accepted(&step(
        &plan(),
        &event("keep_all", with("values", values)),
        false,
    ));
}

#[test]
fn a_spec_raises_and_lowers_the_bound() {
    let large = |bytes| event("keep_large", with("value", long(bytes)));
    // The effect that contains the value has no bound.
    is_accepted(&step(&plan(), &large(200_000), false));
    let denied = step(&plan(), &large(200_001), false);
    let said = "`value` has 200001 bytes, but at most 200000 are allowed";
    is_denied(denied, DenialKind::InvalidInput, said);
    let small = event("keep_small", with("value", long(21)));
    let denied = step(&plan(), &small, false);
    let said = "`value` has 21 bytes, but at most 20 are allowed";
    is_denied(denied, DenialKind::InvalidInput, said);
}

/// Returns a plan of an earlier version, with values that are longer than the current bound.
fn longer() -> StoredPlans {
    let mut call = Object::new();
    call.push("tool", "write_file");
    call.push("args", with("text", long(90_000)));
    let mut data = Object::new();
    data.push("plain", long(100_000));
    data.push("items", vec![long(100_000)]);
    data.push("calls", vec![Json::from(call)]);
    data.push("text", "t");
    open(data)
}

#[test]
fn a_stored_plan_with_longer_values_continues() {
    for call in [
        event("add", with("value", Json::from(1_i64))),
        tool(with("command", Json::from("ls"))),
        event("finish", with("result", Json::from("done"))),
        event("copy_plain", Object::new()),
        event("copy_first", Object::new()),
        event("keep_small", with("value", Json::from(1_i64))),
        event("stop", Object::new()),
    ] {
        is_accepted(&step(&longer(), &call, false));
    }
    let denied = step(
        &longer(),
        &event("add", with("value", long(MOST + 1))),
        false,
    );
    let said = too_long("value", MOST + 1);
    is_denied(denied, DenialKind::InvalidInput, &said);
    let denied = step(&longer(), &tool(with("text", long(MOST))), false);
    let said = too_long("calls[1].args", MOST + r#"{"text":}"#.len());
    is_denied(denied, DenialKind::LimitReached, &said);
}

#[test]
fn input_that_an_earlier_version_accepted_is_accepted_in_a_replay() {
    let calls = [
        event("keep", with("value", long(300_000))),
        event(
            "keep_all",
            with("values", Json::List(vec![long(300_000); 2])),
        ),
        event("add", with("value", long(300_000))),
        tool(with("text", long(300_000))),
    ];
    for call in calls {
        is_accepted(&step(&plan(), &call, true));
        assert!(matches!(step(&plan(), &call, false), Outcome::Denied(_)));
    }
    // Earlier versions already applied the bounds that the spec states.
    let small = event("keep_small", with("value", long(21)));
    assert!(matches!(step(&plan(), &small, true), Outcome::Denied(_)));
}

#[test]
fn typed_methods_enforce_the_bound() {
    let mut cx = json_bounds::Cx::new(Instant::at_second(0), || Id::from("plan-1"));
    let mut plan = json_bounds::NoPlan.begin(&mut cx);
    let refused = plan.keep(long(MOST + 1), &mut cx).expect_err("too long");
    assert_eq!(refused.messages(), [too_long("value", MOST + 1)]);
    plan.keep(long(MOST), &mut cx)
        .expect("exactly at the bound");
}

fn spec(field: &str) -> Compiled {
    let text = format!(
        "machine: M\ndata:\n  value: {field}\ncommands: {{ go: /go, stop: /stop }}\nstates:\n  none: {{ on: {{ go: A }} }}\n  \
         A: {{ on: {{ stop: {{ to: Z, next: none, set: {{ value: 1 }} }} }} }}\n  Z: {{ final: true }}\n"
    );
    compiled("m.yaml", &text)
}

#[test]
fn a_default_that_is_longer_is_an_error_of_the_spec() {
    let text = "x".repeat(MOST - 1);
    let found = spec(&format!("{{ type: json, default: \"{text}\" }}"));
    assert_eq!(found.codes(), ["PM0406"]);
    let said = "the default of `value` has 65537 bytes, but `value` allows at most 65536";
    assert!(found.rendered().contains(said), "{}", found.rendered());
    let raised = spec(&format!(
        "{{ type: json, max: 70000, default: \"{text}\" }}"
    ));
    assert!(!raised.codes().contains(&"PM0406"), "{}", raised.rendered());
}

#[test]
fn a_bad_bound_is_reported_where_it_is() {
    for (bound, said) in [
        ("0", "`max` must be at least 1"),
        ("-1", "`max` must be at least 1"),
        ("many", "`max`"),
        ("1.5", "`max`"),
    ] {
        let found = spec(&format!("{{ type: json, optional: true, max: {bound} }}"));
        let rendered = found.rendered();
        assert!(rendered.contains(said), "{bound}: {rendered}");
        let first = &found.compilation.diagnostics[0];
        let place = found.sources.file(first.primary.span.file);
        let place = place.position(first.primary.span.start);
        assert_eq!((place.line, place.column), (3, 45), "{bound}: {rendered}");
    }
}

#[test]
fn a_model_reads_the_bound_in_the_schema() {
    let found = compiled("json_bounds.yaml", SPEC);
    let machine = found.compilation.machine.expect("a machine");
    let of = |tool: &str, field: &str| {
        let tool = machine.event_named(tool).expect("a tool");
        let schema = json_schema::input_schema(&machine, tool);
        let fields = schema
            .as_object()
            .and_then(|schema| schema.get("properties"));
        let field = fields
            .and_then(Json::as_object)
            .and_then(|all| all.get(field));
        field.expect("a field").to_string()
    };
    let said = r#"{"description":"At most 65536 bytes."}"#;
    assert_eq!(of("keep", "value"), said);
    assert_eq!(
        of("keep_all", "values"),
        format!(r#"{{"type":"array","items":{said}}}"#)
    );
    let said = r#"{"description":"At most 200000 bytes."}"#;
    assert_eq!(of("keep_large", "value"), said);
}
