//! Where a generated file goes, and how it refers to its spec.

use std::fs;
use std::path::{Component, Path, PathBuf};

use plan_machine_kernel::visible::is_unseen;

use crate::output::Failure;

/// The place of a generated file. Everything but `output` is the same from whichever folder the command is started.
pub(super) struct Place {
    /// The file, as the user named it.
    pub(super) output: PathBuf,
    /// The spec, relative to the folder of the file, with `/` between its parts.
    pub(super) spec: String,
    /// The command that writes the file, started in the folder of its package.
    pub(super) command: String,
    /// The name of the module that the file is.
    pub(super) module: String,
}

impl Place {
    /// Finds the place of a generated module.
    pub(super) fn find(spec: &Path, output: Option<&Path>, module: &str) -> Result<Self, Failure> {
        let whole_spec = place_of(spec)?;
        let output = match output {
            Some(output) => output.to_owned(),
            None => default_output(spec, module)?,
        };
        let whole_output = place_of(&output)?;
        let folder = whole_output.parent().unwrap_or(&whole_output);
        let package = package(folder).unwrap_or(folder);
        let command = format!(
            "plan-machine generate {} -o {}",
            relative(package, &whole_spec)?,
            relative(package, &whole_output)?
        );
        Ok(Self {
            spec: relative(folder, &whole_spec)?,
            command,
            module: output.file_stem().map_or_else(
                || module.to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            ),
            output,
        })
    }
}

/// Returns `src/MODULE.rs` in the package of a spec, by the shortest name from here.
fn default_output(spec: &Path, module: &str) -> Result<PathBuf, Failure> {
    let whole_spec = place_of(spec)?;
    let folder = package(&whole_spec).ok_or_else(|| {
        let spec = spec.display();
        Failure::usage(format!("`{spec}` is not in a Cargo package"))
            .help("name the file to write with `--output FILE`")
    })?;
    let output = folder.join("src").join(format!("{module}.rs"));
    let here = whole(Path::new("."))?;
    Ok(output.strip_prefix(&here).unwrap_or(&output).to_owned())
}

/// Returns the nearest folder above a path with a `Cargo.toml`.
fn package(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file())
}

/// Returns the absolute path of a file. Links among its folders are followed, but not the file itself: the generated
/// file must refer to the link, which may lead elsewhere tomorrow.
fn place_of(file: &Path) -> Result<PathBuf, Failure> {
    let name = file
        .file_name()
        .ok_or_else(|| Failure::usage(format!("`{}` is not a valid file name", file.display())))?;
    match file.parent() {
        Some(parent) if parent != Path::new("") => Ok(whole(parent)?.join(name)),
        _ => Ok(whole(Path::new("."))?.join(name)),
    }
}

fn whole(path: &Path) -> Result<PathBuf, Failure> {
    fs::canonicalize(path)
        .map_err(|error| Failure::usage(format!("cannot find `{}`: {error}", path.display())))
}

/// Returns a path relative to a folder, with `/` between its parts. Both are absolute.
fn relative(folder: &Path, path: &Path) -> Result<String, Failure> {
    let shared = folder
        .components()
        .zip(path.components())
        .take_while(|(left, right)| left == right)
        .count();
    let up = folder.components().skip(shared).map(|_| Some(".."));
    let down = path.components().skip(shared).map(|part| match part {
        Component::Normal(name) => name.to_str(),
        _ => None,
    });
    let parts: Option<Vec<&str>> = up.chain(down).collect();
    let path_in_file = parts.map(|parts| parts.join("/"));
    // The path is written in a comment, a literal and a command.
    let is_plain =
        |path: &String| !path.contains(['{', '}', '"', '`', ' ']) && !path.contains(is_unseen);
    path_in_file.filter(is_plain).ok_or_else(|| {
        Failure::usage(format!(
            "`{}` has no relative path that can be written in the generated file",
            path.display()
        ))
        .help("keep the spec and the generated file in one package")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_up_to_the_shared_folder_and_down_again() {
        let cases = [
            ("/a/src", "/a/plan.yaml", "../plan.yaml"),
            (
                "/a/src/plans",
                "/a/specs/plan.yaml",
                "../../specs/plan.yaml",
            ),
            ("/a", "/a/plan.yaml", "plan.yaml"),
        ];
        for (folder, path, expected) in cases {
            let found = relative(Path::new(folder), Path::new(path));
            assert_eq!(found.as_deref(), Ok(expected));
        }
    }
}
