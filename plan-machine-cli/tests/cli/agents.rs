//! Tests that agents in a gated project can neither run the commands for people nor change the store.

use std::os::unix::fs::symlink;
use std::path::Path;

use super::gated::{Gated, refuses_an_agent, shown};

#[test]
fn the_commands_that_change_something_refuse_to_work_under_an_agent() {
    let gated = Gated::new("agents_refused");
    let program = Path::new(env!("CARGO_BIN_EXE_plan-machine"));
    let session = "claude-code:talk-0001";
    let run = "run .plan-machine/work.yaml --store";
    let lines = [
        "trust --yes".to_owned(),
        "approve 1-02c18244".to_owned(),
        "reject 1-02c18244".to_owned(),
        "command .plan on".to_owned(),
        "init --agent codex --yes".to_owned(),
        "init --agent codex --remove --yes".to_owned(),
        "serve --listen 127.0.0.1:0".to_owned(),
        format!("{run} sqlite:{}", gated.store().display()),
        format!("{run} postgres://localhost/plans"),
        format!("{run} postgresql://localhost/plans"),
        format!("log delete {session} --yes"),
        format!("log end {session} plan-1 --why x"),
        format!("log restart {session} --why x"),
        "log salvage new.db".to_owned(),
        format!(
            "log --store sqlite:none.db salvage {}",
            gated.store().display()
        ),
        format!("log --store postgres://localhost/plans delete {session} --yes"),
    ];
    for line in &lines {
        let (status, text) = gated.by_agent(line, "");
        assert!(
            status == 2 && text.contains("is for people"),
            "{line}: {text}"
        );
        // A shell that was started under the name of an agent counts as an agent.
        let agent = gated.folder.join("codex");
        let _ = symlink("/bin/sh", &agent);
        let mut child = gated.command(&agent, "");
        let (status, text) = shown(
            child
                .arg("-c")
                .arg(format!("{} {line}; exit $?", program.display())),
            "",
        );
        assert!(status == 2 && text.contains("is Codex"), "{line}: {text}");
    }
    for made in [".codex", "new.db", "none.db"] {
        assert!(!gated.project().join(made).exists(), "{made} was made");
    }
    assert!(!gated.store().exists(), "a store was created");
    assert_eq!(gated.write("c1").0, 2);
}

#[test]
fn an_agent_cannot_change_the_store_of_a_gated_project_but_can_read_it_and_use_others() {
    let gated = Gated::new("agents_stores");
    if refuses_an_agent(&gated) {
        return;
    }
    gated.run("trust --yes", "");
    gated.prompt("p1", ".plan on");
    let run = |store: &str, event: &str| {
        let line = format!("run .plan-machine/work.yaml --store sqlite:{store}");
        let line = format!("{line} --session claude-code:talk-0001");
        gated.by_agent(&line, &format!(r#"{{"do":"{event}"}}"#))
    };
    let link = gated.project().join("link.db");
    symlink(gated.store(), link).expect("a link");
    let relative = gated.store();
    let relative = relative.strip_prefix(&gated.folder).expect("below it");
    for store in ["link.db", &format!("../{}", relative.display())] {
        let (status, text) = run(store, "/plan off");
        assert!(status == 2 && text.contains("is for people"), "{text}");
    }
    let (status, text) = gated.by_agent("log show claude-code:talk-0001", "");
    assert!(status == 0 && text.contains("plan_on"), "{text}");
    assert!(!text.contains("plan_off"), "{text}");
    let verify = "log verify --all .plan-machine/session.yaml";
    for line in ["log", "log export --all", verify] {
        let (status, text) = gated.by_agent(line, "");
        assert_eq!(status, 0, "{line}: {text}");
    }
    // Agents may use other stores, so that they can try out the specs that they write.
    let (status, text) = run("own.db", "/plan on");
    assert!(status == 0 && text.contains("DRAFTING"), "{text}");
    let delete = "log --store sqlite:own.db delete claude-code:talk-0001 --yes";
    let (status, text) = gated.by_agent(delete, "");
    assert!(status == 0 && text.contains("deleted"), "{text}");
}
