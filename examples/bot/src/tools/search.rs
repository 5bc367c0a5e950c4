//! Searching in files.

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::folder::{Folder, read_text};

/// How many lines an answer shows, and how much of each.
const LINES: usize = 100;
const WIDTH: usize = 300;

/// How many files are looked into, and how deep.
const FILES: usize = 10_000;
const DEPTH: usize = 32;

/// The lines in which a text stands, each with its file and number.
pub(super) fn search(folder: &Folder, text: &str, path: &str) -> Result<String, String> {
    if text.is_empty() || text.contains('\n') {
        return Err("`text` must be a part of one line".to_owned());
    }
    let mut search = Search {
        text,
        max_bytes: folder.max_bytes(),
        files: 0,
        found: Vec::new(),
        cut: false,
    };
    let path = path.trim_start_matches("./");
    if path == "." || folder.is_dir(path) {
        let prefix = if matches!(path, "" | ".") {
            String::new()
        } else {
            format!("{path}/")
        };
        search.folder(&folder.dir(path)?, &prefix, 0);
    } else {
        let content = folder.read(path)?;
        search.lines(path, &content);
    }
    Ok(search.answer())
}

struct Search<'a> {
    text: &'a str,
    max_bytes: usize,
    files: usize,
    found: Vec<String>,
    cut: bool,
}

impl Search<'_> {
    /// Looks into a folder. What cannot be read is no text that could be found, and is passed over.
    fn folder(&mut self, dir: &Dir, prefix: &str, depth: usize) {
        let Ok(entries) = dir.entries() else { return };
        let entries = entries.filter_map(Result::ok);
        let named = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some((name, entry.file_type().ok()?))
        });
        let mut named: Vec<_> = named.collect();
        named.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        for (name, kind) in named {
            if self.files >= FILES || self.found.len() > LINES {
                self.cut = true;
                return;
            }
            let path = format!("{prefix}{name}");
            if kind.is_dir() {
                self.below(dir, &name, &path, depth + 1);
            } else if kind.is_file() {
                self.files += 1;
                if let Ok(content) = read_text(dir, &name, self.max_bytes) {
                    self.lines(&path, &content);
                }
            }
        }
    }

    fn below(&mut self, dir: &Dir, name: &str, path: &str, depth: usize) {
        if depth > DEPTH {
            self.cut = true;
        } else if let Ok(dir) = dir.open_dir_nofollow(name) {
            self.folder(&dir, &format!("{path}/"), depth);
        }
    }

    fn lines(&mut self, path: &str, content: &str) {
        let lines = content.lines().zip(1..);
        for (line, number) in lines.filter(|(line, _)| line.contains(self.text)) {
            let shown: String = line.trim().chars().take(WIDTH).collect();
            self.found.push(format!("{path}:{number}: {shown}"));
            if self.found.len() > LINES {
                return;
            }
        }
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
