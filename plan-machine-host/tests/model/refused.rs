//! Invalid scripts.

use plan_machine_host::model::script::Script;

#[test]
fn what_is_wrong_with_a_script_is_reported_with_its_line() {
    for (yaml, why) in [
        ("", "demo: a script needs at least one turn"),
        (
            "- user: a\n  model: [text: x]\n  modle: 1\n",
            "unknown field `modle`",
        ),
        (
            "- user: a\n  model:\n    - text: x\n      tools: []\n",
            "line 4",
        ),
        ("- user: a\n", "line 1: a turn needs `user` and `model`"),
        (
            "- user: a\n  contains: b\n  model: [text: x]\n",
            "line 1: a turn needs `user`",
        ),
        (
            "- user: ' '\n  model: [text: x]\n",
            "line 1: `user` and `contains` must not be blank",
        ),
        (
            "- contains: ''\n  model: [text: x]\n",
            "line 1: `user` and `contains` must not be blank",
        ),
        (
            "- user: a\n  model: []\n",
            "line 1: a turn needs at least one response",
        ),
        (
            "- user: a\n  model:\n    - calls: []\n",
            "line 3: a response needs",
        ),
        (
            "- user: a\n  model:\n    - calls:\n        - a: 1\n",
            "line 4: expected a mapping of arguments",
        ),
        (
            "- user: a\n  model:\n    - calls:\n        - {a: {}, b: {}}\n",
            "line 4: expected a call",
        ),
        (
            "- user: a\n  model:\n    - calls:\n        - {a: {b: 1, b: 2}}\n",
            "line 4",
        ),
        (
            "- default: [text: x]\n- default: [text: y]\n",
            "at most one `default`",
        ),
        ("- user: a\n  model: [text: x\n", "line"),
        ("user: a\n", "line 1"),
        ("- user: [a]\n  model: [text: x]\n", "line 1"),
        ("\u{0}", "demo: "),
    ] {
        let told = Script::read("demo", yaml).expect_err(yaml).to_string();
        assert!(
            told.starts_with("demo: ") && told.contains(why),
            "{yaml}: {told}"
        );
        assert!(!told.contains('\n'), "{told}");
    }
}
