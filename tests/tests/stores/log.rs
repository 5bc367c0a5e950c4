//! The write-ahead log of an `SQLite` file that a killed process leaves behind: each session gives the same answers as
//! before, or the store is refused and not changed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use plan_machine_sessions::store::{Sqlite, Store, StoreError, StoreErrorKind};
use tempfile::TempDir;

use crate::world::{command, draft, identity, is_locked, ready, sessions};

/// The size of a header and of a frame.
const HEADER: usize = 32;
const FRAME: usize = 24 + 2048;

/// The files that a killed process leaves behind: the database and its log.
struct Left {
    file: Vec<u8>,
    log: Vec<u8>,
}

impl Left {
    fn by(path: &Path) -> Self {
        let [file, log] =
            [path.to_owned(), log_of(path)].map(|path| fs::read(path).expect("a file"));
        Self { file, log }
    }

    /// Writes the files, with a changed log.
    fn at(&self, path: &Path, log: &[u8]) {
        fs::write(path, &self.file).expect("written");
        fs::write(log_of(path), log).expect("written");
    }

    /// Returns the numbers of the frames that end a transaction of this log, from 0.
    fn ends(&self) -> Vec<usize> {
        let frames = self.log[HEADER..].chunks_exact(FRAME).enumerate();
        let ends =
            frames.filter(|(_, frame)| frame[4..8] != [0; 4] && frame[8..16] == self.log[16..24]);
        ends.map(|(number, _)| number).collect()
    }
}

fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

fn index_of(path: &Path) -> PathBuf {
    path.with_extension("db-shm")
}

/// Returns the files of a process that is killed after it has stored a few entries.
async fn killed(folder: &TempDir) -> Left {
    let path = folder.path().join("killed.db");
    let session =
        sessions(Sqlite::open(&path).expect("a store")).session(&identity("killed-writer"));
    ready(&session).await;
    draft(&session, "# acknowledged").await.expect("drafted");
    Left::by(&path)
}

/// Opens the files with a changed log. Returns the number of the last entry, or `None` if the store is refused.
async fn opened(left: &Left, path: &Path, log: &[u8]) -> Option<u64> {
    for end in ["-shm", "-left"] {
        let _ = fs::remove_file(format!("{}{end}", path.display()));
    }
    left.at(path, log);
    match Sqlite::open(path) {
        Ok(store) => Some(
            store
                .head(&identity("killed-writer"))
                .await
                .expect("a head")
                .seq,
        ),
        Err(error) => {
            assert_eq!(error.kind, StoreErrorKind::Damaged, "{error}");
            let told = error.to_string();
            assert!(told.contains("killed-again.db-wal` is damaged"), "{told}");
            assert!(told.contains("PRAGMA wal_checkpoint(TRUNCATE)"), "{told}");
            assert_eq!(fs::read(path).expect("the file"), left.file);
            assert_eq!(fs::read(log_of(path)).expect("the log"), log, "overwritten");
            None
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_of_a_log_loses_no_acknowledged_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = killed(&folder).await;
    let path = folder.path().join("killed-again.db");
    assert_eq!(opened(&left, &path, &left.log).await, Some(3));
    let last = *left.ends().last().expect("a transaction");
    let after = HEADER + (last + 1) * FRAME;
    assert_eq!(after, left.log.len(), "the log ends with a transaction");
    // Every bit of the header and of the headers of the last frames, and some bits of the rest.
    let heads = [last - 1, last].map(|frame| HEADER + frame * FRAME);
    let heads = heads.into_iter().flat_map(|at| at..at + 24);
    let every = (0..HEADER)
        .chain(heads)
        .flat_map(|byte| (0..8).map(move |bit| (byte, bit)));
    let some = (HEADER..after).step_by(397).map(|byte| (byte, byte % 8));
    for (byte, bit) in every.chain(some) {
        let mut log = left.log.clone();
        log[byte] ^= 1 << bit;
        assert_eq!(
            opened(&left, &path, &log).await,
            None,
            "bit {bit} of byte {byte}"
        );
    }
}

#[tokio::test]
async fn an_interrupted_transaction_is_not_taken_for_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = killed(&folder).await;
    let path = folder.path().join("killed-again.db");
    let ends = left.ends();
    let [.., before, _] = ends[..] else {
        panic!("several transactions: {ends:?}");
    };
    let whole = HEADER + (before + 1) * FRAME;
    // The last transaction is cut at any place before its end.
    let mut cut = [1, 24, 25, FRAME, FRAME + 24]
        .map(|more| whole + more)
        .to_vec();
    cut.extend([0, 8, HEADER]);
    for length in cut {
        let seq = opened(&left, &path, &left.log[..length]).await;
        assert!(seq.is_some(), "cut to {length} bytes");
        // The process that continues is killed as well, and leaves frames of both.
        let session =
            sessions(Sqlite::open(&path).expect("a store")).session(&identity("killed-writer"));
        let done = if seq == Some(0) {
            "/plan on"
        } else {
            "/plan done"
        };
        command(&session, done).await.expect("continued");
        let again = Left::by(&path);
        drop(session);
        let next = opened(&again, &path, &again.log).await;
        assert_eq!(next, seq.map(|seq| seq + 1), "cut to {length} bytes");
    }
}

#[tokio::test]
async fn a_log_that_is_written_again_from_its_start_is_not_taken_for_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let session =
        sessions(Sqlite::open(&path).expect("a store")).session(&identity("killed-writer"));
    ready(&session).await;
    draft(&session, "# a longer log").await.expect("drafted");
    let earlier = fs::read(log_of(&path)).expect("the log");
    let other = rusqlite::Connection::open(&path).expect("a connection");
    let copied = other.query_row("PRAGMA wal_checkpoint(RESTART)", [], |row| row.get(0));
    assert_eq!(copied, Ok(0));
    command(&session, "/plan done").await.expect("done");
    let left = Left::by(&path);
    assert_eq!(
        left.log.len(),
        earlier.len(),
        "frames of the earlier log follow"
    );
    let ends = left.ends();
    let copy = folder.path().join("killed-again.db");
    assert_eq!(opened(&left, &copy, &left.log).await, Some(4));
    let mut log = left.log.clone();
    log[HEADER + ends[0] * FRAME + 30] ^= 1;
    assert_eq!(opened(&left, &copy, &log).await, None);
    // A process that is killed between the two parts of its last frame leaves the page of the earlier log.
    let page = HEADER + ends[0] * FRAME + 24..HEADER + (ends[0] + 1) * FRAME;
    let mut log = left.log.clone();
    assert_ne!(log[page.clone()], earlier[page.clone()]);
    log[page.clone()].copy_from_slice(&earlier[page]);
    assert_eq!(opened(&left, &copy, &log).await, Some(3));
}

/// Returns a copy of the files of a store that is in use, as a killed process would leave them.
fn copied(path: &Path, name: &str) -> PathBuf {
    let copy = path.with_file_name(name);
    for end in ["", "-wal", "-shm"] {
        let [from, to] = [path, &copy].map(|path| format!("{}{end}", path.display()));
        fs::copy(from, to).expect("copied");
    }
    copy
}

/// Changes the plan in a copy of a store. Returns the log and the index as they are after that.
async fn drafted(path: &Path, texts: &[&str]) -> [Vec<u8>; 2] {
    static COPIES: AtomicUsize = AtomicUsize::new(0);
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let copy = copied(path, &format!("drafted-{number}.db"));
    let session =
        sessions(Sqlite::open(&copy).expect("a store")).session(&identity("killed-writer"));
    for text in texts {
        draft(&session, text).await.expect("drafted");
    }
    [log_of(&copy), index_of(&copy)].map(|file| fs::read(file).expect("a file"))
}

/// Opens a copy of a store with another log and index, and returns the number of the last entry.
async fn head(path: &Path, log: &[u8], index: &[u8]) -> Result<u64, StoreError> {
    let copy = copied(path, "with-another-log.db");
    fs::write(log_of(&copy), log).expect("written");
    fs::write(index_of(&copy), index).expect("written");
    let opened = Sqlite::open(&copy)?;
    Ok(opened.head(&identity("killed-writer")).await?.seq)
}

#[tokio::test]
async fn frames_that_a_killed_process_did_not_add_to_the_index_are_not_taken_for_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let running = sessions(Sqlite::open(&path).expect("a store"));
    ready(&running.session(&identity("killed-writer"))).await;
    let [before, index_before] = drafted(&path, &[]).await;

    let big = "a line of a long plan\n".repeat(2000);
    let killed: [&[&str]; 3] = [&[&big], &["# short", &big], &["# short", "# other", &big]];
    let overwriting: [&[&str]; 2] = [&["# acknowledged"], &["# first", "# acknowledged"]];
    for texts in killed {
        let [longer, _] = drafted(&path, texts).await;
        for texts in overwriting {
            // A process that continues overwrites only the first of the frames that the killed process has left.
            let [mut log, index] = drafted(&path, texts).await;
            assert_eq!(longer[..before.len()], before, "both continue this log");
            assert_eq!(log[..before.len()], before, "both continue this log");
            let end = log.len();
            log.extend_from_slice(&longer[end..]);
            let last = head(&path, &log, &index).await;
            assert_eq!(last, Ok(2 + texts.len() as u64));
            // Damage to any of the acknowledged frames is an error.
            log[end - FRAME / 2..end].fill(0);
            let error = head(&path, &log, &index).await.expect_err("damaged");
            assert_eq!(error.kind, StoreErrorKind::Damaged, "{error}");
        }
    }
    // After a process has opened the file, the next change restarts the log from its beginning.
    let [longer, _] = drafted(&path, &[&big]).await;
    let [mut log, index] = drafted(&path, &["# acknowledged"]).await;
    log.extend_from_slice(&longer[log.len()..]);
    let copy = copied(&path, "left.db");
    fs::write(log_of(&copy), &log).expect("written");
    fs::write(index_of(&copy), &index).expect("written");
    let [log, _] = drafted(&copy, &["# next"]).await;
    assert_ne!(log[..HEADER], before[..HEADER], "not started over");

    // After a power failure, the index may be older than the log. Even then, a flipped bit is found.
    let [mut log, _] = drafted(&path, &["# acknowledged"]).await;
    assert_eq!(head(&path, &log, &index_before).await, Ok(3));
    let last = log.len() - 1;
    log[last] ^= 1;
    let error = head(&path, &log, &index_before).await;
    assert_eq!(error.expect_err("damaged").kind, StoreErrorKind::Damaged);
}

/// Cuts a log.
type Cut = fn(&Path);

#[tokio::test]
async fn a_log_that_has_less_than_its_index_says_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let running = sessions(Sqlite::open(&path).expect("a store"));
    let session = running.session(&identity("killed-writer"));
    ready(&session).await;
    let whole = copied(&path, "whole.db");
    let seq = draft(&session, "# acknowledged").await.expect("drafted");

    let opened = Sqlite::open(&whole).expect("an earlier moment");
    let found = opened.head(&identity("killed-writer")).await;
    assert_eq!(found.expect("a head").seq, seq - 1);
    let cuts: [(&str, Cut); 4] = [
        ("removed.db", |log| fs::remove_file(log).expect("removed")),
        ("emptied.db", |log| fs::write(log, []).expect("emptied")),
        ("zeroed.db", |log| {
            let size = fs::read(log).expect("the log").len();
            fs::write(log, vec![0; size]).expect("zeroed");
        }),
        ("cut.db", |log| {
            let bytes = fs::read(log).expect("the log");
            fs::write(log, &bytes[..bytes.len() - 2048 - 24]).expect("cut");
        }),
    ];
    for (name, cut) in cuts {
        let copy = copied(&path, name);
        cut(&log_of(&copy));
        let error = Sqlite::open(&copy).expect_err(name);
        assert_eq!(error.kind, StoreErrorKind::Damaged, "{name}: {error}");
        let told = error.to_string();
        assert!(told.contains("wal_checkpoint"), "{name}: {told}");
        // A person who gives up the lost data can use the file again.
        let file = rusqlite::Connection::open(&copy).expect("the file");
        let emptied = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        emptied.expect("emptied");
        drop(file);
        assert!(Sqlite::open(&copy).is_ok(), "{name}");
    }
}

#[tokio::test]
async fn a_log_whose_content_is_in_the_file_can_be_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let running = sessions(Sqlite::open(&path).expect("a store"));
    ready(&running.session(&identity("killed-writer"))).await;
    let file = rusqlite::Connection::open(&path).expect("the file");
    let copied_in = file.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    copied_in.expect("copied");
    let copy = copied(&path, "copy.db");
    fs::remove_file(log_of(&copy)).expect("removed");
    let opened = Sqlite::open(&copy).expect("nothing is lost");
    let found = opened.head(&identity("killed-writer")).await;
    assert_eq!(found.expect("a head").seq, 2);
}

#[tokio::test]
async fn a_log_whose_content_is_in_the_file_cannot_be_cut() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let running = sessions(Sqlite::open(&path).expect("a store"));
    ready(&running.session(&identity("killed-writer"))).await;
    let file = rusqlite::Connection::open(&path).expect("the file");
    let copied_in = file.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    copied_in.expect("copied");
    let copy = copied(&path, "copy.db");
    let left = Left::by(&copy);
    let first = left.ends()[0];
    // The pages in the rest of the log would hide newer ones in the file.
    fs::write(log_of(&copy), &left.log[..HEADER + (first + 1) * FRAME]).expect("cut");
    let error = Sqlite::open(&copy).expect_err("cut");
    assert_eq!(error.kind, StoreErrorKind::Damaged, "{error}");

    // After a power failure, the index may belong to an earlier log, before the log was restarted from its beginning.
    ready(&running.session(&identity("second-writer"))).await;
    let (log, later) = (fs::read(log_of(&path)), fs::read(index_of(&path)));
    let [log, later] = [log, later].map(|file| file.expect("a file"));
    assert_ne!(log[16..24], left.log[16..24], "started over");
    for index in [later, fs::read(index_of(&copy)).expect("the index")] {
        assert_eq!(head(&path, &log, &index).await, Ok(2));
    }
}

#[tokio::test]
async fn a_kill_in_the_first_transaction_of_a_log_over_older_frames_is_not_taken_for_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let running = sessions(Sqlite::open(&path).expect("a store"));
    ready(&running.session(&identity("killed-writer"))).await;
    let file = rusqlite::Connection::open(&path).expect("the file");
    let emptied = file.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    emptied.expect("emptied");
    let [empty, index] = drafted(&path, &[]).await;
    assert_eq!(empty, Vec::<u8>::new());
    let [whole, _] = drafted(&path, &["# never acknowledged"]).await;
    // The last frame still contains a page that another killed process has written.
    let mut log = whole.clone();
    let page = log.len() - FRAME + 24;
    log[page..].fill(7);
    assert_eq!(head(&path, &log, &index).await, Ok(2));
    let mut log = whole;
    log[page] ^= 1;
    let error = head(&path, &log, &index).await;
    assert_eq!(error.expect_err("damaged").kind, StoreErrorKind::Damaged);
}

#[tokio::test]
async fn a_process_that_opens_a_file_twice_keeps_its_locks() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plans.db");
    let first = sessions(Sqlite::open(&path).expect("a store"));
    ready(&first.session(&identity("first-writer"))).await;
    assert!(is_locked(&index_of(&path)), "no lock is listed");
    let second = sessions(Sqlite::open(&path).expect("the same store"));
    assert!(is_locked(&index_of(&path)), "the lock was lost");
    ready(&second.session(&identity("second-writer"))).await;
    drop(second);
    assert!(is_locked(&index_of(&path)), "the lock was lost");
}
