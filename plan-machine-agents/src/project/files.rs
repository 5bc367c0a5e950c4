//! Private files, which only their owner can access. A file is replaced completely or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::error::ProjectError;

/// The maximum size of a file that is read, in bytes.
const MAX_BYTES: u64 = 32 << 20;

/// Whether a written file must survive a power failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durability {
    /// The file is on disk before the function returns.
    Durable,
    /// The file may be lost in a power failure.
    Fleeting,
}

/// Opens a file for reading; `None` if it does not exist.
pub(crate) fn open(path: &Path) -> Result<Option<File>, ProjectError> {
    refuse_pipe(path)?;
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ProjectError::file(path, error)),
    }
}

/// Refuses a pipe or a device. Opening a pipe waits for the process at its other end, possibly forever.
pub(crate) fn refuse_pipe(path: &Path) -> Result<(), ProjectError> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(ProjectError::file(path, "it is not a regular file"));
    }
    Ok(())
}

/// Returns the content of a file; `None` if it does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<Vec<u8>>, ProjectError> {
    let Some(file) = open(path)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| ProjectError::file(path, error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(ProjectError::file(path, "it is too large"));
    }
    Ok(Some(bytes))
}

/// Returns the text of a file; `None` if it does not exist.
pub(crate) fn read_text(path: &Path) -> Result<Option<String>, ProjectError> {
    let Some(bytes) = read(path)? else {
        return Ok(None);
    };
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| ProjectError::file(path, "it is not valid UTF-8"))?;
    Ok(Some(text))
}

/// Replaces a file. Its folder is created if necessary.
pub(crate) fn write(path: &Path, text: &str, durability: Durability) -> Result<(), ProjectError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let draft = draft_of(path);
    let written = write_draft(&draft, text, durability).and_then(|()| fs::rename(&draft, path));
    if let Err(error) = written {
        // A draft that cannot be removed is harmless.
        let _ = fs::remove_file(&draft);
        return Err(ProjectError::file(path, error));
    }
    if durability == Durability::Durable {
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| ProjectError::file(folder, error))?;
    }
    Ok(())
}

/// Returns the path of a new draft of a file. Processes, and threads of one process, may write the same file at the same
/// time.
fn draft_of(path: &Path) -> PathBuf {
    static DRAFTS: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (process, number) = (std::process::id(), DRAFTS.fetch_add(1, Ordering::Relaxed));
    path.with_file_name(format!(".{name}.{process}.{number}"))
}

fn write_draft(draft: &Path, text: &str, durability: Durability) -> std::io::Result<()> {
    let mut file = private().create(true).truncate(true).open(draft)?;
    file.write_all(text.as_bytes())?;
    match durability {
        Durability::Durable => file.sync_all(),
        Durability::Fleeting => Ok(()),
    }
}

/// Removes a file, if it exists.
pub(crate) fn remove(path: &Path) -> Result<(), ProjectError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(ProjectError::file(path, error)),
        _ => Ok(()),
    }
}

/// Creates a file; returns `false` if the file already exists. If the file system has hard links, the file gets its
/// complete content or is not created.
pub(crate) fn create(path: &Path, text: &str) -> Result<bool, ProjectError> {
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    if path.exists() {
        return Ok(false);
    }
    let draft = draft_of(path);
    let written = write_draft(&draft, text, Durability::Durable);
    let created = written.and_then(|()| match fs::hard_link(&draft, path) {
        // Some file systems have no hard links.
        Err(error) if error.kind() != ErrorKind::AlreadyExists => create_here(path, text),
        linked => linked,
    });
    // A draft that cannot be removed is harmless.
    let _ = fs::remove_file(&draft);
    match created {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(ProjectError::file(path, error)),
    }
}

/// Creates a file without a draft. If the process is killed meanwhile, the file may be incomplete.
fn create_here(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = private().create_new(true).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Appends a line to a file.
pub(crate) fn append(path: &Path, line: &str) -> Result<(), ProjectError> {
    make_folder(path.parent().unwrap_or(Path::new(".")))?;
    refuse_pipe(path)?;
    let mut options = private();
    let file = options.create(true).append(true).open(path);
    let written = file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes()));
    written.map_err(|error| ProjectError::file(path, error))
}

/// Returns options for files that only their owner can access.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}

/// Creates a folder that only its owner can access, if there is no folder yet.
pub(crate) fn make_folder(path: &Path) -> Result<(), ProjectError> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    let made = builder.create(path);
    made.map_err(|error| ProjectError::file(path, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_larger_than_the_limit_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("trust.json");
        let file = File::create(&path).expect("a file");
        file.set_len(MAX_BYTES).expect("a large file");
        let bytes = read(&path).expect("its content").expect("a file");
        assert_eq!(bytes.len() as u64, MAX_BYTES);
        file.set_len(MAX_BYTES + 1).expect("a larger file");
        let error = read(&path).expect_err("more than the limit").to_string();
        assert!(error.ends_with("it is too large"), "{error}");
    }

    #[test]
    fn threads_that_write_one_file_do_not_disturb_each_other() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("card.json");
        let texts = ["short".to_owned(), "long".repeat(10_000)];
        std::thread::scope(|scope| {
            for text in &texts {
                let write = || {
                    for _ in 0..100 {
                        write(&path, text, Durability::Fleeting).expect("written");
                        let found = read_text(&path).expect("its content").expect("a file");
                        assert!(texts.contains(&found), "{} bytes", found.len());
                    }
                };
                scope.spawn(write);
            }
        });
        let files = fs::read_dir(folder.path()).expect("the folder");
        assert_eq!(files.count(), 1, "drafts are left");
    }

    #[test]
    fn a_file_is_created_once_and_completely() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        let create = || {
            let created = create(&path, "a key").expect("created or not");
            let found = read_text(&path).expect("its content");
            assert_eq!(found.as_deref(), Some("a key"));
            usize::from(created)
        };
        let created: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            threads
                .into_iter()
                .map(|one| one.join().expect("a thread"))
                .sum()
        });
        assert_eq!(created, 1);
        let files = fs::read_dir(folder.path()).expect("the folder");
        assert_eq!(files.count(), 1, "drafts are left");
    }
}
