//! The trace of a broken invariant can be passed to `run` unchanged, and ends in the state in which the invariant is
//! broken.

use plan_machine_kernel::json::Json;

use super::{corpus, plan_machine};

/// Returns the lines that a command prints to standard output for a spec with a broken invariant.
fn lines(line: &str, input: String) -> Vec<Json> {
    let output = plan_machine(&corpus("violating"), line)
        .write_stdin(input)
        .output()
        .expect("the command starts");
    let text = String::from_utf8(output.stdout).expect("it prints UTF-8");
    let lines = text.lines();
    lines
        .map(|line| Json::parse(line).expect("a line of JSON"))
        .collect()
}

fn field<'j>(json: &'j Json, name: &str) -> Option<&'j Json> {
    json.as_object().and_then(|object| object.get(name))
}

/// Returns the trace of the only broken invariant.
fn trace_of(spec: &str) -> Vec<Json> {
    let checked = lines(&format!("check --format json {spec}"), String::new());
    let diagnostics = field(&checked[0], "diagnostics").and_then(Json::as_list);
    let broken = diagnostics
        .into_iter()
        .flatten()
        .find(|found| field(found, "code") == Some(&Json::from("PM0601")));
    let trace = field(broken.expect("a broken invariant"), "trace");
    trace.and_then(Json::as_list).expect("a trace").to_vec()
}

#[test]
fn every_trace_runs_and_ends_in_the_state_it_says() {
    let folder = std::fs::read_dir(corpus("violating")).expect("the violating specs");
    let paths = folder.map(|entry| entry.expect("an entry").path());
    let mut specs: Vec<String> = paths
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
        .collect();
    specs.sort();
    assert!(specs.len() > 20, "{specs:?}");
    for spec in specs {
        let trace = trace_of(&spec);
        let answers = lines(
            &format!("run {spec}"),
            Json::List(trace.clone()).to_string(),
        );
        assert_eq!(answers.len(), trace.len(), "{spec}");
        for (answer, step) in answers.iter().zip(&trace) {
            assert_eq!(
                field(answer, "accepted"),
                Some(&Json::Bool(true)),
                "{spec}: {step}"
            );
            assert_eq!(
                field(answer, "state"),
                field(step, "state"),
                "{spec}: {step}"
            );
            assert_eq!(field(answer, "data"), field(step, "data"), "{spec}: {step}");
        }
    }
}
