//! `plan-machine diagram`, `table`, `tools` and `prompt`.

use insta::assert_snapshot;

use super::{corpus, folder, invalid, plan_machine, valid};

#[test]
fn a_chart_goes_to_standard_output() {
    let mermaid = valid("diagram work_by_plan.yaml --format mermaid", "");
    assert!(mermaid.contains("stateDiagram-v2"), "{mermaid}");
    assert!(mermaid.ends_with("--- status 0\n"), "{mermaid}");
    assert_eq!(
        valid("diagram work_by_plan.yaml", "")
            .split_once('\n')
            .map(|(_, chart)| chart.to_owned()),
        mermaid.split_once('\n').map(|(_, chart)| chart.to_owned()),
    );
    let dot = valid("diagram work_by_plan.yaml --format dot", "");
    assert!(dot.contains("digraph"), "{dot}");
}

#[test]
fn a_chart_goes_to_the_file_that_is_named() {
    let file = folder("chart").join("chart.mmd");
    let mut command = plan_machine(&corpus("valid"), "diagram work_by_plan.yaml -o");
    let output = command.arg(&file).output().expect("the command starts");
    assert!(output.status.success() && output.stdout.is_empty());
    let chart = std::fs::read_to_string(&file).expect("it was written");
    assert!(chart.contains("stateDiagram-v2"), "{chart}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let output = valid("diagram work_by_plan.yaml -o missing/chart.mmd", "");
    assert!(
        output.contains("cannot write `missing/chart.mmd`"),
        "{output}"
    );
    assert!(output.ends_with("--- status 2\n"), "{output}");
}

#[test]
fn svg_without_graphviz_offers_the_other_two() {
    let mut command = plan_machine(&corpus("valid"), "diagram work_by_plan.yaml --format svg");
    let output = command
        .env("PATH", "")
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(2));
    assert_snapshot!(String::from_utf8_lossy(&output.stderr));
}

#[test]
fn svg_is_laid_out_by_graphviz_where_it_is_there() {
    if std::process::Command::new("dot")
        .arg("-V")
        .output()
        .is_err()
    {
        return;
    }
    let svg = valid("diagram work_by_plan.yaml --format svg", "");
    assert!(svg.contains("<svg") && svg.contains("COLLECTING"), "{svg}");
}

#[test]
fn a_table_keeps_to_the_width_that_is_asked_for() {
    let table = valid("table work_by_plan.yaml --width 70", "");
    assert!(table.contains("plan_set_content") && table.contains("COLLECTING"));
    let rows = table.lines().filter(|line| line.starts_with('│'));
    let longest = rows.map(|line| line.chars().count()).max();
    assert!(longest <= Some(70), "{longest:?}\n{table}");
}

#[test]
fn tools_come_in_the_shape_of_each_api() {
    for shape in ["openai", "anthropic", "mcp"] {
        let line = format!("tools work_by_plan.yaml --state READY --shape {shape}");
        assert_snapshot!(format!("tools_for_{shape}"), valid(&line, ""));
    }
}

#[test]
fn tools_of_many_instances_are_those_of_the_state_and_of_none() {
    let tools = valid("tools many_reviews.yaml --state CLOSED --shape mcp", "");
    assert!(
        tools.contains("\"read_review\"") && tools.contains("\"how_to_review\""),
        "{tools}"
    );
    assert!(!tools.contains("\"remark\""), "{tools}");
}

#[test]
fn a_state_without_tools_has_an_empty_list() {
    assert_snapshot!(valid("tools work_by_plan.yaml --state none", ""));
}

#[test]
fn prompts_join_what_is_inherited() {
    let own = valid("prompt allowlist.yaml --state LOOKING", "");
    let none = valid("prompt work_by_plan.yaml --state CLOSED", "");
    assert_snapshot!(format!("{own}\n{none}"));
}

#[test]
fn an_unknown_state_is_told_with_the_nearest_one() {
    let tools = valid("tools work_by_plan.yaml --state REDAY", "");
    let prompt = valid("prompt work_by_plan.yaml --state REDAY", "");
    assert_snapshot!(format!("{tools}\n{prompt}"));
}

#[test]
fn a_composite_is_refused_with_its_leaves() {
    assert_snapshot!(valid("tools work_by_plan.yaml --state drafting", ""));
}

#[test]
fn a_spec_with_errors_is_not_drawn() {
    for command in [
        "diagram",
        "table",
        "tools --state none",
        "prompt --state none",
        "run",
    ] {
        let output = invalid(&format!("{command} PM0102_unknown_event.yaml"));
        assert!(output.contains("error[PM0102]"), "{output}");
        assert!(output.ends_with("1 error\n--- status 1\n"), "{output}");
    }
}
