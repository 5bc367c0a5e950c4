//! Writes the hostile documents (`hostile write FOLDER BYTES`), or compiles one in the inline form
//! (`hostile inline FILE`). `scripts/hostile` measures a release build with these documents.

use std::env;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use plan_machine_compiler::compile_inline;
use plan_machine_compiler::source::SourceMap;
use plan_machine_tests::hostile::documents;

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["write", folder, bytes] => write(Path::new(folder), bytes),
        ["inline", file] => inline(file),
        _ => Err("usage: hostile write FOLDER BYTES | hostile inline FILE".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path, bytes: &str) -> Result<(), String> {
    let bytes = bytes
        .parse()
        .map_err(|_| format!("`{bytes}` is not a number of bytes"))?;
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for document in documents(bytes) {
        let name = format!("{}.{}", document.name, document.form.ending());
        for (name, text) in document.beside.into_iter().chain([(name, document.text)]) {
            let path = folder.join(name);
            fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
        }
    }
    Ok(())
}

/// Compiles an inline spec in the way the macro does.
fn inline(file: &str) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let mut sources = SourceMap::default();
    let id = sources.add(file, text);
    let compilation = compile_inline(&sources, id);
    println!("{} diagnostics", compilation.diagnostics.len());
    Ok(())
}
