//! Damaged pages of an `SQLite` file: each session gives the same answers as before or a specific error, independently
//! of the others.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use plan_machine::gate::ToolCall;
use plan_machine::{Json, Object};
use plan_machine_sessions::store::{Sqlite, Store, StoreErrorKind};
use plan_machine_sessions::{Session, SessionError, UnreadableReason};
use rusqlite::Connection;
use tempfile::TempDir;

use crate::world::{by, draft, identity, machines, ready, sessions};

/// The sessions in the file: one with a snapshot, and two whose entries are so long that they fill separate pages.
pub(crate) const SESSIONS: [&str; 3] = ["with-a-snapshot", "with-long-texts", "with-longer-texts"];

pub(crate) fn under_an_id() -> ToolCall {
    let mut args = Object::new();
    args.push("plan_markdown", "# under an id");
    ToolCall::new("plan_set_content", args).once("call-1")
}

/// Creates and closes a file with three sessions, each with pending effects and with an answer under a call id.
pub(crate) async fn written(folder: &TempDir) -> PathBuf {
    let path = folder.path().join("plans.db");
    let written = sessions(Sqlite::open(&path).expect("a store"));
    for (many, name) in [(128, SESSIONS[0]), (2, SESSIONS[1]), (2, SESSIONS[2])] {
        let session = written.session(&identity(name));
        ready(&session).await;
        session
            .decide(&[under_an_id()], &by("model"))
            .await
            .expect("drafted");
        for number in 0..many {
            let long = if many > 2 { 1 } else { 2000 };
            draft(&session, &format!("# {number} {}", "text ".repeat(long)))
                .await
                .expect("drafted");
        }
        let effects = session.effects().await.expect("effects");
        for effect in &effects[..effects.len() - 2] {
            session.settle(&effect.id).await.expect("settled");
        }
    }
    written.store().close().await.expect("closed");
    path
}

/// Returns everything that can be queried about a session, or the error of the first query that fails.
pub(crate) async fn asked(session: &Session) -> Result<Vec<String>, SessionError> {
    let mut said = Vec::new();
    for held in session.plans().await? {
        said.push(format!(
            "{} {} {}",
            held.plan.id,
            held.plan.state,
            Json::from(held.plan.data)
        ));
    }
    for effect in session.effects().await? {
        said.push(format!("{} {}", effect.id, effect.effect.name));
    }
    let done = session.decide(&[under_an_id()], &by("model")).await?;
    said.push(format!("{} {:?}", done.repeated, done.answer[0].answer()));
    said.push(format!("{:?}", session.verify(&machines()).await?));
    said.push(format!("{} entries", session.history(0, 1000).await?.len()));
    Ok(said)
}

/// Returns the answers of each session in a file.
pub(crate) async fn all_asked(path: &Path) -> Vec<Result<Vec<String>, SessionError>> {
    let store = match Sqlite::open_existing(path) {
        Ok(store) => store,
        Err(error) => return SESSIONS.map(|_| Err(error.clone().into())).to_vec(),
    };
    let opened = sessions(store);
    let mut said = Vec::new();
    for name in SESSIONS {
        said.push(asked(&opened.session(&identity(name))).await);
    }
    let _ = opened.store().close().await;
    said
}

/// Returns the pages that contain the rest of a long row; each such page belongs to only one session.
fn overflow_pages(path: &Path) -> BTreeSet<u32> {
    let file = Connection::open(path).expect("the file");
    let mut select = file
        .prepare("SELECT pageno FROM dbstat WHERE pagetype = 'overflow'")
        .expect("the pages");
    let pages = select.query_map([], |row| row.get(0)).expect("pages");
    pages.map(|page| page.expect("a page")).collect()
}

/// Returns the pages of a table or an index.
pub(crate) fn pages_of(path: &Path, name: &str) -> Vec<u32> {
    let file = Connection::open(path).expect("the file");
    let mut select = file
        .prepare("SELECT pageno FROM dbstat WHERE name = ?1")
        .expect("the pages");
    let pages = select.query_map([name], |row| row.get(0)).expect("pages");
    pages.map(|page| page.expect("a page")).collect()
}

#[tokio::test]
async fn a_flipped_byte_gives_the_same_answers_or_a_named_error() {
    const PAGE: usize = 2048;
    const APART: usize = 311;
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let expected = all_asked(&path).await;
    assert!(expected.iter().all(Result::is_ok), "{expected:?}");
    let overflow = overflow_pages(&path);
    let whole = fs::read(&path).expect("the file");
    let (mut noticed, mut alone) = (0, 0);
    let copy = folder.path().join("flipped.db");
    for (page, number) in (0..whole.len() / PAGE).zip(1_u32..) {
        // Different bytes are damaged on each page, so that all kinds of positions are covered.
        for at in (page * 7 % APART..PAGE).step_by(APART) {
            let mut bytes = whole.clone();
            bytes[page * PAGE + at] ^= 0x15;
            fs::write(&copy, &bytes).expect("written");
            let said = all_asked(&copy).await;
            let failed = said.iter().filter(|said| said.is_err()).count();
            noticed += usize::from(failed > 0);
            for (said, expected) in said.iter().zip(&expected) {
                match said {
                    Ok(_) => assert_eq!(said, expected, "page {page}, byte {at}"),
                    Err(SessionError::Store(_) | SessionError::Unreadable { .. }) => {}
                    Err(other) => panic!("page {page}, byte {at}: {other:?}"),
                }
            }
            if overflow.contains(&number) {
                assert!(failed <= 1, "page {page}, byte {at}: {said:?}");
                alone += failed;
            }
            for beside in ["-wal", "-shm"] {
                let _ = fs::remove_file(folder.path().join(format!("flipped.db{beside}")));
            }
        }
    }
    assert!(
        noticed > 50 && alone > 5,
        "{noticed} damaged bytes were noticed, {alone} of them by only one session"
    );
}

/// Changes the file in a way that is noticed only when the file is read.
fn changed(path: &Path, statements: &str) {
    let file = Connection::open(path).expect("the file");
    file.execute_batch(statements).expect("changed");
}

/// Restarts the session if it cannot be read: the session is then empty, and can be used again.
async fn restarted(session: &Session) -> bool {
    if asked(session).await.is_ok() {
        return false;
    }
    let restarted = session.restart("a damaged page", &by("ann")).await;
    restarted.expect("restarted");
    assert_eq!(session.effects().await, Ok(Vec::new()));
    assert_eq!(session.plans().await.expect("plans").len(), 0);
    ready(session).await;
    draft(session, "# goes on").await.expect("drafted");
    true
}

#[tokio::test]
async fn a_session_whose_page_is_damaged_is_restarted() {
    const PAGE: usize = 2048;
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let whole = fs::read(&path).expect("the file");
    let mut many = 0;
    for page in overflow_pages(&path) {
        let mut bytes = whole.clone();
        // These bytes of the page point to the next page: without them, SQLite itself can no longer read the row.
        bytes[(page as usize - 1) * PAGE..][..4].fill(0xee);
        fs::write(&path, &bytes).expect("written");
        let copy = folder.path().join(format!("copy-{page}.db"));
        Sqlite::salvage(&path, &copy).expect("copied");
        let opened = sessions(Sqlite::open_existing(&copy).expect("a store"));
        for name in SESSIONS {
            many += usize::from(restarted(&opened.session(&identity(name))).await);
        }
        opened.store().close().await.expect("closed");
    }
    assert!(many > 5, "{many} sessions were restarted");
}

#[tokio::test]
async fn a_session_that_was_restarted_can_be_read() {
    const PAGE: usize = 2048;
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let whole = fs::read(&path).expect("the file");
    let (mut restarted, mut failed) = (0, 0);
    for page in pages_of(&path, "sqlite_autoindex_entry_1") {
        for at in (0..PAGE).step_by(5) {
            let mut bytes = whole.clone();
            bytes[(page as usize - 1) * PAGE + at] ^= 0x60;
            fs::write(&path, &bytes).expect("written");
            let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
            for name in SESSIONS {
                let session = opened.session(&identity(name));
                if session.plans().await.is_ok() {
                    continue;
                }
                match session.restart("a damaged page", &by("ann")).await {
                    Ok(_) => {
                        restarted += 1;
                        assert_eq!(
                            session.plans().await.map(|plans| plans.len()),
                            Ok(0),
                            "page {page}, byte {at}"
                        );
                    }
                    Err(_) => failed += 1,
                }
            }
            let _ = opened.store().close().await;
            drop(opened);
            for beside in ["-wal", "-shm"] {
                let _ = fs::remove_file(folder.path().join(format!("plans.db{beside}")));
            }
        }
    }
    assert!(
        restarted > 5 && failed > 5,
        "{restarted} sessions were restarted, {failed} were not"
    );
}

#[tokio::test]
async fn a_session_that_has_lost_an_effect_is_restarted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    changed(
        &path,
        "DELETE FROM effect WHERE session = 2 AND seq = (SELECT max(seq) FROM effect WHERE session = 2);
         UPDATE session SET effects = effects + 1 WHERE id = 2",
    );
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    assert!(restarted(&opened.session(&identity(SESSIONS[1]))).await);
    assert!(!restarted(&opened.session(&identity(SESSIONS[2]))).await);
}

#[tokio::test]
async fn a_session_that_is_missing_from_an_index_does_not_start_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let whole = fs::read(&path).expect("the file");
    let name = SESSIONS[1].as_bytes();
    let places = (0..whole.len() - name.len()).filter(|at| whole[*at..].starts_with(name));
    let (mut refused, mut same) = (0, 0);
    for at in places {
        let mut bytes = whole.clone();
        bytes[at] = b'x';
        fs::write(&path, &bytes).expect("written");
        let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
        let session = opened.session(&identity(SESSIONS[1]));
        match session.command("/plan on", &by("ann")).await {
            Err(SessionError::Store(error)) => {
                assert_eq!(error.kind, StoreErrorKind::Damaged, "{error}");
                refused += 1;
            }
            Err(SessionError::Unreadable { .. }) => {}
            // The session is still the same one, so its plan already exists.
            Ok(done) => {
                assert!(!done.answer[0].outcome.is_accepted(), "byte {at}");
                same += 1;
            }
            Err(other) => panic!("{other}"),
        }
        let other = opened.session(&identity(SESSIONS[2]));
        assert!(other.plans().await.is_ok());
        opened.store().close().await.expect("closed");
    }
    assert!(
        refused >= 1 && same >= 2,
        "{refused} changes of the row were rejected, {same} changes of an index had no effect"
    );
}

#[tokio::test]
async fn entries_that_are_cut_off_at_the_end_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    changed(&path, "DELETE FROM entry WHERE session = 2 AND seq = 5");
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let error = opened.session(&identity(SESSIONS[1])).plans().await;
    let Err(SessionError::Unreadable { why, .. }) = error else {
        panic!("{error:?}");
    };
    assert_eq!(why, UnreadableReason::Missing { seq: 5 });
    assert!(opened.session(&identity(SESSIONS[2])).plans().await.is_ok());
}

#[tokio::test]
async fn an_effect_that_is_lost_is_noticed_by_its_own_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    changed(
        &path,
        "DELETE FROM effect WHERE session = 2 AND seq = (SELECT max(seq) FROM effect WHERE session = 2);
         UPDATE session SET effects = effects + 1 WHERE id = 2;
         UPDATE entry SET body = 'no entry at all' WHERE session = 2 AND seq > 1",
    );
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let error = opened.session(&identity(SESSIONS[1])).effects().await;
    assert!(
        matches!(&error, Err(SessionError::Store(error)) if error.kind == StoreErrorKind::Damaged),
        "{error:?}"
    );
    let other = opened.session(&identity(SESSIONS[2])).effects().await;
    assert_eq!(other.expect("effects").len(), 2);
    let names = SESSIONS.map(identity).to_vec();
    assert_eq!(
        opened.with_effects(10).await,
        Ok(names),
        "no session hides the effects of another"
    );
}

#[tokio::test]
async fn a_flipped_byte_of_an_index_hides_no_session_with_effects() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let pages: Vec<usize> = {
        let file = Connection::open(&path).expect("the file");
        let mut select = file
            .prepare("SELECT pageno FROM dbstat WHERE name = 'session_with_effects'")
            .expect("the pages");
        let pages = select.query_map([], |row| row.get::<_, u32>(0));
        let pages = pages.expect("pages").map(|page| page.expect("a page"));
        pages.map(|page| page as usize - 1).collect()
    };
    let whole = fs::read(&path).expect("the file");
    let names = SESSIONS.map(identity).to_vec();
    let mut tried = 0;
    for at in pages.iter().flat_map(|page| page * 2048..(page + 1) * 2048) {
        // Zero bytes are skipped: most of them are unused parts of the page, which have no meaning.
        if whole[at] == 0 {
            continue;
        }
        let mut bytes = whole.clone();
        bytes[at] ^= 0x15;
        fs::write(&path, &bytes).expect("written");
        let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
        let found = opened.with_effects(10).await.expect("sessions");
        let is_there = |name| found.contains(name);
        assert!(names.iter().all(is_there), "byte {at}: {found:?}");
        let _ = opened.store().close().await;
        tried += 1;
    }
    // The names of the sessions alone have this many bytes.
    let least: usize = SESSIONS.iter().map(|name| name.len()).sum();
    assert!(tried > least, "only {tried} bytes were tried");
}

#[tokio::test]
async fn rows_that_belong_to_no_session_are_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    changed(&path, "DELETE FROM session WHERE id = 1");
    let store = Sqlite::open(&path).expect("a store");
    let problems = store.check().await.expect("checked");
    assert_eq!(
        problems,
        [
            "131 entries do not belong to any session",
            "2 pending effects do not belong to any session",
            "1 answer does not belong to any session",
            "1 snapshot does not belong to any session",
        ]
    );
}

#[tokio::test]
async fn an_effect_whose_entry_is_missing_is_counted_and_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    changed(
        &path,
        "UPDATE effect SET seq = seq + 1000 WHERE session = 1",
    );
    let opened = sessions(Sqlite::open(&path).expect("a store"));
    let problems = opened.store().check().await;
    assert_eq!(
        problems,
        Ok(vec![
            "2 pending effects do not belong to any entry".to_owned()
        ])
    );
    let [lost, whole, _] = SESSIONS.map(|name| opened.session(&identity(name)));
    let error = lost.effects().await.expect_err("its entry is missing");
    assert!(
        error
            .to_string()
            .contains("which has a pending effect, is missing"),
        "{error}"
    );
    assert_eq!(whole.effects().await.expect("effects").len(), 2);
}

#[tokio::test]
async fn a_page_of_one_index_that_cannot_be_read_refuses_no_session() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let expected = all_asked(&path).await;
    assert!(expected.iter().all(Result::is_ok), "{expected:?}");
    let whole = fs::read(&path).expect("the file");
    for index in [
        "sqlite_autoindex_session_1",
        "session_by_conversation",
        "sqlite_autoindex_answer_1",
        "answer_by_call",
    ] {
        let page = pages_of(&path, index)[0];
        let mut bytes = whole.clone();
        bytes[(page as usize - 1) * 2048] = 0xee;
        fs::write(&path, bytes).expect("written");
        assert_eq!(all_asked(&path).await, expected, "{index}");
        fs::write(&path, &whole).expect("written");
    }
}

#[tokio::test]
async fn an_answer_that_its_indexes_do_not_refer_to_is_named_by_the_id_of_its_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let mut bytes = fs::read(&path).expect("the file");
    let key = b"model:call-1";
    for page in pages_of(&path, "answer") {
        let begin = (page as usize - 1) * 2048;
        let page = &mut bytes[begin..begin + 2048];
        for at in 0..page.len() - key.len() {
            if page[at..].starts_with(key) {
                page[at + key.len() - 1] = b'9';
            }
        }
    }
    fs::write(&path, bytes).expect("written");
    let opened = sessions(Sqlite::open_existing(&path).expect("a store"));
    let session = opened.session(&identity(SESSIONS[1]));
    let error = session.decide(&[under_an_id()], &by("model")).await;
    let error = error.expect_err("the row of the answer is damaged");
    assert!(
        error
            .to_string()
            .contains("the answer to the call `call-1` do not"),
        "{error}"
    );
}
