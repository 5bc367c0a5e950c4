//! Hooks of a project whose sessions are in a database that other computers share.

use std::fs;

use plan_machine_agents::keeper::{Delivery, PlanDecision, identity};
use plan_machine_agents::project;
use plan_machine_sessions::SessionIdentity;
use plan_machine_sessions::store;
use plan_machine_tests::postgres::Server;

use crate::bench::{Bench, TALK, run};

/// An address at which no server listens.
const NOWHERE: &str = "postgres://ann:secret@127.0.0.1:1/plans";

/// Returns a project that uses the database at an address, on the computer with this number.
fn project_on(computer: u8, address: &str) -> Bench {
    let bench = Bench::new();
    let shared = project::share_store(&bench.site(), address, &[computer; 32]);
    assert!(shared.expect("stored"));
    bench
}

/// Creates a database with the tables of a store, as `plan-machine init --store` does.
fn database(server: &Server) -> String {
    let address = server.database("plans");
    run(async { drop(store::open(&address).await.expect("a store")) });
    address
}

fn sessions(bench: &Bench) -> Vec<SessionIdentity> {
    run(async { bench.open().await.all_sessions().await }).expect("sessions")
}

/// Approves the plan of a session, as a person who has seen its card on this computer.
async fn approve(bench: &Bench, session: &SessionIdentity) {
    let keeper = bench.open().await;
    let view = keeper.view(session).await.expect("a session");
    let card = &view.cards[0];
    let shown = Delivery::of(session, card, "terminal");
    keeper.delivered(&[shown]).expect("stored");
    let decided = keeper.decide_plan(Some(session), &card.token, &PlanDecision::Approve);
    assert!(decided.await.expect("a decision").is_accepted);
    keeper.close().await.expect("closed");
}

#[test]
fn an_approval_on_another_computer_lets_the_next_call_run() {
    let server = Server::start();
    let address = database(&server);
    let (here, there) = (project_on(1, &address), project_on(2, &address));
    assert_eq!(here.prompt("p0", ".plan on").status, 2);
    let stored = here.own("s1", "plan_set_content", r##"{"text":"# v1"}"##);
    assert!(!stored.is_denied, "{}", stored.text);
    let denied = here.call("w1", "Write", r#"{"file_path":"a.txt"}"#);
    denied.denies("only in EXECUTING");

    let session = sessions(&here).remove(0);
    run(approve(&there, &session));
    assert!(here.writes("w2"));
    // The agent on the other computer has a conversation with the same id, but another session.
    assert!(!there.writes("w2"));
    assert!(sessions(&there).iter().all(|other| *other != session));
    assert!(!here.site().store().exists() && !there.site().store().exists());

    let list = plan_machine_agents::audit::read(&here.site().state.join("audit.jsonl"));
    assert_eq!(list.expect("a list")[0].session, session.to_string());
    let plain = identity("claude-code", TALK).expect("an identity");
    assert_ne!(plain, session);

    server.kill();
    here.call("w3", "Write", "{}")
        .denies("the session store `postgres://");
}

#[test]
fn a_server_that_cannot_be_reached_denies_and_its_password_is_not_shown() {
    let bench = project_on(1, NOWHERE);
    let reply = bench.call("c1", "Read", "{}");
    reply.denies("the session store `postgres://ann:…@127.0.0.1:1/plans` cannot be used");
    reply.denies("run `plan-machine init --agent NAME --store postgres:URL` in a terminal");
    assert!(!reply.stderr.contains("secret"), "{}", reply.stderr);
}

#[test]
fn a_database_without_the_tables_denies() {
    let server = Server::start();
    let bench = project_on(1, &server.database("empty"));
    let reply = bench.call("c1", "Read", "{}");
    reply.denies("does not contain the tables of plan-machine");
}

#[test]
fn a_wrong_password_denies() {
    let server = Server::start();
    let address = database(&server);
    server.sql("postgres", "CREATE ROLE ann LOGIN PASSWORD 'right'");
    let rules = server.sql("postgres", "SHOW hba_file");
    let asks = "('local all all trust'), ('host all all 127.0.0.1/32 scram-sha-256')";
    server.sql("postgres", &format!("COPY (VALUES {asks}) TO '{rules}'"));
    server.kill();
    server.restart();
    let bench = project_on(1, &address.replace("postgres@", "ann:guess@"));
    let reply = bench.call("c1", "Read", "{}");
    reply.denies("password authentication failed for user \"ann\"");
    assert!(!reply.stderr.contains("guess"), "{}", reply.stderr);
}

#[test]
fn an_address_that_was_removed_or_changed_denies_even_if_the_documents_are_trusted_again() {
    let bench = project_on(1, NOWHERE);
    let file = bench.site().state.join("store.json");
    let text = fs::read_to_string(&file).expect("an address");
    fs::remove_file(&file).expect("removed");
    for _ in 0..2 {
        let reply = bench.call("c1", "Read", "{}");
        reply.denies("the file with the address of this project's session store, is missing");
        bench.trust();
    }
    fs::write(&file, text.replace("127.0.0.1", "127.0.0.2")).expect("changed");
    let reply = bench.call("c2", "Read", "{}");
    reply.denies("is damaged or was changed");
    assert!(!bench.site().store().exists());
    // Without its record of trust, the project is closed, and trusting it again keeps its address.
    fs::write(&file, text).expect("restored");
    fs::remove_file(bench.site().state.join("trust.json")).expect("removed");
    bench.call("c3", "Read", "{}").denies("plan-machine trust");
    bench.trust();
    bench.call("c4", "Read", "{}").denies("127.0.0.1:1/plans");
}

#[test]
fn the_address_of_a_shared_store_is_not_read() {
    let bench = Bench::new();
    let state = bench.site().state;
    let file = state.join("store.json");
    let file = file.display();
    for (id, tool, args) in [
        ("c1", "Read", format!(r#"{{"file_path":"{file}"}}"#)),
        ("c2", "Bash", format!(r#"{{"command":"cat {file}"}}"#)),
    ] {
        bench.call(id, tool, &args).denies("which holds secrets");
    }
    // Drafts of both files, which a killed process leaves.
    let root = state.ancestors().nth(2).expect("the state folder");
    for (id, draft) in [
        ("d1", state.join(".store.json.17.0")),
        ("d2", root.join(".key.17.0")),
    ] {
        let args = format!(r#"{{"file_path":"{}"}}"#, draft.display());
        bench.call(id, "Read", &args).denies("which holds secrets");
    }
    let projects = state.parent().expect("the folder of all projects");
    let other = projects.join("00000000000000000000000000000000");
    for (at, folder) in [&*state, projects, &other].iter().enumerate() {
        let folder = folder.display();
        for (id, tool, args) in [
            (
                "grep",
                "Grep",
                format!(r#"{{"pattern":".","path":"{folder}"}}"#),
            ),
            (
                "search",
                "Bash",
                format!(r#"{{"command":"grep -r . {folder}"}}"#),
            ),
            (
                "enter",
                "Bash",
                format!(r#"{{"command":"cd {folder} && grep -r ."}}"#),
            ),
        ] {
            let reply = bench.call(&format!("{id}-{at}"), tool, &args);
            reply.denies("which holds secrets");
        }
    }
}
