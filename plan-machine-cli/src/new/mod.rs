//! `plan-machine new`: creates a crate with a first spec that works without changes.

mod clone;
mod name;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use plan_machine_kernel::json::Json;

use crate::output::{ASIDE, Exit, Failure, GOOD, Out, styled};

/// Create a crate with a first spec, its typed machine and a snapshot test.
///
/// The crate works as generated: `cargo run` runs a plan, and `cargo test` runs the spec's scenarios and
/// compares the machine with its snapshots. Its README leads from the spec to a compile error to a
/// passing test. Existing files are never overwritten.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plan-machine new my-plans
  plan-machine new my-plans --path crates/my-plans")]
pub(crate) struct Args {
    /// The name of the crate.
    name: String,

    /// The folder to create; by default, a folder with the crate's name in the current folder.
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,

    /// Use the `plan-machine` crate from this folder. By default, a command that was built in a clone of the repository
    /// uses the crate from that clone, and any other command uses the crate from crates.io.
    #[arg(long, value_name = "PATH", alias = "plan-machine-path")]
    dependency: Option<PathBuf>,
}

const MACHINE_SNAPSHOT: &str =
    "tests/snapshots/life__the_machine_is_the_one_that_was_reviewed.snap";
const LIFE_SNAPSHOT: &str = "tests/snapshots/life__a_plan_is_written_approved_and_carried_out.snap";

/// The addition to the manifest of a crate inside another workspace, so that Cargo does not expect the crate among the
/// members of that workspace.
const OWN_WORKSPACE: &str = "
# This crate is a separate workspace inside another workspace. To make the crate a member of the other workspace, add
# it to the `members` of that workspace and remove this table.
[workspace]
";

/// The files of a new crate; placeholders such as `{{name}}` are replaced.
const FILES: &[(&str, &str)] = &[
    // A folder with a `Cargo.toml` would be a separate package and would be excluded from this one.
    ("Cargo.toml", include_str!("Cargo.template.toml")),
    (".gitignore", include_str!("gitignore")),
    ("README.md", include_str!("README.md")),
    ("plan.yaml", include_str!("plan.yaml")),
    ("src/lib.rs", include_str!("src/lib.rs")),
    ("src/main.rs", include_str!("src/main.rs")),
    ("tests/life.rs", include_str!("tests/life.rs")),
    (
        MACHINE_SNAPSHOT,
        include_str!("tests/snapshots/life__the_machine_is_the_one_that_was_reviewed.snap"),
    ),
    (
        LIFE_SNAPSHOT,
        include_str!("tests/snapshots/life__a_plan_is_written_approved_and_carried_out.snap"),
    ),
];

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    name::check(&args.name)?;
    let source = Source::of(args.dependency.as_deref())?;
    let folder = match &args.path {
        Some(path) => path.clone(),
        None => PathBuf::from(&args.name),
    };
    make(&folder)?;
    let workspace = workspace_around(&folder);
    for (file, template) in FILES {
        let mut text = source.fill(template, &args.name);
        if *file == "Cargo.toml" && workspace.is_some() {
            text.push_str(OWN_WORKSPACE);
        }
        write(&folder.join(file), &text)?;
    }
    tell(args, &source, &folder, workspace.as_deref())
}

/// Creates the folder, which must not exist yet.
fn make(folder: &Path) -> Result<(), Failure> {
    let shown = folder.display();
    let failed = |cause: std::io::Error| match cause.kind() {
        ErrorKind::AlreadyExists => {
            Failure::usage(format!("`{shown}` already exists; nothing was written"))
                .help("use `--path` to name another folder")
        }
        _ => Failure::usage(format!("cannot create the folder `{shown}`: {cause}")),
    };
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(|cause| {
            let shown = parent.display();
            Failure::usage(format!("cannot create the folder `{shown}`: {cause}"))
        })?;
    }
    fs::create_dir(folder).map_err(failed)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let written = file
        .parent()
        .map_or(Ok(()), fs::create_dir_all)
        .and_then(|()| fs::write(file, text));
    written.map_err(|cause| Failure::usage(format!("cannot write `{}`: {cause}", file.display())))
}

/// The source of plan-machine for the new crate.
enum Source {
    /// From crates.io, with the version of this command.
    Registry,
    /// From a folder, given by its path.
    Folder(String),
}

impl Source {
    /// Returns the folder that the user named. If the user named none, returns the clone in which this command was
    /// built, or crates.io if there is no such clone.
    fn of(folder: Option<&Path>) -> Result<Self, Failure> {
        match folder {
            Some(folder) => named(folder),
            None => match clone::library() {
                Some(library) => named(&library),
                None => Ok(Self::Registry),
            },
        }
    }

    /// Replaces the placeholders of a template.
    fn fill(&self, template: &str, name: &str) -> String {
        template
            .replace("{{name}}", name)
            .replace("{{crate}}", &name.replace('-', "_"))
            .replace("{{rust}}", env!("CARGO_PKG_RUST_VERSION"))
            .replace("{{dependency}}", &self.entry(""))
            .replace("{{testing}}", &self.entry(", features = [\"interpret\"]"))
    }

    /// Returns the entry for a manifest. Its strings are written as JSON strings, which are also valid in TOML.
    fn entry(&self, more: &str) -> String {
        let (key, value) = match self {
            Self::Registry => ("version", env!("CARGO_PKG_VERSION")),
            Self::Folder(path) => ("path", path.as_str()),
        };
        match (self, more) {
            (Self::Registry, "") => Json::from(value).to_string(),
            _ => format!("{{ {key} = {}{more} }}", Json::from(value)),
        }
    }
}

/// Returns the crate in a folder, if it is `plan-machine`.
fn named(folder: &Path) -> Result<Source, Failure> {
    let shown = folder.display();
    let wanted = "expected the folder of the `plan-machine` crate: `plan-machine/` in a clone of the repository";
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else {
        return Err(Failure::usage(format!("there is no crate in `{shown}`")).help(wanted));
    };
    if !clone::is_package(&manifest, "plan-machine") {
        let message = format!("`{shown}` is not the `plan-machine` crate");
        return Err(Failure::usage(message).help(wanted));
    }
    let whole = fs::canonicalize(folder);
    let whole = whole.map_err(|cause| Failure::usage(format!("`{shown}`: {cause}")))?;
    match whole.to_str() {
        Some(path) => Ok(Source::Folder(path.to_owned())),
        None => Err(Failure::usage(format!(
            "`{shown}` cannot be written into a manifest: its path is not UTF-8"
        ))),
    }
}

/// Prints what was created, and the next steps.
fn tell(
    args: &Args,
    source: &Source,
    folder: &Path,
    workspace: Option<&Path>,
) -> Result<Exit, Failure> {
    let mut out = Out::coloured();
    let shown = folder.display();
    out.line(format_args!(
        "{} {shown}: a crate with a first spec, plan.yaml",
        styled(GOOD, "created")
    ))?;
    out.line(format_args!(
        "
  cd {shown}
  cargo run                       runs a plan, through the typed API and through events
  cargo test                      runs the scenarios and the snapshot tests
  plan-machine check plan.yaml    checks the spec

README.md continues from there."
    ))?;
    match source {
        Source::Registry => out.line(format_args!(
            "\n{}: `plan-machine` is not on crates.io yet; use `--dependency` with the `plan-machine/` folder of a clone of the repository",
            styled(ASIDE, "note"),
        ))?,
        Source::Folder(path) if args.dependency.is_none() => out.line(format_args!(
            "\n{}: the crate uses `plan-machine` from {path}, where this command was built",
            styled(ASIDE, "note"),
        ))?,
        Source::Folder(_) => {}
    }
    if let Some(workspace) = workspace {
        out.line(format_args!(
            "\n{}: the crate is its own workspace. To make it a member of the workspace in {}, add {shown} to the `members` of that workspace and remove `[workspace]` from the manifest of the crate",
            styled(ASIDE, "note"),
            workspace.display(),
        ))?;
    }
    Ok(Exit::Fine)
}

/// Returns the manifest of the workspace, if any, that Cargo would expect to list the new crate as a member.
fn workspace_around(folder: &Path) -> Option<PathBuf> {
    let folder = fs::canonicalize(folder).ok()?;
    let manifests = folder.ancestors().skip(1).map(|at| at.join("Cargo.toml"));
    let is_workspace = |manifest: &PathBuf| {
        let text = fs::read_to_string(manifest).unwrap_or_default();
        text.lines().any(|line| line.trim() == "[workspace]")
    };
    manifests.into_iter().find(is_workspace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_to_fill_in() {
        for (file, template) in FILES {
            let text = Source::Registry.fill(template, "my-plans");
            assert!(!text.contains("{{"), "{file}");
        }
    }

    #[test]
    fn code_names_the_crate_as_rust_does() {
        let library = Source::Registry.fill(include_str!("src/lib.rs"), "my-plans");
        assert!(library.contains("use my_plans::plan::"), "{library}");
    }

    #[test]
    fn the_dependency_is_this_version_or_a_folder() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(Source::Registry.entry(""), format!("\"{version}\""));
        assert_eq!(
            Source::Registry.entry(", features = [\"interpret\"]"),
            format!("{{ version = \"{version}\", features = [\"interpret\"] }}")
        );
        let folder = Source::Folder("C:\\a \"b\"".to_owned());
        assert_eq!(folder.entry(""), r#"{ path = "C:\\a \"b\"" }"#);
    }
}
