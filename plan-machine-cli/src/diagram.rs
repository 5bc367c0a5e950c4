//! `plan-machine diagram`: draws the state chart of a spec.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

use clap::ValueEnum;
use plan_machine_compiler::emit;
use plan_machine_compiler::model::{Checked, Machine};

use crate::output::{Exit, Failure, Out};
use crate::session::SessionDocument;
use crate::spec;

/// Draw the state chart of a spec.
///
/// Composite states are nested, and tools are marked. For a session document, draws a chart for each machine. `mermaid`
/// is for Markdown pages, and `dot` is for Graphviz; `svg` is laid out by Graphviz, which must be installed.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine diagram work_by_plan.yaml --format mermaid
  plan-machine diagram work_by_plan.yaml --format svg -o work_by_plan.svg")]
pub(crate) struct Args {
    /// The spec, or a session document.
    file: PathBuf,
    /// The format of the chart.
    #[arg(long, value_enum, default_value_t = Format::Mermaid)]
    format: Format,
    /// Write to this file instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Mermaid,
    Dot,
    Svg,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let chart = match SessionDocument::read(&args.file)? {
        None => drawn(&spec::machine(&args.file)?, args.format)?,
        Some(_) if args.format == Format::Svg => {
            let message = "`svg` draws one machine, but a session has several";
            return Err(Failure::usage(message).help("draw the spec of each machine separately"));
        }
        Some(document) => {
            let session = document.into_session()?;
            let charts = session.members.iter();
            let charts = charts.map(|member| drawn(&member.machine, args.format));
            charts.collect::<Result<Vec<String>, Failure>>()?.join("\n")
        }
    };
    match &args.output {
        Some(path) => fs::write(path, chart).map_err(|error| {
            Failure::usage(format!("cannot write `{}`: {error}", path.display()))
        })?,
        None => Out::plain().text(chart)?,
    }
    Ok(Exit::Fine)
}

fn drawn(machine: &Checked<Machine>, format: Format) -> Result<String, Failure> {
    match format {
        Format::Mermaid => Ok(emit::mermaid(machine)),
        Format::Dot => Ok(emit::dot(machine)),
        Format::Svg => svg(&emit::dot(machine)),
    }
}

/// Lays out the chart with Graphviz.
fn svg(chart: &str) -> Result<String, Failure> {
    let output = graphviz(chart).map_err(|error| {
        let message = match error.kind() {
            io::ErrorKind::NotFound => {
                "`svg` needs Graphviz, but the `dot` command is not on the PATH".to_owned()
            }
            _ => format!("`svg` needs Graphviz, but the `dot` command could not be run: {error}"),
        };
        Failure::usage(message).help(
            "install Graphviz, or use `--format mermaid` or `--format dot`, which do not need Graphviz",
        )
    })?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let message = format!("Graphviz could not draw the chart: {}", said.trim());
        return Err(Failure::usage(message)
            .help("`--format mermaid` and `--format dot` do not need Graphviz"));
    }
    String::from_utf8(output.stdout)
        .map_err(|_| Failure::usage("Graphviz returned a chart that is not UTF-8"))
}

fn graphviz(chart: &str) -> io::Result<std::process::Output> {
    let mut child = Command::new("dot")
        .arg("-Tsvg")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let input = child.stdin.take();
    thread::scope(|scope| {
        // The input is written while the output is being read; otherwise, this process and `dot` could wait for each
        // other forever. `dot` itself reports input that it does not accept.
        scope.spawn(move || input.map(|mut input| input.write_all(chart.as_bytes())));
        child.wait_with_output()
    })
}
