//! Durable events per second through sessions in `PostgreSQL`, compared with bare single-statement transactions through
//! the same number of connections: the exact statement of the store on the store's tables, and a minimal statement that
//! compares and sets a number and inserts a string of the same length.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plan_machine_benches::rates;
use plan_machine_benches::work::{identity, send, sessions, side_by_side};
use plan_machine_sessions::Sessions;
use plan_machine_sessions::store::Postgres;
use plan_machine_tests::postgres::Server;
use tokio_postgres::{Client, NoTls, Statement};

/// The total number of events per turn, over all connections.
const EVENTS: u32 = 800;

#[tokio::main]
async fn main() {
    let server = Server::start();
    println!(
        "{:<32} {:>9} {:>9} {:>6} {:>9} {:>6}",
        "durable events per second", "sessions", "the same", "ratio", "smallest", "ratio"
    );
    for side in [1, 16] {
        let database = server.database(&format!("bench_{side}"));
        let store = Arc::new(Postgres::connect(&database).await.expect("a store"));
        let sessions = sessions(store);
        side_by_side(&sessions, "write", side, 2).await;
        let mut same = Bare::on(&database, SAME_TABLES, SAME, side).await;
        let mut least = Bare::on(&database, LEAST_TABLES, LEAST, side).await;
        let mut turns = Vec::new();
        for _ in 0..44 {
            let ours = go_on(&sessions, side).await;
            turns.push([ours, same.turn().await, least.turn().await]);
        }
        let [ours, same, least] = rates(&turns[4..], EVENTS);
        let what = format!("{side} in parallel");
        let (to_same, to_least) = (ours / same, ours / least);
        println!("{what:<32} {ours:>9.0} {same:>9.0} {to_same:>6.2} {least:>9.0} {to_least:>6.2}");
    }
}

/// The statement that the store sends for one entry, except that the names of sessions are numbers, and that the server
/// computes the number of the new entry.
const SAME: &str = "
    WITH head AS (
      UPDATE plan_machine.session SET seq = $2 + 1, head = $4
      WHERE channel = 'bare' AND conversation = $1::bigint::text AND seq = $2
        AND ($5::bytea IS NULL OR head = $5)
      RETURNING id
    )
    INSERT INTO plan_machine.entry (session, seq, body, digest, transaction)
    SELECT head.id, $2 + 1, $3, $4,
           pg_current_xact_id()::text::bigint + (SELECT ahead FROM plan_machine.format)
    FROM head RETURNING session";

const SAME_TABLES: &str = "
    INSERT INTO plan_machine.session (channel, conversation, seq)
    SELECT 'bare', generate_series(0, 99)::text, 0";

/// A minimal statement: it compares and sets a number, and inserts a row.
const LEAST: &str = "
    WITH moved AS (UPDATE head SET seq = seq + 1 WHERE session = $1 AND seq = $2 RETURNING session)
    INSERT INTO bare SELECT session, $2, $3, $4 FROM moved WHERE $5::bytea IS NULL RETURNING session";

const LEAST_TABLES: &str = "
    CREATE TABLE head(session bigint PRIMARY KEY, seq bigint);
    INSERT INTO head SELECT generate_series(0, 99), 0;
    CREATE TABLE bare(session bigint, seq bigint, body text, digest bytea, PRIMARY KEY(session, seq))";

/// Sends events to sessions that have already started, in parallel.
async fn go_on(sessions: &Sessions, side: u32) -> Duration {
    let began = Instant::now();
    let working = (0..side).map(|number| {
        let session = sessions.session(&identity(number));
        tokio::spawn(send(session, "write", EVENTS / side))
    });
    for work in working.collect::<Vec<_>>() {
        work.await.expect("no panic");
    }
    began.elapsed()
}

/// Connections that send one statement after another, each in its own transaction.
struct Bare {
    clients: Vec<(Arc<Client>, Statement)>,
    seq: i64,
}

impl Bare {
    async fn on(database: &str, tables: &str, statement: &'static str, side: u32) -> Self {
        let connect = || async {
            let connected = tokio_postgres::connect(database, NoTls).await;
            let (client, connection) = connected.expect("connected");
            tokio::spawn(connection);
            client
        };
        connect().await.batch_execute(tables).await.expect("tables");
        let mut clients = Vec::new();
        for _ in 0..side {
            let client = connect().await;
            let prepared = client.prepare(statement).await.expect("prepared");
            clients.push((Arc::new(client), prepared));
        }
        Self { clients, seq: 0 }
    }

    async fn turn(&mut self) -> Duration {
        let each = i64::from(EVENTS) / i64::try_from(self.clients.len()).expect("a few");
        let seqs = self.seq..self.seq + each;
        self.seq = seqs.end;
        let began = Instant::now();
        let working = self.clients.iter().cloned().zip(0_i64..);
        let working = working.map(|((client, prepared), session)| {
            let seqs = seqs.clone();
            tokio::spawn(async move {
                let (body, digest) = ("x".repeat(411), vec![7_u8; 32]);
                for seq in seqs {
                    let nothing: Option<Vec<u8>> = None;
                    let row = client
                        .query_opt(&prepared, &[&session, &seq, &body, &digest, &nothing])
                        .await;
                    assert!(
                        row.expect("an answer").is_some(),
                        "the entry was not stored"
                    );
                }
            })
        });
        for work in working.collect::<Vec<_>>() {
            work.await.expect("no panic");
        }
        began.elapsed()
    }
}
