//! A Cargo project with a model of stateright. Its dependencies are built once; each model is then built and run.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use crate::description::Verdict;
use crate::folder::Folder;
use crate::process::{Checked, run};

const MANIFEST: &str = "\
[package]
name = \"ring\"
version = \"0.0.0\"
edition = \"2024\"

[dependencies]
stateright = \"0.31\"

[workspace]
";

pub struct Project {
    folder: Folder,
}

impl Project {
    /// Creates the project and builds its dependencies, which were downloaded when this program was built.
    ///
    /// # Errors
    /// If a file cannot be written, or the build fails.
    pub fn new() -> Result<Self, String> {
        let folder = Folder::new().map_err(|error| format!("cannot create a folder: {error}"))?;
        let project = Self { folder };
        project.write("Cargo.toml", MANIFEST)?;
        // The same versions as in this program.
        project.write("Cargo.lock", include_str!("../../../Cargo.lock"))?;
        project.write("src/main.rs", "use stateright as _;\n\nfn main() {}\n")?;
        project.build()?;
        Ok(project)
    }

    /// Builds and runs a program.
    ///
    /// # Errors
    /// If the program cannot be written, built or run, or its output cannot be read.
    pub fn check(&self, program: &str) -> Result<Checked, String> {
        self.write("src/main.rs", program)?;
        let start = Instant::now();
        self.build()?;
        let built = Instant::now();
        let output = run(self.folder.path(), "./target/release/ring", &[])?;
        let (search, time) = (built.elapsed(), start.elapsed());
        let text = String::from_utf8_lossy(&output.stdout);
        let (verdict, states) = read(&text).ok_or_else(|| text.to_string())?;
        Ok(Checked {
            verdict,
            states,
            time,
            search,
        })
    }

    fn build(&self) -> Result<(), String> {
        let folder = self.folder.path();
        let target = folder.join("target");
        let target = target.to_string_lossy();
        let arguments = [
            "build",
            "--release",
            "--quiet",
            "--offline",
            "--target-dir",
            &target,
        ];
        run(folder, "cargo", &arguments).map(drop)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), String> {
        let path: PathBuf = self.folder.path().join(name);
        let written = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = written.and_then(|()| fs::write(&path, text));
        written.map_err(|error| format!("cannot write `{}`: {error}", path.display()))
    }
}

fn read(text: &str) -> Option<(Verdict, usize)> {
    let (word, states) = text.trim().split_once(' ')?;
    let all = [Verdict::Holds, Verdict::Broken, Verdict::Unknown];
    let verdict = all.into_iter().find(|verdict| verdict.word() == word)?;
    Some((verdict, states.parse().ok()?))
}
