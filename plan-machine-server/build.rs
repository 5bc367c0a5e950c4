//! Lists the files of the page, so that they become part of the program.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=assets");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut files = Vec::new();
    // Without the folder, the program has no page, but the interface for programs still works.
    let found = fs::read_dir(folder.join("assets")).into_iter().flatten();
    for file in found {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        // Editors leave hidden files behind, and the page has no folders.
        if file.file_type()?.is_file() && !name.starts_with('.') {
            files.push((name, file.path()));
        }
    }
    files.sort();
    let mut table = String::from("[\n");
    for (name, path) in &files {
        let path = path.display().to_string();
        let _ = writeln!(
            table,
            "    ({name:?}, include_bytes!({path:?}).as_slice()),"
        );
    }
    table.push_str("]\n");
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("assets.rs"), table)
}
