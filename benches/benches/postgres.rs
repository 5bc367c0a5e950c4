//! Durable events a second through sessions in `PostgreSQL`, against the bare single-statement
//! transaction through as many connections: a number that is compared and set, and a text of the same
//! length that is inserted.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine::store::Postgres;
use plan_machine_benches::work::{sessions, side_by_side};
use plan_machine_tests::postgres::Server;
use tokio_postgres::NoTls;

const EVENTS: u32 = 2000;

#[tokio::main]
async fn main() {
    let server = Server::start();
    println!(
        "{:<34} {:>12} {:>12} {:>8}",
        "durable events a second", "sessions", "bare", "ratio"
    );
    for side in [1, 16] {
        let (mut ours, mut bare) = (Duration::MAX, Duration::MAX);
        // In turns, and the best of each: other work on the machine takes time from both.
        for round in 0..3 {
            let database = server.database(&format!("bench_{side}_{round}"));
            let store = Arc::new(Postgres::connect(&database).await.expect("a store"));
            let sessions = sessions(store);
            // Connections are made and statements prepared before the clock runs.
            side_by_side(&sessions, "write", side, 2).await;
            ours = ours.min(side_by_side_again(&sessions, side).await);
            bare = bare.min(bare_inserts(&database, side).await);
        }
        let all = f64::from(EVENTS);
        let (ours, bare) = (all / ours.as_secs_f64(), all / bare.as_secs_f64());
        let what = format!("{side} side by side");
        println!("{what:<34} {ours:>12.0} {bare:>12.0} {:>8.2}", ours / bare);
    }
}

async fn side_by_side_again(sessions: &plan_machine::session::Sessions, side: u32) -> Duration {
    let began = Instant::now();
    let working = (0..side).map(|number| {
        let session = sessions.session(&plan_machine_benches::work::identity(number));
        tokio::spawn(async move {
            let around = plan_machine::gate::Surroundings::now().by("bench");
            for number in 0..EVENTS / side {
                let call = plan_machine_benches::work::call("write", number);
                session.decide(&[call], &around).await.expect("written");
            }
        })
    });
    for work in working.collect::<Vec<_>>() {
        work.await.expect("no panic");
    }
    began.elapsed()
}

async fn bare_inserts(database: &str, side: u32) -> Duration {
    let mut clients = Vec::new();
    for _ in 0..side {
        let (client, connection) = tokio_postgres::connect(database, NoTls)
            .await
            .expect("connected");
        tokio::spawn(connection);
        clients.push(client);
    }
    let tables = "
        CREATE TABLE head(session bigint PRIMARY KEY, seq bigint);
        INSERT INTO head SELECT generate_series(0, 99), 0;
        CREATE TABLE bare(session bigint, seq bigint, body text, digest bytea, PRIMARY KEY(session, seq))";
    clients[0].batch_execute(tables).await.expect("tables");
    let began = Instant::now();
    let working = clients.into_iter().zip(0_i64..).map(|(client, session)| {
        tokio::spawn(async move {
            let insert = client
                .prepare("INSERT INTO bare VALUES($1, $2, $3, $4)")
                .await;
            let insert = insert.expect("prepared");
            let (body, digest) = ("x".repeat(560), vec![7_u8; 32]);
            for seq in 0..i64::from(EVENTS / side) {
                let inserted = client
                    .execute(&insert, &[&session, &seq, &body, &digest])
                    .await;
                inserted.expect("inserted");
            }
        })
    });
    for work in working.collect::<Vec<_>>() {
        work.await.expect("no panic");
    }
    began.elapsed()
}
