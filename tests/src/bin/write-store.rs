//! Writes the stores of `tests/stores/VERSION` with the current version:
//! `cargo run -p plan-machine-tests --features postgres --bin write-store VERSION`.
//!
//! The program does not overwrite existing files: only the version that wrote a file can reproduce it.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use plan_machine::Object;
use plan_machine_sessions::store::{self, Sqlite, Store};
use plan_machine_tests::postgres::Server;
use plan_machine_tests::root;
use plan_machine_tests::stores::{self, Failed};

#[tokio::main]
async fn main() -> Result<(), Failed> {
    let version = std::env::args()
        .nth(1)
        .ok_or("usage: write-store VERSION")?;
    let folder = stores::folder(&version);
    fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    copy_documents(&folder)?;
    let file: Arc<dyn Store> = Arc::new(Sqlite::open(folder.join("plans.db"))?);
    let expected = stores::write(Arc::clone(&file)).await?;
    file.close().await?;
    let server = Server::start();
    let database = store::open(&server.database("kept")).await?;
    if stores::write(database).await? != expected {
        return Err("the two stores have different content".into());
    }
    fs::write(folder.join("plans.sql"), server.dump("kept"))?;
    let mut lines = String::from("{\n");
    let sessions = expected.as_object().into_iter().flat_map(Object::iter);
    let sessions: Vec<String> = sessions
        .map(|(name, found)| format!("\"{name}\": {found}"))
        .collect();
    lines.push_str(&sessions.join(",\n"));
    lines.push_str("\n}\n");
    fs::write(folder.join("expected.json"), lines)?;
    Ok(())
}

/// Copies the specs and the calls documents of the sessions.
fn copy_documents(folder: &Path) -> Result<(), Failed> {
    let (specs, calls) = (folder.join("specs"), folder.join("calls"));
    fs::create_dir(&specs)?;
    fs::create_dir(&calls)?;
    let own = root().join("specs");
    for cast in stores::CASTS.iter().chain([&stores::BEFORE]) {
        for spec in cast.specs {
            let name = format!("{spec}.yaml");
            let (plain, agents) = (own.join(&name), own.join("agents").join(&name));
            let from = if plain.exists() { plain } else { agents };
            fs::copy(from, specs.join(&name))?;
        }
        if let Some(document) = cast.calls {
            let name = format!("{document}.yaml");
            fs::copy(own.join("calls").join(&name), calls.join(&name))?;
        }
    }
    Ok(())
}
