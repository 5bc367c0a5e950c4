//! The location of a generated file, and the paths and names that the file contains.

use std::fs;
use std::path::{Component, Path, PathBuf};

use plan_machine_kernel::visible::is_unseen;

use super::document::ReadFile;
use crate::output::Failure;

/// The location of a generated file. Every field except `output` is the same no matter in which folder the command is
/// started.
pub(super) struct Place {
    /// The path of the generated file as it is shown: as the user typed it, or the default path.
    pub(super) output: PathBuf,
    /// The path of the generated file as it is read and written. The links to its folder are followed once, so that a
    /// link that changes later does not lead to another folder.
    pub(super) file: PathBuf,
    /// The files that the code is generated from, the document first: their paths, relative to the folder of the
    /// generated file and with `/` as the separator, and the digests of their contents.
    pub(super) sources: Vec<(String, u128)>,
    /// The command that generates the file, to be run in the folder of the package.
    pub(super) command: String,
    /// The name of the Rust module in the file.
    pub(super) module: String,
}

impl Place {
    /// Finds the location of a module that is generated from a document; `files` are all files that were read for it.
    pub(super) fn find(
        spec: &Path,
        files: &[ReadFile],
        output: Option<&Path>,
        module: &str,
    ) -> Result<Self, Failure> {
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
        let mut sources = Vec::new();
        for file in files {
            let source = (relative(folder, &place_of(&file.path)?)?, file.digest);
            // Several machines of a session can come from one file.
            if !sources.contains(&source) {
                sources.push(source);
            }
        }
        Ok(Self {
            sources,
            command,
            module: output.file_stem().map_or_else(
                || module.to_owned(),
                |stem| stem.to_string_lossy().into_owned(),
            ),
            output,
            file: whole_output,
        })
    }
}

/// Returns the path of `src/MODULE.rs` in the package of a spec, relative to the current folder if the file is below
/// it.
fn default_output(spec: &Path, module: &str) -> Result<PathBuf, Failure> {
    let whole_spec = place_of(spec)?;
    let folder = package(&whole_spec).ok_or_else(|| {
        let spec = spec.display();
        Failure::usage(format!("`{spec}` is not in a Cargo package"))
            .help("choose the file to write with `--output FILE`")
    })?;
    let output = folder.join("src").join(format!("{module}.rs"));
    let here = whole(Path::new("."))?;
    Ok(output.strip_prefix(&here).unwrap_or(&output).to_owned())
}

/// Returns the nearest folder that contains a `Cargo.toml`: the path itself or one of its ancestors.
fn package(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file())
}

/// Returns the absolute path of a file. Symbolic links are resolved in the path of its folder, but the file itself may
/// be a symbolic link: the generated file must refer to the link, whose target may change.
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

/// Returns a path relative to a folder, with `/` as the separator. Both arguments are absolute paths.
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
    // The path is written into a comment, a string literal and a command.
    let is_plain =
        |path: &String| !path.contains(['{', '}', '"', '`', ' ']) && !path.contains(is_unseen);
    path_in_file.filter(is_plain).ok_or_else(|| {
        Failure::usage(format!(
            "the generated file cannot refer to `{}` by a relative path without special characters or spaces",
            path.display()
        ))
        .help("keep the spec and the generated file in one package, and use plain names for files and folders")
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
