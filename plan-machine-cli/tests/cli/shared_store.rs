//! A gated project whose sessions are in a database that other computers share.

use std::fs;

use plan_machine_tests::postgres::Server;

use super::gated::{Gated, refuses_an_agent};

/// Returns the files with this name in the state of the projects.
fn state_files(gated: &Gated, name: &str) -> usize {
    let projects = fs::read_dir(gated.folder.join("state/projects")).expect("a folder");
    let projects = projects.map(|project| project.expect("a project").path());
    projects.filter(|one| one.join(name).exists()).count()
}

#[test]
fn the_commands_of_a_project_use_the_database_that_init_has_named() {
    let gated = Gated::new("agents_shared_store");
    if refuses_an_agent(&gated) {
        return;
    }
    let server = Server::start();
    let address = server.database("plans");
    let init = format!("init --agent claude-code --store {address} --yes");
    let (status, text) = gated.run(&init, "");
    assert!(
        status == 0 && text.contains("the sessions are in `postgres://"),
        "{text}"
    );
    let (_, text) = gated.run(&init, "");
    assert!(text.contains("nothing to change"), "{text}");

    let (status, text) = gated.write("c1");
    assert!(
        status == 2 && !text.contains("the gate is closed"),
        "{text}"
    );
    for command in ["status", "log", "status --denied"] {
        let (status, text) = gated.run(command, "");
        assert!(
            status == 0 && text.contains("claude-code@project-"),
            "{text}"
        );
    }
    let (_, text) = gated.run("log verify --all .plan-machine/session.yaml", "");
    assert!(text.contains("ok, "), "{text}");
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(
        status == 0 && text.contains("/plans?…` has 1 session"),
        "{text}"
    );
    assert_eq!(state_files(&gated, "sessions.db"), 0);

    server.kill();
    let (status, text) = gated.write("c2");
    assert!(status == 2 && text.contains("cannot be used"), "{text}");
    let (status, text) = gated.run("doctor --agent claude-code", "");
    assert!(
        status == 1 && text.contains("WRONG claude-code store"),
        "{text}"
    );

    let (status, text) = gated.run("init --agent claude-code --remove --yes", "");
    assert_eq!(
        (status, state_files(&gated, "store.json")),
        (0, 0),
        "{text}"
    );
}

#[test]
fn a_project_shares_only_a_database_on_a_server() {
    let gated = Gated::new("agents_shared_file");
    if refuses_an_agent(&gated) {
        return;
    }
    for (store, wanted) in [
        (
            "sqlite:plans.db",
            "`sqlite:plans.db` is not a database on a server",
        ),
        (
            "postgres://ann:secret@127.0.0.1:1/plans",
            "cannot open `postgres://ann:…@127.0.0.1:1/plans`",
        ),
    ] {
        let line = format!("init --agent claude-code --store {store} --yes");
        let (status, text) = gated.run(&line, "");
        assert!(status == 2 && text.contains(wanted), "{text}");
        assert!(!gated.project().join(".claude").exists(), "a file was made");
    }
}
