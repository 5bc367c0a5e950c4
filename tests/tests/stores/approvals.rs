//! Many hosts approve one plan at the same time.

use std::sync::Arc;
use std::time::Duration;

use plan_machine::DenialKind;
use plan_machine::machine::{Call, CallKind, Outcome, ShownToken};
use plan_machine_sessions::{Session, Sessions};
use tokio::sync::Barrier;
use tokio::time::timeout;

use crate::world::{
    by, connected, denied, identity, is_whole, machines, postgres, ready, server, sessions,
};

const HOSTS: usize = 16;

/// The maximum time that a host waits for the other hosts. A test that passes never reaches this limit.
const LIMIT: Duration = Duration::from_secs(120);

/// Lets several hosts, each with its own store and sessions, approve the same plan.
async fn approved_by_many(database: &str, expect_revision: bool) -> (Session, Vec<Outcome>) {
    let first = sessions(postgres(database).await);
    let who = identity("the-one-plan");
    let session = first.session(&who);
    ready(&session).await;
    let plan = session.plans().await.expect("a plan").remove(0).plan;

    let url = server().url(database);
    let start = Arc::new(Barrier::new(HOSTS));
    let hosts = (0..HOSTS).map(|host| {
        let (url, who, start) = (url.clone(), who.clone(), Arc::clone(&start));
        let mut call = Call::new(CallKind::Event("approve".into()));
        call.token = ShownToken::Current;
        call.expect_revision = expect_revision.then_some(plan.revision);
        tokio::spawn(async move {
            let sessions = Sessions::new(Arc::new(connected(&url).await), machines());
            let session = sessions.session(&who);
            // All hosts have seen the plan before any of them approves it.
            assert_eq!(session.plans().await.expect("a plan").len(), 1);
            let started = timeout(LIMIT, start.wait()).await;
            started.expect("all hosts start");
            let around = by(&format!("host {host}"));
            let done = session.send("WorkByPlan", &call, &around).await;
            done.expect("an answer").answer
        })
    });
    let mut outcomes = Vec::new();
    for host in hosts.collect::<Vec<_>>() {
        outcomes.push(host.await.expect("a host"));
    }
    (session, outcomes)
}

fn check(outcomes: &[Outcome], kind: DenialKind) {
    let taken = |outcome: &&Outcome| matches!(outcome, Outcome::Accepted(_));
    assert_eq!(outcomes.iter().filter(taken).count(), 1, "{outcomes:?}");
    let lost = outcomes.iter().filter_map(denied);
    assert_eq!(lost.collect::<Vec<_>>(), [kind; HOSTS - 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn only_one_of_sixteen_hosts_that_approve_a_plan_succeeds() {
    let (session, outcomes) = approved_by_many("approvals", false).await;
    check(&outcomes, DenialKind::NotAllowed);
    assert_eq!(session.seq().await, Ok(3));
    is_whole(&session).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_approval_of_an_outdated_revision_is_stale() {
    let (session, outcomes) = approved_by_many("approvals_of_a_revision", true).await;
    check(&outcomes, DenialKind::Stale);
    let approvals = session.audit(0, 10).await.expect("a history");
    assert_eq!(approvals.len(), 3);
    is_whole(&session).await;
}
