use plan_machine_kernel::json::Json;

use super::*;
use crate::ancestors::Process;
use crate::project::StateFolder;

struct Place {
    key: HandleKey,
    _folder: tempfile::TempDir,
}

fn place() -> Place {
    let folder = tempfile::tempdir().expect("a folder");
    Place {
        key: HandleKey::of(&StateFolder::at(folder.path())).expect("a key"),
        _folder: folder,
    }
}

/// Returns the ancestry of a process below these programs, the nearest first.
pub(in crate::mcp) fn below(programs: &[&str]) -> Ancestry {
    let process = |program: &&str| Process {
        name: (*program).to_owned(),
        args: vec![(*program).to_owned()],
        ..Process::default()
    };
    Ancestry {
        processes: programs.iter().map(process).collect(),
        variables: Vec::new(),
    }
}

fn callers(place: &Place, programs: &[&str], claude: Option<&str>) -> Callers {
    let variable = |name: &str| claude.filter(|_| name == CLAUDE).map(str::to_owned);
    Callers::new(place.key.clone(), None, &below(programs), variable).expect("callers")
}

fn sealed(session: &str) -> SessionHandle {
    SessionHandle {
        session: session.parse().expect("an identity"),
        call_id: Some("call-1".to_owned()),
        actor: "codex/a1".to_owned(),
    }
}

#[test]
fn the_sealed_handle_decides_and_is_removed() {
    let place = place();
    let callers = callers(&place, &["claude"], Some("other"));
    let handle = sealed("codex:talk-0001");
    let mut args = Object::new();
    args.push(HANDLE, place.key.seal(&handle));
    args.push("text", "x");
    let mut meta = MetaObject::default();
    meta.insert(GOOSE.to_owned(), "goose-0001".into());
    let caller = callers.of(&mut args, &meta, "c", true).expect("a caller");
    assert_eq!(caller, known(handle));
    assert_eq!(Json::from(args).to_string(), r#"{"text":"x"}"#);
}

#[test]
fn a_forged_handle_is_never_replaced_by_another_session() {
    let place = place();
    let callers = callers(&place, &["claude"], Some("talk-0001"));
    for forged in [
        Json::from("codex:talk-0001"),
        Json::from(""),
        Json::from(7_i64),
    ] {
        let mut args = Object::new();
        args.push(HANDLE, forged);
        let found = callers.of(&mut args, &MetaObject::default(), "c", true);
        assert!(matches!(found, Err(GateError::Handle)), "{found:?}");
    }
}

#[test]
fn agents_that_tell_the_conversation_need_no_handle() {
    let place = place();
    let of = |callers: &Callers, meta: &MetaObject| {
        let caller = callers.of(&mut Object::new(), meta, "c", false);
        caller.map(|caller| caller.handle.session.to_string())
    };
    let none = MetaObject::default();
    let claude = callers(&place, &["node", "claude"], Some("talk-0001"));
    assert_eq!(
        of(&claude, &none).expect("a session"),
        "claude-code:talk-0001"
    );
    let mut meta = MetaObject::default();
    meta.insert(GOOSE.to_owned(), "goose-0001".into());
    let goose = callers(&place, &["goose"], None);
    assert_eq!(of(&goose, &meta).expect("a session"), "goose:goose-0001");
}

#[test]
fn a_variable_that_was_inherited_from_another_agent_does_not_count() {
    let place = place();
    let callers = callers(&place, &["codex", "bash", "claude"], Some("talk-0001"));
    let found = callers.of(&mut Object::new(), &MetaObject::default(), "c", true);
    let error = found.expect_err("no session").to_string();
    assert!(error.contains("Codex's hook has not run"), "{error}");
}

#[test]
fn an_agent_whose_hook_adds_no_handle_is_asked_for_the_conversation() {
    let place = place();
    let callers = callers(&place, &["goose"], None);
    let found = callers.of(&mut Object::new(), &MetaObject::default(), "c", true);
    let error = found.expect_err("no session").to_string();
    assert!(error.starts_with("Goose did not say"), "{error}");
    assert!(error.contains("`agent-session-id`"), "{error}");
    assert!(!error.contains("hook"), "{error}");
}

#[test]
fn a_client_that_is_not_an_agent_gets_a_handle_from_plan_status_only() {
    let place = place();
    let callers = callers(&place, &["python3", "bash"], None);
    let none = MetaObject::default();
    let found = callers.of(&mut Object::new(), &none, "inspector", false);
    let error = found.expect_err("no session").to_string();
    assert!(error.contains("call `plan_status` first"), "{error}");
    let minted = callers
        .of(&mut Object::new(), &none, "inspector", true)
        .expect("a session");
    let mut args = Object::new();
    args.push(HANDLE, minted.minted.clone().expect("a handle"));
    let again = callers
        .of(&mut args, &none, "inspector", false)
        .expect("a session");
    assert_eq!(again.handle, minted.handle);
    assert_eq!(again.handle.actor, "mcp/inspector");
}

#[test]
fn a_command_of_an_agent_is_not_its_server() {
    assert_eq!(run_as_command(&below(&["bash", "login"])), None);
    assert_eq!(run_as_command(&below(&["codex", "bash"])), None);
    for chain in [&["bash", "codex"][..], &["python3", "bash", "claude"]] {
        assert!(run_as_command(&below(chain)).is_some(), "{chain:?}");
    }
}

#[test]
fn a_handle_of_another_conversation_is_refused_where_the_agent_tells_the_conversation() {
    let place = place();
    let callers = callers(&place, &["goose"], None);
    let mut meta = MetaObject::default();
    meta.insert(GOOSE.to_owned(), "goose-0001".into());
    for (session, is_accepted) in [("goose:goose-0001", true), ("goose:goose-0002", false)] {
        let handle = SessionHandle {
            call_id: None,
            ..sealed(session)
        };
        let mut args = Object::new();
        args.push(HANDLE, place.key.seal(&handle));
        let found = callers.of(&mut args, &meta, "goose", false);
        assert_eq!(found.is_ok(), is_accepted, "{session}");
    }
}
