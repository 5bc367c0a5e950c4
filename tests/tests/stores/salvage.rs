//! What can be read from a damaged `SQLite` file is copied to a new file, in which every session can be used or restarted.

use std::fs;
use std::path::{Path, PathBuf};

use plan_machine::gate::ToolCall;
use plan_machine_sessions::store::sqlite::SalvageReport;
use plan_machine_sessions::store::{Sqlite, Store, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError, Sessions};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::pages::{SESSIONS, all_asked, pages_of, under_an_id, written};
use crate::world::{by, command, draft, identity, is_locked, ready, sessions};

const PAGE: usize = 2048;

/// The text that replaces the answer to a repeated call whose entry is lost: the call is not made again.
const LOST: &str = "lost";

/// Returns the plans, the effects and a repeated answer of a session.
async fn used(session: &Session) -> Result<Vec<String>, SessionError> {
    let mut said = Vec::new();
    for held in session.plans().await? {
        said.push(format!(
            "{} {} {:?}",
            held.plan.id, held.plan.state, held.plan.data
        ));
    }
    for effect in session.effects().await? {
        said.push(format!("{} {}", effect.id, effect.effect.name));
    }
    said.push(match session.decide(&[under_an_id()], &by("model")).await {
        Ok(done) => format!("{} {:?}", done.repeated, done.answer[0].answer()),
        Err(error) if error.is_damage() => LOST.to_owned(),
        Err(error) => return Err(error),
    });
    Ok(said)
}

async fn all_used(opened: &Sessions) -> Vec<Result<Vec<String>, SessionError>> {
    let mut all = Vec::new();
    for name in SESSIONS {
        all.push(used(&opened.session(&identity(name))).await);
    }
    all
}

/// Returns the answers of the sessions in an intact file.
async fn expected(path: &Path) -> Vec<Result<Vec<String>, SessionError>> {
    let opened = sessions(Sqlite::open_existing(path).expect("a store"));
    let said = all_used(&opened).await;
    assert!(said.iter().all(Result::is_ok), "{said:?}");
    opened.store().close().await.expect("closed");
    said
}

fn salvaged(folder: &TempDir, damaged: &Path) -> (PathBuf, SalvageReport) {
    let new = folder.path().join("new.db");
    for end in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(format!("{}{end}", new.display()));
    }
    let copied = Sqlite::salvage(damaged, &new).expect("copied");
    (new, copied)
}

/// Checks that a session of a copy gives the same answers as before, or is closed until a person restarts it. Returns
/// whether it was closed.
async fn is_closed(
    session: &Session,
    said: &Result<Vec<String>, SessionError>,
    expected: &Result<Vec<String>, SessionError>,
    case: &str,
) -> bool {
    let name = session.identity();
    if let (Ok(said), Ok(expected)) = (said, expected) {
        let is_known = |(said, expected): (&String, &String)| said == expected || said == LOST;
        let are_known = said.len() == expected.len() && said.iter().zip(expected).all(is_known);
        assert!(are_known, "{case}: {name}: {said:?}");
        return false;
    }
    let begun = session.command("/plan on", &by("ann")).await;
    let is_begun = begun.is_ok_and(|done| done.answer[0].outcome.is_accepted());
    assert!(!is_begun, "{case}: {name} started over");
    let restarted = session.restart("pages were lost", &by("ann")).await;
    assert!(restarted.is_ok(), "{case}: {name}: {restarted:?}");
    ready(session).await;
    true
}

/// Checks that each session of a copy gives the same answers as before, or is closed until a person restarts it.
/// Returns the number of closed sessions.
async fn usable(new: &Path, expected: &[Result<Vec<String>, SessionError>], case: &str) -> usize {
    let opened = sessions(Sqlite::open_existing(new).expect("a store"));
    let said = all_used(&opened).await;
    let mut closed = 0;
    for ((said, expected), name) in said.iter().zip(expected).zip(SESSIONS) {
        let session = opened.session(&identity(name));
        closed += usize::from(is_closed(&session, said, expected, case).await);
    }
    for name in SESSIONS {
        let session = opened.session(&identity(name));
        draft(&session, "# goes on").await.expect("drafted");
    }
    opened.store().close().await.expect("closed");
    closed
}

#[tokio::test]
async fn an_intact_file_is_copied_completely() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let bytes = fs::read(&path).expect("the file");
    let (new, copied) = salvaged(&folder, &path);
    assert_eq!(all_asked(&new).await, all_asked(&path).await);
    assert_eq!(fs::read(&path).expect("the file"), bytes, "the old file");
    assert_eq!(copied.problems, [""; 0]);
    let copied = copied.sessions.iter();
    let copied: Vec<_> = copied.map(|one| (one.entries, one.lost)).collect();
    assert_eq!(copied, [(131, 0), (5, 0), (5, 0)]);
    let store = Sqlite::open_existing(&new).expect("a store");
    assert_eq!(store.check().await, Ok(Vec::new()));
}

#[tokio::test]
async fn a_new_file_is_not_overwritten() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let error = Sqlite::salvage(&path, &path).expect_err("it exists");
    assert_eq!(error.kind, StoreErrorKind::Unreachable, "{error}");
}

#[tokio::test]
async fn every_session_of_a_file_with_a_damaged_page_can_be_used_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let expected = expected(&path).await;
    let whole = fs::read(&path).expect("the file");
    let damaged = folder.path().join("damaged.db");
    let (mut closed, mut same) = (0, 0);
    for page in 0..whole.len() / PAGE {
        let start = page * PAGE;
        // In each case, a whole page, a part of its head, or a single byte of the page is damaged.
        for (at, many) in [(0, PAGE), (3, 9), (21, 1), (page * 37 % PAGE, 1)] {
            let mut bytes = whole.clone();
            for byte in &mut bytes[start..][at..(at + many).min(PAGE)] {
                *byte ^= 0x5b;
            }
            fs::write(&damaged, bytes).expect("written");
            let (new, _) = salvaged(&folder, &damaged);
            let case = format!("page {}, byte {at}", page + 1);
            let now = usable(&new, &expected, &case).await;
            closed += now;
            same += SESSIONS.len() - now;
        }
    }
    assert!(
        closed > 20 && same > closed,
        "{closed} closed, {same} as before"
    );
}

#[tokio::test]
async fn a_change_of_a_damaged_file_damages_no_other_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let whole = fs::read(&path).expect("the file");
    let mut refused = 0;
    for table in ["entry", "sqlite_autoindex_entry_1", "effect", "session"] {
        let page = pages_of(&path, table)[0] as usize - 1;
        for at in 0..24 {
            let mut bytes = whole.clone();
            bytes[page * PAGE + at] ^= 0x11;
            let damaged = folder.path().join(format!("{table}-{at}.db"));
            fs::write(&damaged, bytes).expect("written");
            let before =
                all_used(&sessions(Sqlite::open_existing(&damaged).expect("a store"))).await;
            let opened = sessions(Sqlite::open_existing(&damaged).expect("a store"));
            let changed = draft(&opened.session(&identity(SESSIONS[0])), "# more").await;
            refused += usize::from(changed.is_err());
            let after =
                all_used(&sessions(Sqlite::open_existing(&damaged).expect("a store"))).await;
            assert_eq!(after[1..], before[1..], "{table}, byte {at}");
        }
    }
    assert!(refused > 20, "{refused} changes were refused");
}

#[tokio::test]
async fn a_file_with_damaged_pages_is_read_and_not_written_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let root = pages_of(&path, "sqlite_autoindex_entry_1")[0] as usize - 1;
    let mut bytes = fs::read(&path).expect("the file");
    // The start of the content of a page.
    bytes[root * PAGE + 6] ^= 0x01;
    fs::write(&path, &bytes).expect("written");
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let session = opened.session(&identity(SESSIONS[1]));
    assert!(session.plans().await.is_ok());
    let refused = draft(&session, "# more").await.expect_err("damaged");
    let told = refused.to_string();
    assert!(told.contains("Nothing is written to the file"), "{told}");
    assert!(told.contains("salvage NEW"), "{told}");
    let new = command(&opened.session(&identity("a-new-session")), "/plan on").await;
    assert!(new.is_err_and(|error| error.is_damage()));
}

/// Returns the pages with entries, in the order of the entries.
fn pages_with_entries(path: &Path) -> Vec<u32> {
    let file = Connection::open(path).expect("the file");
    let mut select = file
        .prepare(
            "SELECT pageno FROM dbstat WHERE name = 'entry' AND pagetype = 'leaf' ORDER BY path",
        )
        .expect("a statement");
    let pages = select.query_map([], |row| row.get(0)).expect("pages");
    pages.collect::<Result<_, _>>().expect("pages")
}

#[tokio::test]
async fn a_damaged_page_of_old_entries_stops_only_their_sessions() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let whole = fs::read(&path).expect("the file");
    let pages = pages_with_entries(&path);
    let (mut stopped, mut went_on) = (0, 0);
    for page in &pages[..pages.len() - 3] {
        let mut bytes = whole.clone();
        bytes[(*page as usize - 1) * PAGE..][..8].fill(0xee);
        let damaged = folder.path().join(format!("damaged-{page}.db"));
        fs::write(&damaged, bytes).expect("written");
        let opened = sessions(Sqlite::open(&damaged).expect("a store"));
        assert!(is_locked(&damaged), "no lock is listed");
        for name in SESSIONS {
            let session = opened.session(&identity(name));
            if session.plans().await.is_ok() {
                draft(&session, "# goes on").await.expect("drafted");
                went_on += 1;
            } else {
                assert!(draft(&session, "# more").await.is_err());
                stopped += 1;
            }
        }
        let new = opened.session(&identity("a-new-session"));
        command(&new, "/plan on").await.expect("begun");
        assert!(is_locked(&damaged), "the lock was lost");
        // A deletion could reach the damaged page.
        let deleted = opened.store().delete(&identity(SESSIONS[2])).await;
        assert_eq!(
            deleted.map_err(|error| error.kind),
            Err(StoreErrorKind::Damaged)
        );
    }
    assert!(0 < stopped && stopped < went_on, "{stopped} of {went_on}");
}

#[tokio::test]
async fn a_file_with_damaged_definitions_is_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let expected = expected(&path).await;
    let whole = fs::read(&path).expect("the file");
    for text in [
        "CREATE INDEX answer_by_seq",
        "CREATE TABLE entry",
        "CREATE TRIGGER",
    ] {
        let mut bytes = whole.clone();
        // A page may also contain the remains of a definition that was moved.
        let places = (0..whole.len()).filter(|at| whole[*at..].starts_with(text.as_bytes()));
        places.for_each(|at| bytes[at + 8] = b'?');
        fs::write(&path, bytes).expect("written");
        let opened = Sqlite::open(&path).expect_err("damaged definitions");
        assert_eq!(opened.kind, StoreErrorKind::Damaged, "{opened}");
        let (new, _) = salvaged(&folder, &path);
        assert_eq!(usable(&new, &expected, text).await, 0);
    }
}

#[tokio::test]
async fn a_session_whose_row_and_entries_are_lost_does_not_start_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let mut bytes = fs::read(&path).expect("the file");
    for table in ["session", "entry", "snapshot"] {
        for page in pages_of(&path, table) {
            bytes[(page as usize - 1) * PAGE..][..PAGE].fill(0);
        }
    }
    fs::write(&path, &bytes).expect("written");
    let (new, copied) = salvaged(&folder, &path);
    assert_eq!(copied.sessions.len(), 3, "the indexes contain the names");
    let opened = sessions(Sqlite::open_existing(&new).expect("a store"));
    for name in SESSIONS {
        let session = opened.session(&identity(name));
        let call = ToolCall::new("shell", plan_machine::Object::new());
        let decided = session.decide(&[call], &by("model")).await;
        assert!(decided.is_err(), "{name}: {decided:?}");
        session
            .restart("lost", &by("ann"))
            .await
            .expect("restarted");
        ready(&session).await;
    }
}

/// Returns a copy of a file and its log, as a process that is killed would leave them.
fn with_log(folder: &TempDir, path: &Path) -> PathBuf {
    let copy = folder.path().join("killed.db");
    for end in ["", "-wal"] {
        let [from, to] = [path, &copy].map(|path| format!("{}{end}", path.display()));
        fs::copy(from, to).expect("copied");
    }
    copy
}

#[tokio::test]
async fn what_is_only_in_the_log_is_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let session = opened.session(&identity(SESSIONS[1]));
    draft(&session, "# in the log").await.expect("drafted");
    let expected = all_used(&opened).await;
    let killed = with_log(&folder, &path);
    let (new, copied) = salvaged(&folder, &killed);
    assert_eq!(copied.problems, [""; 0]);
    assert_eq!(copied.sessions[1].entries, 6);
    assert_eq!(usable(&new, &expected, "the log").await, 0);
}

#[tokio::test]
async fn if_the_log_is_damaged_every_session_is_closed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    for text in ["# one", "# two", "# three"] {
        draft(&opened.session(&identity(SESSIONS[1])), text)
            .await
            .expect("drafted");
    }
    let expected = all_used(&opened).await;
    let killed = with_log(&folder, &path);
    let log = format!("{}-wal", killed.display());
    let mut bytes = fs::read(&log).expect("the log");
    bytes[32 + 24 + 100] ^= 0x01;
    fs::write(&log, bytes).expect("written");
    let (new, copied) = salvaged(&folder, &killed);
    assert!(
        copied.problems[0].contains("the log of the file is damaged"),
        "{copied:?}"
    );
    assert_eq!(usable(&new, &expected, "a damaged log").await, 3);
}

#[tokio::test]
async fn no_session_starts_over_if_a_bit_of_the_log_is_flipped() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let only = identity("only-in-the-log");
    ready(&opened.session(&only)).await;
    let in_file = identity(SESSIONS[1]);
    draft(&opened.session(&in_file), "# in the log")
        .await
        .expect("drafted");
    // The first time, the call is made; after that, its answer is repeated.
    used(&opened.session(&only)).await.expect("used");
    let both = [only, in_file];
    let mut expected = Vec::new();
    for session in &both {
        expected.push(used(&opened.session(session)).await);
    }
    let killed = with_log(&folder, &path);
    let log = format!("{}-wal", killed.display());
    let whole = fs::read(&log).expect("the log");
    let mut closed = 0;
    // The header of the log and that of its first frame, and places in all frames.
    for at in (0..56).chain((56..whole.len()).step_by(997)) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        fs::write(&log, bytes).expect("written");
        let (new, _) = salvaged(&folder, &killed);
        let copy = sessions(Sqlite::open_existing(&new).expect("a store"));
        for (session, expected) in both.iter().zip(&expected) {
            let session = copy.session(session);
            let said = used(&session).await;
            let case = format!("byte {at} of the log");
            closed += usize::from(is_closed(&session, &said, expected, &case).await);
        }
        copy.store().close().await.expect("closed");
    }
    assert!(closed > 100, "{closed} sessions were closed");
}

#[tokio::test]
async fn timers_of_a_copy_are_found_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let (new, _) = salvaged(&folder, &path);
    let opened = sessions(Sqlite::open_existing(&new).expect("a store"));
    let now = by("ann").now;
    assert_eq!(opened.due(now, 10).await.expect("sessions").len(), 3);
    let woken = opened.wake(now).await.expect("woken");
    assert_eq!((woken.fired.len(), woken.failed.len()), (0, 0));
    assert_eq!(
        opened.due(now, 10).await.expect("sessions"),
        [],
        "no machine has timers"
    );
}

/// Returns why a file cannot be opened, or why its sessions cannot be used or changed; `None` if they can.
async fn refusal(path: &Path, expected: &[Result<Vec<String>, SessionError>]) -> Option<String> {
    let opened = match Sqlite::open_existing(path) {
        Ok(opened) => sessions(opened),
        Err(error) => return Some(error.to_string()),
    };
    let mut failed = None;
    for (said, expected) in all_used(&opened).await.into_iter().zip(expected) {
        match said {
            Err(error) => failed = failed.or(Some(error.to_string())),
            said => assert_eq!(&said, expected, "{}", path.display()),
        }
    }
    let changed = draft(&opened.session(&identity(SESSIONS[1])), "# more").await;
    let _ = opened.store().close().await;
    failed.or(changed.err().map(|error| error.to_string()))
}

#[tokio::test]
async fn a_damaged_header_changes_nothing_or_names_the_way_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let expected = expected(&path).await;
    let whole = fs::read(&path).expect("the file");
    let mut refused = 0;
    for at in 0..100 {
        for flip in [0x01, 0x02, 0x5b] {
            let damaged = folder.path().join(format!("{at}-{flip}.db"));
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            fs::write(&damaged, bytes).expect("written");
            let (new, _) = salvaged(&folder, &damaged);
            let case = format!("byte {at} ^ {flip}");
            assert_eq!(usable(&new, &expected, &case).await, 0, "{case}");
            if let Some(told) = refusal(&damaged, &expected).await {
                assert!(told.contains("salvage NEW"), "{case}: {told}");
                refused += 1;
            }
        }
    }
    assert!(refused > 30, "{refused} files were refused");
}

#[tokio::test]
async fn an_altered_answer_is_copied_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let file = Connection::open(&path).expect("the file");
    let alter = "UPDATE answer SET body = replace(body, '1', '2') WHERE session = 2";
    assert_eq!(file.execute(alter, []), Ok(1));
    drop(file);
    let (new, copied) = salvaged(&folder, &path);
    let answer = "the answer to the call `call-1` was altered";
    assert!(copied.problems[0].contains(answer), "{copied:?}");
    assert!(copied.problems[0].contains(SESSIONS[1]), "{copied:?}");
    assert_eq!(copied.problems.len(), 1, "{copied:?}");
    let opened = sessions(Sqlite::open_existing(&new).expect("a store"));
    let session = opened.session(&identity(SESSIONS[1]));
    let repeated = session.decide(&[under_an_id()], &by("model")).await;
    assert!(repeated.is_err_and(|error| error.is_damage()));
}

#[tokio::test]
async fn a_file_without_sessions_is_not_copied() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = folder.path().join("new.db");
    let empty = folder.path().join("empty.db");
    fs::write(&empty, "").expect("written");
    let store = folder.path().join("store.db");
    drop(Sqlite::open(&store).expect("a store"));
    for path in [empty, store] {
        let error = Sqlite::salvage(&path, &new).expect_err("nothing to copy");
        assert_eq!(error.kind, StoreErrorKind::Foreign, "{error}");
        let told = error.to_string();
        assert!(told.contains("contains no data of a session"), "{told}");
        assert!(!new.exists());
    }
}
