//! Invalid scripts.

use plan_machine_host::model::script::Script;

#[test]
fn what_is_wrong_with_a_script_is_reported_with_its_line() {
    for (yaml, why) in [
        ("", "demo: the script has no turns"),
        (
            "- user: a\n  model: [text: x]\n  modle: 1\n",
            "unknown field `modle`",
        ),
        (
            "- user: a\n  model:\n    - text: x\n      tools: []\n",
            "line 4",
        ),
        ("- user: a\n", "line 1: the turn has the wrong keys"),
        (
            "- user: a\n  contains: b\n  model: [text: x]\n",
            "line 1: the turn has the wrong keys",
        ),
        (
            "- user: ' '\n  model: [text: x]\n",
            "line 1: `user` or `contains` is blank",
        ),
        (
            "- contains: ''\n  model: [text: x]\n",
            "line 1: `user` or `contains` is blank",
        ),
        (
            "- user: a\n  model: []\n",
            "line 1: the turn has no responses",
        ),
        (
            "- user: a\n  model:\n    - calls: []\n",
            "line 3: the response is empty",
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
            "found several turns with `default`",
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
