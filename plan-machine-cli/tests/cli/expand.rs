//! Tests of `plan-machine expand`, which prints the generated Rust code.

use std::fs;

use plan_machine_kernel::visible::is_unseen;

use super::{fresh, plan_machine};

const SPEC: &str = r#"
machine: Note
doc: "Red \e[31m and \u202Eturned."
commands: { begin: /note, end: /done }
states:
  none: { on: { begin: { to: OPEN, reply: "x\e[2Jy\u202Ez" } } }
  OPEN: { doc: "Open \u200B.", on: { end: { to: CLOSED, next: none } } }
  CLOSED: { final: true }
"#;

const SCOPES: &str = r#"
scopes: Memory
doc: "Kept \e[31m and \u202Eturned."
identity: { chat: string }
levels:
  l0: { key: "l0:{chat}", doc: "Level \e[2J." }
runs:
  RUN: { reads: [l0] }
"#;

const CALLS: &str = r#"
calls: Agent
doc: "Classes \e[31m and \u202Eturned."
classes: [reads, writes]
rules:
  - { tool: Read, class: reads }
otherwise: writes
"#;

const SESSION: &str = r#"
session: Desk
doc: "Together \e[31m and \u202Eturned."
machines: { note: note.yaml }
calls: agent.yaml
"#;

#[test]
fn what_a_spec_says_does_not_steer_a_terminal_by_the_generated_code() {
    let folder = fresh("expand-unseen");
    for (file, text) in [
        ("note.yaml", SPEC),
        ("memory.yaml", SCOPES),
        ("agent.yaml", CALLS),
        ("desk.yaml", SESSION),
    ] {
        fs::write(folder.join(file), text).expect("written");
        let output = plan_machine(&folder, &format!("expand {file}")).output();
        let output = output.expect("the command starts");
        let code = String::from_utf8(output.stdout).expect("it prints UTF-8");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{file}: {told}");
        let hides = |letter: char| letter != '\n' && is_unseen(letter);
        let hidden = code.lines().find(|line| line.contains(hides));
        assert_eq!(hidden, None, "{file}");
        assert!(code.contains("\\u{1b}[31m and \\u{202e}turned."), "{file}");
        syn::parse_file(&code).expect("it is still Rust");
    }
}
