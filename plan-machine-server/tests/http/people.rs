//! Several people: each of them signs in and decides under their own name.

use crate::bench::{Bench, HOST, OTHER_PERSON, READER, Setup, called, ready_plan, typed};
use crate::client::{Answer, page_headers};

const TALK: &str = "/api/sessions/codex:first-talk";

/// Returns an approval of the first card of a session.
fn approval(view: &Answer) -> String {
    let (machine, plan) = (view.text("cards.0.machine"), view.text("cards.0.plan"));
    let token = view.text("cards.0.token");
    format!(r#"{{"decision":"approve","machine":"{machine}","plan":"{plan}","token":"{token}"}}"#)
}

#[tokio::test]
async fn a_person_with_a_token_signs_a_browser_in_under_their_own_name() {
    let bench = Bench::new().await;
    let session = bench.session("codex:first-talk");
    ready_plan(&session, "make").await;
    bench.post_as(READER, "/api/link", "{}").await.expect(403);
    bench.post_as(HOST, "/api/link", "{}").await.expect(403);
    let answer = bench.post_as(OTHER_PERSON, "/api/link", "{}").await;
    let answer = answer.expect(200);
    assert_eq!(answer.text("actor"), "ben");
    let link = answer.text("link");
    let path = link.split_once(&bench.host()).expect("a link").1;
    let opened = bench.raw("GET", path, "", None).await.expect(200);
    bench.raw("GET", path, "", None).await.expect(401);
    // The link on the terminal was not used, so the terminal does not show another one.
    assert!(bench.links.lock().expect("links").is_empty());

    let headers = page_headers(&opened);
    let me = bench.raw("GET", "/api/me", &headers, None).await;
    let me = me.expect(200);
    assert_eq!(
        (me.text("actor"), me.text("role")),
        ("ben".to_owned(), "person".to_owned())
    );
    let view = bench.raw("GET", TALK, &headers, None).await.expect(200);
    let headers = format!("{headers}Origin: http://{}\r\n", bench.host());
    // A browser cannot extend its own time.
    let again = bench.raw("POST", "/api/link", &headers, Some("{}")).await;
    again.expect(403);
    let path = format!("{TALK}/decision");
    let body = approval(&view);
    let decided = bench.raw("POST", &path, &headers, Some(&body)).await;
    decided.expect(200);
    let audit = session.audit(0, 100).await.expect("an audit log");
    let last = audit.last().expect("a line");
    assert_eq!(
        (last.actor.as_deref(), last.event.as_str()),
        (Some("ben"), "approve")
    );
    bench.stop().await;
}

#[tokio::test]
async fn a_decision_that_comes_too_late_is_answered_with_who_has_decided() {
    let bench = Bench::new().await;
    ready_plan(&bench.session("codex:first-talk"), "make").await;
    let body = approval(&bench.get(TALK).await.expect(200));
    let path = format!("{TALK}/decision");
    let first = bench.post_as(OTHER_PERSON, &path, &body).await;
    first.expect(200);
    let late = bench.post(&path, &body).await.expect(409);
    assert_eq!(late.text("type"), "urn:plan-machine:stale");
    let detail = late.text("detail");
    assert!(
        detail.ends_with("ben has approved it, and it is in the state EXECUTING."),
        "{detail}"
    );
    bench.stop().await;
}

/// An approved plan that can wait for another approval of the same content.
const REOPENED: &str = r#"
machine: Reopened
review: [text]
data: { text: string? }
commands:
  begin: /plan on
  approve: { text: "/plan approve {token?}", reviewed: true }
  reopen: /plan reopen
  cancel: /plan cancel
tools:
  write: { doc: Keep a text., input: { text: string } }
states:
  none: { other_tools: deny, on: { begin: READY } }
  READY:
    other_tools: deny
    on: { write: { set: { text: event.text } }, approve: WORKING, cancel: { to: ENDED, next: none } }
  WORKING: { other_tools: deny, on: { reopen: READY } }
  ENDED: { final: true }
"#;

#[tokio::test]
async fn an_earlier_decision_is_not_named_as_the_one_that_came_first() {
    let bench = Bench::with(Setup {
        document: "session: Test\nmachines: { work: machine.yaml }\n",
        machine: REOPENED,
        ..Setup::default()
    })
    .await;
    let session = bench.session("codex:first-talk");
    typed(&session, "/plan on").await;
    called(&session, "write", &[("text", "Do it.")]).await;
    let body = approval(&bench.get(TALK).await.expect(200));
    let path = format!("{TALK}/decision");
    let first = bench.post_as(OTHER_PERSON, &path, &body).await;
    first.expect(200);
    typed(&session, "/plan reopen").await;
    typed(&session, "/plan cancel").await;
    let late = bench.post(&path, &body).await.expect(409);
    let detail = late.text("detail");
    assert!(detail.contains("no longer needs"), "{detail}");
    assert!(!detail.contains("ben"), "{detail}");
    bench.stop().await;
}
