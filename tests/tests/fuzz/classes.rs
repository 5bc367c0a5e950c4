//! Calls that are classified: shell commands, paths, patches and other arguments from models.

use std::sync::LazyLock;
use std::time::Duration;

use plan_machine_calls::{Class, Classifier, FlagsTable, Project};
use plan_machine_compiler::compile_calls;
use plan_machine_compiler::source::SourceMap;
use plan_machine_kernel::json::{Json, Object};
use plan_machine_tests::fuzz::{Target, shape, signature, within};
use plan_machine_tests::root;

use crate::text;

static CLASSIFIER: LazyLock<Classifier> = LazyLock::new(|| {
    let path = root().join("specs/calls/claude_code.yaml");
    let mut sources = SourceMap::default();
    let document = std::fs::read_to_string(path).expect("a shipped document");
    let file = sources.add("claude_code.yaml", document);
    let calls = compile_calls(&sources, file)
        .calls
        .expect("a valid document");
    let project = Project::new("/nonexistent/project");
    Classifier::new(calls.document.clone(), FlagsTable::built_in(), project)
});

/// The maximum processor time for the classification of a call. Usually, it takes less than a thousandth of this time.
const MOST_TIME: Duration = Duration::from_secs(5);

/// Words that cannot be the name of a program in a command of the class `reads`.
const WRITERS: [&str; 8] = ["rm", "touch", "tee", "sh", "bash", "eval", "xargs", "mv"];

/// Returns whether a text has a line that starts with a program that writes.
fn starts_a_writer(command: &str) -> bool {
    let mut lines = command.lines().map(str::trim_start);
    lines.any(|line| {
        let word = line.split([' ', '\t', ';', '|', '&']).next();
        word.is_some_and(|word| WRITERS.contains(&word))
    })
}

#[test]
fn a_command_of_a_model_has_a_class() {
    let documents = [
        "cd src && rg -n 'fn main' --type rust 2>/dev/null | head -20",
        "git status; git --no-pager log --oneline -5 -- src",
        "find . -name '*.rs' -not -path './target/*' | wc -l",
        "sed -n '1,5p' a && cat < b >/dev/null 2>&1",
        "rm -rf .claude && echo x > \"$HOME/.codex/config.toml\" <<'END'\nx\nEND",
    ];
    let target = Target {
        name: "command",
        documents: documents.map(str::to_owned).to_vec(),
        words: &[
            "ls ",
            "cat ",
            "git diff ",
            "rg ",
            "sort ",
            "sed -n ",
            "find . ",
            "cd ",
            "rm x",
            "; ",
            " && ",
            " || ",
            " | ",
            "\n",
            " & ",
            "$(",
            ")",
            "`",
            "$x",
            "${x}",
            "{a,b}",
            "> x",
            ">> x",
            "> /dev/null",
            "2>&1",
            "< x",
            "<<E\n",
            "<(",
            "'",
            "\"",
            "\\",
            "\\\n",
            "*",
            "~",
            "=x",
            "#",
            "!",
            "--output=x",
            "--pre=x",
            "-delete",
            "-o x",
            "eval ",
            "if ",
            "[ -f a ]",
            "command -v ",
            "@{u}",
            "$'\\x73",
            ".claude/",
        ],
        longest: 2_000,
    };
    target.run_within(MOST_TIME, |input| {
        let command = text(input);
        let with: Object = [("command", command.as_ref())].into_iter().collect();
        let found = CLASSIFIER.classify("Bash", &Json::from(with));
        let shown = found.why.clone().unwrap_or_default();
        assert!(shown.len() < 2_000, "{shown}");
        if found.class == Class::Declared(0) {
            assert!(found.rule.is_some());
            // Quotes may span lines, so only a text without them is compared.
            let is_plain = !command.contains(['\'', '"', '\\']);
            assert!(!is_plain || !starts_a_writer(&command), "{command}");
        }
        signature(&[format!("{:?}", found.class), shape(&shown)])
    });
}

/// The maximum processor time for the classification of a huge command. Without optimization, linear work takes a few
/// seconds; work that grows with the square of the length takes minutes.
const MOST_TIME_OF_A_HUGE_COMMAND: Duration = Duration::from_secs(60);

#[test]
fn the_work_for_a_huge_command_is_bounded() {
    // The guard inspects each simple command and each word.
    let many = [
        "ls;",
        "rm a*b ",
        "sh -c ",
        "\"$(a) ",
        "ls | xargs rm; ",
        "for f in a b; do cp a $f; ",
        "f=a$f; cp x $f; ",
    ];
    let few = ["(", "$(", "'", "\"", "a=", "<<x ", "`", "../", "*/"];
    let many = many.map(|part| part.repeat(128 * 1024 / part.len()));
    let few = few.map(|part| part.repeat(4 * 1024 * 1024 / part.len()));
    for command in many.iter().chain(&few) {
        let with: Object = [("command", command.as_str())].into_iter().collect();
        let arguments = Json::from(with);
        let found = within(MOST_TIME_OF_A_HUGE_COMMAND, || {
            CLASSIFIER.classify("Bash", &arguments)
        });
        assert_ne!(found.class, Class::Declared(0), "{}", &command[..20]);
        let shown = found.why.unwrap_or_default();
        assert!(shown.len() < 2_000, "{shown}");
    }
}

#[test]
fn any_arguments_of_a_tool_have_a_class() {
    let documents = [
        "Write\n{\"file_path\":\"plans/../src/x\",\"content\":\"x\"}",
        "Edit\n{\"file_path\":[\"plans/a\",\"/etc/x\"]}",
        "apply_patch\n{\"patch\":\"*** Begin Patch\\n*** Add File: plans/a\\n*** End Patch\"}",
        "Bash\n{\"command\":[\"bash\",\"-lc\",\"ls\"],\"timeout\":5}",
        "mcp__x__put\n{\"edits\":[{\"uri\":\"file:///a/%2E\",\"cwd\":\"$HOME/${x}\"}],\"json\":\"[1]\"}",
    ];
    let target = Target {
        name: "arguments",
        documents: documents.map(str::to_owned).to_vec(),
        words: &[
            "file_path",
            "command",
            "path",
            "patch",
            "..",
            "/",
            "\\\\",
            "~",
            "plans",
            ".claude/settings.json",
            "*** Add File: ",
            "[",
            "{",
            "null",
            "Read\n",
            "Bash\n",
        ],
        longest: 2_000,
    };
    target.run_within(MOST_TIME, |input| {
        let input = text(input);
        let (tool, arguments) = input.split_once('\n').unwrap_or((&input, "{}"));
        let arguments = Json::parse(arguments).unwrap_or_default();
        let found = CLASSIFIER.classify(tool, &arguments);
        let shown = found.why.clone().unwrap_or_default();
        assert!(shown.len() < 2_000, "{shown}");
        signature(&[format!("{:?}", found.class), shape(&shown)])
    });
}
