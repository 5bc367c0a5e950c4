//! `plan-machine classify`: the classes of tool calls.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use plan_machine_calls::{Classification, Classifier, FlagsTable, Project};
use plan_machine_compiler::calls::{Calls, Example, ExampleResult, differing_example};
use plan_machine_compiler::diagnostic::{Diagnostic, Severity};
use plan_machine_compiler::model::Checked;
use plan_machine_compiler::{CallsCompilation, compile_calls};
use plan_machine_kernel::json::{Json, Object};

use crate::lines::{self, Line};
use crate::output::{Exit, Failure, Out, complain};
use crate::spec::Spec;

/// Print the class of each tool call.
///
/// Reads calls as JSON lines from standard input and prints a line for each: its class, the number of the rule that
/// matched, and `why` if an earlier rule did not match because of the command or the path of the
/// call. A line that is not a call gets an error with its number, and the exit status is 2.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  echo '{\"tool\":\"Bash\",\"with\":{\"command\":\"git status\"}}' | plan-machine classify claude_code.yaml
  {\"class\":\"reads\",\"rule\":3}")]
pub(crate) struct Args {
    /// The file with the calls document.
    file: PathBuf,
    /// The project folder, to which the relative paths in calls refer.
    #[arg(long, value_name = "DIR", default_value = ".")]
    project: PathBuf,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    if !args.project.is_dir() {
        let project = args.project.display();
        return Err(Failure::usage(format!("`{project}` is not a folder")));
    }
    let calls = read(&args.file)?;
    let classifier = classifier(&calls, &args.project, [&*args.file]);
    classify(&classifier, &mut io::stdin().lock(), &mut Out::plain())
}

/// Returns the classifier of a checked document, for calls in a project. Calls that write the given files, which belong to
/// the gate, have the class `guard`.
pub(crate) fn classifier<'p>(
    calls: &Calls,
    project: &Path,
    own: impl IntoIterator<Item = &'p Path>,
) -> Classifier {
    let own = own.into_iter().map(absolute);
    let project = own.fold(Project::new(project), Project::own);
    Classifier::new(calls.document.clone(), FlagsTable::built_in(), project)
}

fn absolute(path: &Path) -> String {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    absolute.display().to_string()
}

/// Reads a calls document; its errors are shown on standard error.
fn read(path: &Path) -> Result<Calls, Failure> {
    let spec = Spec::read(path)?;
    if !spec.is_calls() {
        let message = format!("`{}` is not a calls document", spec.name);
        let help = "a calls document starts with `calls: Name`";
        return Err(Failure::usage(message).help(help));
    }
    compiled(&spec).map(|calls| Calls::clone(&calls))
}

/// Compiles a calls document; its errors are shown on standard error.
pub(crate) fn compiled(spec: &Spec) -> Result<Checked<Calls>, Failure> {
    let compilation = compile_calls(spec.sources(), spec.file);
    let errors = compilation.diagnostics.iter();
    for found in errors.filter(|found| found.severity == Severity::Error) {
        complain(format_args!("{}\n", spec.shown(found)));
    }
    compilation.calls.ok_or(Failure::Spec)
}

/// Compiles a calls document and runs its examples.
pub(crate) fn with_examples(spec: &Spec) -> CallsCompilation {
    let mut compilation = compile_calls(spec.sources(), spec.file);
    if let Some(calls) = &compilation.calls {
        let differing = differing(calls, &calls.examples);
        compilation.diagnostics.extend(differing);
    }
    compilation
}

/// Returns a diagnostic for each example whose actual class differs from the class that the example states. The project
/// is the current folder.
pub(crate) fn differing<'a>(
    calls: &Calls,
    examples: impl IntoIterator<Item = &'a Example>,
) -> Vec<Diagnostic> {
    let classifier = classifier(calls, ".".as_ref(), []);
    let reports = examples.into_iter().filter_map(|example| {
        let found = classifier.classify(&example.tool, &example.arguments);
        let result = ExampleResult {
            class: classifier.name(found.class),
            rule: found.rule,
            why: found.why.as_deref(),
        };
        differing_example(example, result)
    });
    reports.collect()
}

/// Answers each line of the input.
fn classify(
    classifier: &Classifier,
    input: &mut impl BufRead,
    out: &mut Out<'_>,
) -> Result<Exit, Failure> {
    let mut exit = Exit::Fine;
    let mut number = 0_u64;
    while let Some(line) = lines::next(input)? {
        number += 1;
        let answer = match line {
            Line::Text(text) if text.trim().is_empty() => continue,
            Line::Text(text) => call(&text).map(|(tool, arguments)| {
                let found = classifier.classify(&tool, &arguments);
                shown(classifier, &found)
            }),
            Line::Bad(reason) => Err(reason),
        };
        match answer {
            Ok(answer) => out.line(answer)?,
            Err(reason) => {
                exit = Exit::Usage;
                let mut object = Object::new();
                object.push("error", reason);
                object.push("line", number);
                out.line(Json::from(object))?;
            }
        }
        if out.is_gone() {
            break;
        }
    }
    out.flush()?;
    Ok(exit)
}

/// Reads a call: `{"tool":"Bash","with":{"command":"ls"}}`.
fn call(line: &str) -> Result<(String, Json), String> {
    let expected = r#"expected a call such as {"tool":"Bash","with":{"command":"ls"}}"#;
    let json = Json::parse(line).map_err(|error| format!("the line is not JSON: {error}"))?;
    let Json::Object(object) = json else {
        return Err(expected.to_owned());
    };
    let mut tool = None;
    let mut arguments = Json::Object(Object::new());
    for (key, value) in object {
        match (key.as_ref(), value) {
            ("tool", Json::Text(name)) => tool = Some(name),
            ("with", Json::Object(with)) => arguments = Json::Object(with),
            ("tool", _) => return Err("`tool` must be a string".to_owned()),
            ("with", _) => return Err("`with` must be an object".to_owned()),
            (other, _) => {
                return Err(format!("unknown key `{other}`; expected `tool` or `with`"));
            }
        }
    }
    let tool = tool.ok_or_else(|| format!("the call has no `tool`: {expected}"))?;
    Ok((tool, arguments))
}

fn shown(classifier: &Classifier, found: &Classification) -> Json {
    let mut object = Object::new();
    object.push("class", classifier.name(found.class));
    if let Some(rule) = found.rule {
        object.push("rule", u64::try_from(rule).unwrap_or(u64::MAX));
    }
    if let Some(why) = &found.why {
        object.push("why", why.as_str());
    }
    object.into()
}
