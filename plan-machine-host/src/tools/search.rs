//! The tool that searches files.

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::ToolError;
use super::folder::{Folder, read_text};

/// The maximum number of found lines in an answer.
const LINES: usize = 100;

/// The maximum number of characters that are shown of a found line.
const WIDTH: usize = 300;

/// The maximum number of files that are searched.
const FILES: usize = 10_000;

/// The maximum depth of the folders that are searched.
const DEPTH: usize = 32;

/// Returns the lines that contain the text, each with its file and line number.
pub(super) fn search(folder: &Folder, text: &str, path: &str) -> Result<String, ToolError> {
    if text.is_empty() || text.contains('\n') {
        let told =
            "`text` is empty or contains a line break, expected a part of one line".to_owned();
        return Err(ToolError::Refused(told));
    }
    let mut search = Search {
        text,
        files: 0,
        found: Vec::new(),
        cut: false,
    };
    let path = path.trim_start_matches("./");
    match folder.dir(path) {
        Ok(dir) if matches!(path, "" | ".") => search.folder(&dir, "", 0),
        Ok(dir) => search.folder(&dir, &format!("{path}/"), 0),
        Err(_) => search.lines(path, &folder.read(path)?),
    }
    Ok(search.answer())
}

struct Search<'a> {
    text: &'a str,
    files: usize,
    found: Vec<String>,
    /// Whether some files or folders were not searched.
    cut: bool,
}

impl Search<'_> {
    /// Searches a folder. Files that cannot be read are skipped.
    fn folder(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let entries = dir.entries().into_iter().flatten().flatten();
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, entry.file_type().ok()?))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in named {
            let path = format!("{prefix}{name}");
            if self.files >= FILES || self.found.len() > LINES || depth > DEPTH {
                self.cut = true;
                return;
            } else if kind.is_dir() {
                if let Ok(below) = dir.open_dir_nofollow(&name) {
                    self.folder(&below, &format!("{path}/"), depth + 1);
                }
            } else if kind.is_file() {
                self.files += 1;
                if let Ok(content) = read_text(dir, &name) {
                    self.lines(&path, &content);
                }
            }
        }
    }

    fn lines(&mut self, path: &str, content: &str) {
        let lines = content.lines().zip(1..);
        let found = lines.filter(|(line, _)| line.contains(self.text));
        let found = found.map(|(line, number)| {
            let shown: String = line.trim().chars().take(WIDTH).collect();
            format!("{path}:{number}: {shown}")
        });
        // One more line than is shown is collected, to find out whether there are more lines.
        self.found.extend(found.take(LINES + 1));
    }

    fn answer(mut self) -> String {
        let more = self.found.len() > LINES || self.cut;
        self.found.truncate(LINES);
        if self.found.is_empty() {
            self.found.push("Nothing was found.".to_owned());
        }
        if more {
            self.found.push("… not everything was searched".to_owned());
        }
        self.found.join("\n")
    }
}
