//! A name that looks like the name of a tool does not refer to that tool.

use plan_machine::gate::{Decision, EventContext, Gate, ToolCall};
use plan_machine::{DenialKind, Object};

plan_machine::machine!("corpus/valid/plan_mode.yaml");

/// The names of host tools and of the machine's own tools.
const NAMES: [&str; 5] = [
    "shell",
    "read_file",
    "write_file",
    "plan_finalize",
    "plan_on",
];

/// Pairs of different letters that look the same.
const DRAWN_ALIKE: [(char, char); 12] = [
    ('a', 'а'),
    ('e', 'е'),
    ('i', 'і'),
    ('l', 'ӏ'),
    ('n', 'ո'),
    ('o', 'ο'),
    ('p', 'р'),
    ('s', 'ѕ'),
    ('h', 'һ'),
    ('w', 'ԝ'),
    ('_', '＿'),
    ('f', 'ｆ'),
];

/// Characters that people cannot see.
const UNSEEN: [char; 14] = [
    '\0',
    '\u{ad}',
    '\u{34f}',
    '\u{115f}',
    '\u{180e}',
    '\u{200b}',
    '\u{200d}',
    '\u{202e}',
    '\u{2060}',
    '\u{2800}',
    '\u{3164}',
    '\u{fe0f}',
    '\u{feff}',
    '\u{e0073}',
];

fn capitalised(name: &str) -> String {
    let (first, rest) = name.split_at(1);
    format!("{}{rest}", first.to_uppercase())
}

/// Returns names that a person or a careless comparison would mistake for this one.
fn alike(name: &str) -> Vec<String> {
    let mut alike = vec![
        name.to_uppercase(),
        capitalised(name),
        name.replace('_', "-"),
        name.replace('_', "__"),
        name.replace('_', ""),
        name.replace('_', " "),
    ];
    for around in [
        ("", " "),
        (" ", ""),
        ("", "\t"),
        ("", "\n"),
        ("\r\n", ""),
        ("\u{a0}", ""),
        ("", "\u{3000}"),
        ("", "()"),
        ("", "."),
        ("", "/"),
        ("./", ""),
        ("../", ""),
        ("/", ""),
        ("\"", "\""),
        ("`", "`"),
        ("functions.", ""),
        ("mcp__host__", ""),
        ("", "{}"),
        ("", ":0"),
        ("", "%00"),
        ("", "\u{301}"),
    ] {
        alike.push(format!("{}{name}{}", around.0, around.1));
    }
    for unseen in UNSEEN {
        let (left, right) = name.split_at(2);
        alike.push(format!("{left}{unseen}{right}"));
    }
    for (letter, other) in DRAWN_ALIKE {
        alike.push(name.replacen(letter, &other.to_string(), 1));
    }
    alike.retain(|other| other != name);
    alike
}

#[test]
fn a_tool_whose_name_looks_like_anothers_is_unknown() {
    let around = EventContext::default();
    let host = ["shell", "read_file", "write_file"];
    let assembly = host.iter().fold(Gate::builder(), |assembly, name| {
        assembly.host_tool(name, "A host tool.", Object::new())
    });
    let assembly = assembly.with(plan_mode::Machine);
    let mut gate = assembly.open().expect("a session");
    let mut tried = 0;
    for line in ["", "/plan on"] {
        if !line.is_empty() {
            gate.command(line, &around).expect("a command");
        }
        for name in NAMES.iter().flat_map(|name| alike(name)) {
            tried += 1;
            let call = ToolCall::new(name.as_str(), Object::new());
            let decided = gate.decide(&[call], &around).remove(0);
            let Decision::Denied(denial) = decided else {
                panic!("{name:?} was taken for a tool: {decided:?}");
            };
            assert_eq!(denial.kind, DenialKind::UnknownTool, "{name:?}");
        }
    }
    assert!(tried > 400, "{tried}");
    println!("{tried} calls with names that look like the name of a tool: none ran");
}
