//! Files that a process has left behind: they are checked when they are opened, unless they have not changed since
//! then.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::Sqlite;
use rusqlite::Connection;

use crate::pages::{SESSIONS, asked, written};
use crate::world::{command, draft, identity, machines, sessions};

/// Copies a database and the files that belong to it, with their times.
fn copy_files(from: &Path, to: &Path) {
    for end in ["", "-wal", "-left"] {
        let [from, to] = [from, to].map(|path| format!("{}{end}", path.display()));
        if let Ok(found) = fs::metadata(&from) {
            fs::copy(&from, &to).expect("copied");
            set_time(Path::new(&to), found.modified().expect("a time"));
        }
    }
}

fn set_time(path: &Path, time: SystemTime) {
    let file = fs::File::options().write(true).open(path);
    file.expect("a file").set_modified(time).expect("a time");
}

/// Overwrites the head of a page of an index in a copy of a database.
fn damage_an_index(database: &Path, copy: &Path) {
    let page: u32 = Connection::open(database)
        .expect("the file")
        .query_row(
            "SELECT pageno FROM dbstat WHERE name = 'answer_by_seq' AND pagetype = 'leaf' LIMIT 1",
            [],
            |row| row.get(0),
        )
        .expect("a page");
    let mut bytes = fs::read(copy).expect("the file");
    bytes[(page as usize - 1) * 2048 + 1..][..6].fill(0xee);
    fs::write(copy, bytes).expect("written");
}

#[tokio::test]
async fn a_file_that_was_left_in_order_is_checked_only_if_it_has_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    let brief = Arc::new(Sqlite::open_briefly(&path).expect("a store"));
    let running = Sessions::new(brief.clone(), machines());
    draft(&running.session(&identity(SESSIONS[1])), "# in the log")
        .await
        .expect("drafted");
    brief.leave();

    for (name, is_changed) in [("as-it-was.db", false), ("changed.db", true)] {
        let copy = folder.path().join(name);
        copy_files(&path, &copy);
        let time = fs::metadata(&copy).and_then(|file| file.modified());
        damage_an_index(&path, &copy);
        if !is_changed {
            // If the size and the time are the same, nothing shows that the file is a different one.
            set_time(&copy, time.expect("a time"));
        }
        let opened = sessions(Sqlite::open_briefly(&copy).expect("a store"));
        let new = command(&opened.session(&identity("a-new-session")), "/plan on").await;
        assert_eq!(new.is_err(), is_changed, "{name}");
    }

    let copy = folder.path().join("whole.db");
    copy_files(&path, &copy);
    let opened = sessions(Sqlite::open(&copy).expect("a store"));
    let said = asked(&opened.session(&identity(SESSIONS[1]))).await;
    assert!(said.expect("answers")[0].contains("# in the log"));
    opened.store().close().await.expect("closed");
    let left = folder.path().join("whole.db-left");
    assert!(!left.exists(), "a closed store needs no record");
}

#[tokio::test]
async fn a_file_that_was_not_closed_is_checked_when_it_is_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder).await;
    // The log contains data, as it does after a process has been killed.
    let running = sessions(Sqlite::open(&path).expect("a store"));
    draft(&running.session(&identity(SESSIONS[1])), "# in the log")
        .await
        .expect("drafted");
    let file = folder.path().join("left.db");
    copy_files(&path, &file);
    damage_an_index(&path, &file);

    let opened = sessions(Sqlite::open(&file).expect("a store"));
    let new = opened.session(&identity("a-new-session"));
    let error = command(&new, "/plan on")
        .await
        .expect_err("the session may have existed");
    let told = "Nothing is written to the file";
    assert!(error.to_string().contains(told), "{error}");
    let sound = opened.session(&identity(SESSIONS[2]));
    assert!(sound.plans().await.is_ok());
    assert!(draft(&sound, "# goes on").await.is_err());
    assert!(!opened.store().check().await.expect("a check").is_empty());
    // While others use a file, it is not checked when it is opened.
    let beside = sessions(Sqlite::open(&path).expect("a store"));
    command(&beside.session(&identity("a-new-session")), "/plan on")
        .await
        .expect("begun");
    assert_eq!(beside.store().check().await, Ok(Vec::new()));
}
