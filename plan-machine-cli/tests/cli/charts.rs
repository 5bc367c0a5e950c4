//! Tests of `plan-machine diagram`, `table`, `tools` and `prompt`.

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
fn svg_is_laid_out_by_graphviz() {
    let version = std::process::Command::new("dot").arg("-V").output();
    let is_installed = version.is_ok_and(|output| output.status.success());
    assert!(
        is_installed,
        "this test needs the program `dot` of Graphviz, which scripts/test installs"
    );
    let svg = valid("diagram work_by_plan.yaml --format svg", "");
    assert!(svg.contains("<svg") && svg.contains("COLLECTING"), "{svg}");
}

#[test]
fn a_table_keeps_to_the_width_that_is_asked_for() {
    let table = valid("table work_by_plan.yaml --width 70", "");
    assert!(table.contains("plan_set_content") && table.contains("COLLECTING"));
    let rows = table.lines().filter(|line| line.starts_with('│'));
    let longest = rows.map(|line| line.chars().count()).max();
    let longest = longest.expect("a table with rows");
    assert!(longest <= 70, "{longest}\n{table}");
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
fn an_unknown_state_is_reported_with_the_nearest_one() {
    let tools = valid("tools work_by_plan.yaml --state REDAY", "");
    let prompt = valid("prompt work_by_plan.yaml --state REDAY", "");
    assert_snapshot!(format!("{tools}\n{prompt}"));
}

#[test]
fn a_state_is_named_behind_the_file() {
    let prompt = valid("prompt allowlist.yaml LOOKING", "");
    let option = valid("prompt allowlist.yaml --state LOOKING", "");
    let text = |transcript: &str| transcript.split_once('\n').map(|(_, rest)| rest.to_owned());
    assert_eq!(text(&prompt), text(&option));
    let tools = valid("tools work_by_plan.yaml READY", "");
    assert!(tools.contains("plan_set_content"), "{tools}");
}

#[test]
fn who_names_no_state_sees_those_that_there_are() {
    let prompt = valid("prompt work_by_plan.yaml", "");
    let tools = valid("tools work_by_plan.yaml", "");
    let mistyped = valid("prompt work_by_plan.yaml REDAY", "");
    let composite = valid("prompt work_by_plan.yaml drafting", "");
    let none = valid("prompt work_by_plan.yaml none", "");
    assert_snapshot!([prompt, tools, mistyped, composite, none].join("\n"));
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

/// A box of a layout: its center and its size.
type Frame = (f64, f64, f64, f64);

/// An arrow of a layout, in inches.
struct Arrow {
    name: String,
    /// Points along the arrow, from the bottom left of the chart.
    points: Vec<(f64, f64)>,
    /// The center of the label; invisible arrows have none.
    label: Option<(f64, f64)>,
}

impl Arrow {
    /// Returns whether the arrow is an invisible one, or one that starts at the title of a frame.
    fn starts_at_a_title(&self) -> bool {
        self.name.starts_with("\"title ")
    }
}

/// Returns the boxes of the titles and the arrows in the layout that `dot -Tplain` computes for a chart.
fn layout(chart: &str) -> (Vec<Frame>, Vec<Arrow>) {
    let mut dot = assert_cmd::Command::new("dot");
    let output = dot.arg("-Tplain").write_stdin(chart).output();
    let output = output.expect("Graphviz is installed");
    let plain = String::from_utf8(output.stdout).expect("it prints UTF-8");
    // A line that ends in a backslash continues on the next line.
    let plain = plain.replace("\\\n", "");
    let (mut titles, mut arrows) = (Vec::new(), Vec::new());
    for line in plain.lines() {
        if let Some(rest) = line.strip_prefix("node \"title ") {
            let numbers = numbers(rest.split_once('"').map_or("", |(_, rest)| rest), 4);
            titles.push((numbers[0], numbers[1], numbers[2] / 2.0, numbers[3] / 2.0));
        } else if let Some(rest) = line.strip_prefix("edge ") {
            arrows.push(arrow(rest));
        }
    }
    (titles, arrows)
}

/// Reads the line of an arrow: its ends, its control points, the label with its place, its style and its color.
fn arrow(line: &str) -> Arrow {
    let ends = ends(line);
    let words: Vec<&str> = line[ends.len()..].split_whitespace().collect();
    let count: usize = words[0].parse().expect("a number of points");
    let points = numbers(&words[1..].join(" "), 2 * count);
    let points: Vec<(f64, f64)> = points.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let labelled = words.len() > 3 + 2 * count;
    let place = || numbers(&words[words.len() - 4..].join(" "), 2);
    Arrow {
        name: ends.to_owned(),
        points: along(&points),
        label: labelled.then(place).map(|place| (place[0], place[1])),
    }
}

/// Returns the names of both ends, which may contain spaces in quotes.
fn ends(line: &str) -> &str {
    let (mut quoted, mut spaces) = (false, 0);
    for (at, c) in line.char_indices() {
        quoted ^= c == '"';
        spaces += usize::from(c == ' ' && !quoted);
        if spaces == 2 {
            return &line[..at];
        }
    }
    line
}

/// Returns the charts of every shipped spec and of the corpus, with their names.
fn charts() -> Vec<(String, String)> {
    let specs = corpus("valid").join("../../../specs");
    let mut charts = Vec::new();
    for folder in [specs.join("agents"), specs, corpus("valid")] {
        for entry in std::fs::read_dir(&folder).expect("specs") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.extension().is_none_or(|it| it != "yaml") || name == "memory.yaml" {
                continue;
            }
            let mut chart = plan_machine(&folder, &format!("diagram {name} --format dot"));
            let output = chart.output().expect("the command starts");
            let chart = String::from_utf8(output.stdout).expect("it prints UTF-8");
            charts.push((name.into_owned(), chart));
        }
    }
    charts
}

fn numbers(text: &str, count: usize) -> Vec<f64> {
    let words = text.split_whitespace().take(count);
    words.map(|word| word.parse().expect("a number")).collect()
}

/// Returns points along a curve that consists of Bézier segments.
fn along(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let piece = |p: &[(f64, f64)], t: f64| {
        let u = 1.0 - t;
        let w = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
        let sum = |part: fn(&(f64, f64)) -> f64| w.iter().zip(p).map(|(w, p)| w * part(p)).sum();
        (sum(|p| p.0), sum(|p| p.1))
    };
    let starts = (0..points.len().saturating_sub(3)).step_by(3);
    let pieces = starts.map(|at| &points[at..at + 4]);
    let steps = |p| (0..=20).map(move |step| piece(p, f64::from(step) / 20.0));
    pieces.flat_map(steps).collect()
}

#[test]
fn arrows_go_around_the_titles_of_frames() {
    let mut crossed = Vec::new();
    let mut titles = 0;
    for (name, chart) in charts() {
        let (boxes, arrows) = layout(&chart);
        titles += boxes.len();
        for (x, y, wide, high) in boxes {
            let inside = |(px, py): &(f64, f64)| (px - x).abs() < wide && (py - y).abs() < high;
            let over = arrows
                .iter()
                .filter(|arrow| !arrow.starts_at_a_title() && arrow.points.iter().any(inside));
            crossed.extend(over.map(|arrow| format!("{name}: {}", arrow.name)));
        }
    }
    assert!(titles > 10, "only {titles} frames");
    assert_eq!(crossed, Vec::<String>::new());
}

#[test]
fn an_arrow_passes_at_the_height_of_its_label() {
    /// The maximum distance between the middle of a label and the nearest point of its arrow, in inches.
    const NEAR: f64 = 0.3;
    let mut labels = 0;
    let mut apart = Vec::new();
    for (name, chart) in charts() {
        for arrow in layout(&chart).1 {
            let Some((_, y)) = arrow.label else { continue };
            labels += 1;
            let passes = arrow.points.iter().any(|point| (point.1 - y).abs() < NEAR);
            apart.extend((!passes).then(|| format!("{name}: {}", arrow.name)));
        }
    }
    assert!(labels > 100, "only {labels} labels");
    // In a chart with very many arrows, Graphviz cannot place every label well.
    assert!(apart.len() * 40 <= labels, "of {labels} labels: {apart:?}");
}
