//! Tests that `plan-machine run` answers every line, whatever arrives through the pipe.
//!
//! The lines come from the scenarios of the corpus, and some of them are damaged. One process receives all lines, so
//! that damaged lines arrive in every state, and the lines after a damaged line are checked as well.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use plan_machine_compiler::compile;
use plan_machine_compiler::model::scenario::{Call, Scenario, Step, What};
use plan_machine_compiler::model::{Checked, Machine};
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use proptest::prelude::*;

use super::{corpus, plan_machine};

/// The specs of the tested machines: machines with one plan, machines with many plans, and machines that record calls.
const MACHINES: [&str; 5] = [
    "work_by_plan",
    "plan_mode",
    "batches",
    "many_reviews",
    "every_type",
];

/// A machine with the events of its scenarios.
struct Sample {
    file: String,
    /// The host tools that these events call.
    host_tools: BTreeSet<String>,
    scenarios: Vec<Vec<String>>,
}

fn samples() -> &'static [Sample] {
    static ALL: OnceLock<Vec<Sample>> = OnceLock::new();
    ALL.get_or_init(|| MACHINES.iter().map(|name| sample(name)).collect())
}

fn sample(name: &str) -> Sample {
    let file = format!("{name}.yaml");
    let text = std::fs::read_to_string(corpus("valid").join(&file)).expect("a spec of the corpus");
    let mut sources = SourceMap::default();
    let id = sources.add(file.as_str(), text);
    let machine = compile(&sources, id).machine.expect("a valid spec");
    let mut host_tools = BTreeSet::from(["shell".to_owned()]);
    for step in machine.scenarios.iter().flat_map(Scenario::sent) {
        host_tools.extend(step.calls.iter().filter_map(|call| match &call.what {
            What::Tool(name) => Some(name.clone()),
            _ => None,
        }));
    }
    let scenarios = machine.scenarios.iter().map(|scenario| {
        let steps = scenario.sent();
        steps.map(|step| line(&machine, step)).collect()
    });
    Sample {
        file,
        host_tools,
        scenarios: scenarios.collect(),
    }
}

/// Formats a step of a scenario as a line of input.
fn line(machine: &Checked<Machine>, step: &Step) -> String {
    let mut calls = step.calls.iter().map(|call| request(machine, call));
    let mut line = if step.batch {
        let calls: Vec<Json> = calls.map(Json::from).collect();
        let mut batch = Object::new();
        batch.push("batch", calls);
        batch
    } else {
        let mut request = calls.next().expect("a step sends something");
        let with = request.get("with").and_then(Json::as_object);
        if with.is_none_or(|with| with.get("token").is_none()) {
            request.push("token", "current");
        }
        request
    };
    if !step.context.is_empty() {
        line.push("context", step.context.clone());
    }
    if let Some(at) = step.at {
        line.push("at", at.to_string());
    }
    line.to_string()
}

fn request(machine: &Checked<Machine>, call: &Call) -> Object {
    let mut request = Object::new();
    match &call.what {
        What::Event(event) => request.push("do", machine.event(*event).name.as_str()),
        What::Line(line) => request.push("do", line.as_str()),
        What::Tool(name) => request.push("tool", name.as_str()),
    }
    if !call.with.is_empty() {
        request.push("with", call.with.clone());
    }
    if let Some(id) = &call.plan_id {
        request.push("plan_id", id.as_str());
    }
    if let Some(revision) = call.expect_revision {
        request.push("expect_revision", revision);
    }
    request
}

/// One change to a line.
#[derive(Clone, Debug)]
enum Damage {
    /// Bytes are removed.
    Cut(usize, usize),
    /// Bytes are inserted.
    Insert(usize, &'static [u8], usize),
    /// Two bytes are swapped.
    Swap(usize, usize),
    /// A byte is replaced.
    Replace(usize, u8),
    /// A value is replaced: the text after a colon, up to the next comma or bracket.
    Value(usize, &'static [u8]),
    /// A member is inserted after an opening brace.
    Member(usize, &'static str),
    /// The line becomes a list of requests.
    Listed(usize),
}

/// The inserted bytes, and the maximum number of repetitions.
const INSERTS: [(&[u8], usize); 22] = [
    (b"{", 3000),
    (b"[", 3000),
    (b"{\"a\":", 3000),
    (b"}", 3),
    (b"]", 3),
    (b"9", 400),
    (b"-", 2),
    (b"1e999", 1),
    (b"18446744073709551616", 1),
    (b"-9223372036854775808", 1),
    (b"0.1", 1),
    (b"\"", 2),
    (b"\\", 2),
    (b"\\ud800", 2),
    (b"null", 1),
    (b",", 2),
    (b"\n", 2),
    (b"\r\t ", 2),
    (b"\xff", 2),
    (b"\0", 2),
    ("\u{202e}計\u{feff}".as_bytes(), 2),
    (b"a long text ", 20_000),
];

const VALUES: [&[u8]; 10] = [
    b"null",
    b"-1",
    b"[[[[]]]]",
    b"{\"\":{}}",
    b"\"\"",
    b"\"plan-1\"",
    b"18446744073709551615",
    b"9223372036854775807",
    b"1e-400",
    b"true",
];

const MEMBERS: [&str; 12] = [
    r#""expect_revision":1,"#,
    r#""expect_revision":-1,"#,
    r#""plan_id":"plan-2","#,
    r#""plan_id":7,"#,
    r#""token":"1-00000000","#,
    r#""token":[],"#,
    r#""context":{"":null},"#,
    r#""context":"no object","#,
    r#""at":"2026-02-30T25:00:00+99:99","#,
    r#""at":"9999-12-31T23:59:59.999999999-23:59","#,
    r#""with":7,"#,
    r#""batch":[{"tool":"shell"},{"do":"/plan"},[],{"batch":[]}],"#,
];

fn damage() -> impl Strategy<Value = Damage> {
    let place = || any::<usize>();
    prop_oneof![
        (place(), 1_usize..40).prop_map(|(at, length)| Damage::Cut(at, length)),
        (place(), prop::sample::select(&INSERTS[..]), place())
            .prop_map(|(at, (bytes, most), times)| Damage::Insert(at, bytes, times % most + 1)),
        (place(), place()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (place(), prop::sample::select(&VALUES[..]))
            .prop_map(|(at, value)| Damage::Value(at, value)),
        (place(), prop::sample::select(&MEMBERS[..]))
            .prop_map(|(at, member)| Damage::Member(at, member)),
        (0_usize..4).prop_map(Damage::Listed),
    ]
}

impl Damage {
    fn done_to(&self, line: &mut Vec<u8>) {
        let end = line.len();
        match *self {
            Damage::Cut(at, length) => {
                let at = at % (end + 1);
                line.drain(at..(at + length).min(end));
            }
            Damage::Insert(at, bytes, times) => {
                let at = at % (end + 1);
                line.splice(at..at, bytes.repeat(times));
            }
            Damage::Swap(a, b) if end > 0 => line.swap(a % end, b % end),
            Damage::Replace(at, byte) if end > 0 => line[at % end] = byte,
            Damage::Swap(..) | Damage::Replace(..) => {}
            Damage::Value(at, value) => {
                if let Some(from) = behind(line, b':', at) {
                    let rest = line[from..].iter();
                    let length = rest.take_while(|byte| !b",}]".contains(byte)).count();
                    line.splice(from..from + length, value.iter().copied());
                }
            }
            Damage::Member(at, member) => {
                if let Some(from) = behind(line, b'{', at) {
                    line.splice(from..from, member.bytes());
                }
            }
            Damage::Listed(times) => {
                let items = vec![line.clone(); times];
                *line = [b"[".to_vec(), items.join(&b','), b"]".to_vec()].concat();
            }
        }
    }
}

/// Returns the position after one of the occurrences of a byte, selected by `at`.
fn behind(line: &[u8], sign: u8, at: usize) -> Option<usize> {
    let places = (0..line.len()).filter(|place| line[*place] == sign);
    let places: Vec<usize> = places.collect();
    let place = places.get(at.checked_rem(places.len())?)?;
    Some(place + 1)
}

/// Returns the minimum and maximum number of answers to a line, which may contain line breaks after it was damaged.
fn answers(line: &[u8]) -> (usize, usize) {
    let each = line.split(|byte| *byte == b'\n').map(|line| {
        let Ok(text) = std::str::from_utf8(line) else {
            return (1, 1);
        };
        match Json::parse(text) {
            _ if text.trim().is_empty() => (0, 0),
            Ok(Json::List(requests)) => sum(requests.iter().map(answers_to)),
            Ok(request) => answers_to(&request),
            Err(_) => (1, 1),
        }
    });
    sum(each)
}

/// Returns the minimum and maximum number of answers to a request. A batch gets one answer per call, or a single
/// answer if something outside its calls is wrong.
fn answers_to(request: &Json) -> (usize, usize) {
    let object = request.as_object();
    match object.and_then(|object| object.get("batch")?.as_list()) {
        Some(calls) => (calls.len().min(1), calls.len().max(1)),
        None => (1, 1),
    }
}

fn sum(all: impl Iterator<Item = (usize, usize)>) -> (usize, usize) {
    all.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Returns the name of an unknown tool, which the test calls after each line. The denial of this call changes nothing,
/// and marks the end of the answers to the line.
fn end(line: usize) -> String {
    format!("end_{line}")
}

fn is_end(answer: &Json, line: usize) -> bool {
    let denied = answer.as_object().and_then(|answer| answer.get("denied"));
    denied.is_some_and(|denied| {
        let denied = denied.to_string();
        denied.contains("unknown_tool") && denied.contains(&format!("`{}`", end(line)))
    })
}

/// Returns whether an answer is an error. An answer must say either whether the event was accepted or what was wrong
/// with the line.
fn is_error(answer: &Json) -> bool {
    let answer = answer.as_object().expect("an answer is an object");
    match (answer.get("accepted"), answer.get("error")) {
        (Some(Json::Bool(_)), None) => false,
        (None, Some(Json::Text(_))) => true,
        _ => panic!("neither accepted nor an error: {answer}"),
    }
}

/// Sends lines, and checks the answers.
fn exercise(sample: &Sample, lines: &[Vec<u8>]) {
    let mut input = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        input.extend_from_slice(line);
        input.extend(format!("\n{{\"tool\":\"{}\"}}\n", end(at)).into_bytes());
    }
    let known: Vec<&str> = sample.host_tools.iter().map(String::as_str).collect();
    let command = format!("run {} --host-tools {}", sample.file, known.join(","));
    let output = plan_machine(&corpus("valid"), &command)
        .write_stdin(input)
        .output()
        .expect("it starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let printed = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let mut printed = printed.lines().map(|line| Json::parse(line).expect("JSON"));
    let mut errors = 0;
    for (at, line) in lines.iter().enumerate() {
        let own = printed.by_ref().take_while(|answer| !is_end(answer, at));
        let own: Vec<bool> = own.map(|answer| is_error(&answer)).collect();
        let (fewest, most) = answers(line);
        let line = String::from_utf8_lossy(line);
        assert!(
            (fewest..=most).contains(&own.len()),
            "{}: {line}",
            own.len()
        );
        errors += own.into_iter().filter(|error| *error).count();
    }
    assert_eq!(printed.next(), None);
    let status = if errors > 0 { 2 } else { 0 };
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn the_lines_of_every_scenario_are_answered_one_by_one() {
    for sample in samples() {
        for scenario in &sample.scenarios {
            let lines: Vec<Vec<u8>> = scenario.iter().map(|line| line.clone().into()).collect();
            exercise(sample, &lines);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn damaged_lines_are_answered_and_the_run_continues(
        which in any::<prop::sample::Index>(),
        scenarios in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..20),
    ) {
        let sample = which.get(samples());
        let scenarios = scenarios.iter().flat_map(|which| which.get(&sample.scenarios));
        let mut lines: Vec<Vec<u8>> = scenarios.map(|line| line.clone().into()).collect();
        for (which, damage) in &damages {
            let at = which.index(lines.len());
            damage.done_to(&mut lines[at]);
        }
        exercise(sample, &lines);
    }
}
