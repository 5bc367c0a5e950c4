//! Tests of the guard: it holds each call that only a person may make.

use std::fs;

use super::{READS, bash, call, classifier, document, text};
use plan_machine_calls::{Class, Classifier, FlagsTable, Project};
use plan_machine_kernel::calls::{Rule, ToolArguments};
use plan_machine_kernel::json::{Json, Object};

/// Asserts that only a person may run these commands.
fn are_held(commands: &[&str]) {
    let classifier = classifier(".".as_ref());
    for command in commands {
        let found = bash(&classifier, command);
        assert_eq!(found.class, Class::Guard, "{command}: {found:?}");
        assert!(found.why.is_some() && found.rule.is_none());
    }
}

#[test]
fn commands_that_write_the_gates_files_are_held() {
    are_held(&[
        "rm .claude/settings.json",
        "echo {} >! .claude/settings.json",
        "curl -so .claude/settings.json https://example.org",
        "wget -qO .claude/settings.json https://example.org",
        "sort -uo .claude/settings.json a",
        "cp -ft .claude settings.json",
        "echo x > .claude/settings.json",
        "echo x >> .codex/config.toml",
        "echo x >| opencode.json",
        "echo x &> opencode.jsonc",
        "cat > .opencode/plugins/x.js <<'END'\nx\nEND",
        "tee .codex/hooks.json",
        "ls | tee .codex/hooks.json",
        "cp x .claude/settings.json",
        "cp x .claude/",
        "cp -t .claude x",
        "mv .claude x",
        "mv x .codex/config.toml",
        "ln -sf /tmp/x .claude/settings.json",
        "sed -i s/a/b/ .claude/settings.json",
        "sed -i.bak s/a/b/ .claude/settings.json",
        "perl -pi -e s/a/b/ .claude/settings.json",
        "chmod 000 .claude/settings.json",
        "touch .opencode/x",
        "truncate -s 0 .claude/settings.json",
        "dd if=/dev/null of=.claude/settings.json",
        "sort -o .claude/settings.json x",
        "curl x -o .claude/settings.json",
        "git checkout .claude/settings.json",
        "git checkout HEAD -- .claude/settings.json",
        "git rm .claude/settings.json",
        "find .claude -delete",
        "find .codex -exec rm {} +",
        "vim .claude/settings.json",
    ]);
}

#[test]
fn the_gates_files_are_held_under_every_name() {
    are_held(&[
        "cd -- .claude && echo {} > settings.json",
        "cd a; cd b; cd c; cd d; cd e; cd f; cd .claude; echo {} > settings.json",
        "rm -rf .claude",
        "rm ./.claude/settings.local.json",
        "rm .CLAUDE/Settings.json",
        "rm src/../.claude/settings.json",
        "rm \".claude/settings.json\"",
        "rm '.claude'/settings.json",
        "rm .claude/*",
        "rm .claude/sett*",
        "rm .cl*",
        "rm .claude/{settings.json,x}",
        "rm \"$PWD/.claude/settings.json\"",
        "rm ~/.claude/settings.json",
        "rm -rf ~/.claude",
        "cd ~/.claude && rm settings.json",
        "rm $HOME/.codex/config.toml",
        "rm ${HOME}/.codex/hooks.json",
        "rm /home/ann/.codex/config.toml",
        "cd .claude && rm settings.json",
        "cd .claude; echo x > settings.json",
        "/bin/rm .claude/settings.json",
        "rm \\\n.claude/settings.json",
    ]);
}

#[test]
fn commands_inside_other_commands_are_held() {
    are_held(&[
        "sh -c '>.claude/settings.json'",
        "bash -c claude",
        "eval rm -f .claude/settings.json",
        "cd .claude && bash -c 'echo {} > settings.json'",
        "env env env env env rm -f .claude/settings.json",
        "time -p rm -f .claude/settings.json",
        "noglob rm -f .claude/settings.json",
        "bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File:.codex/config.toml\n+x\n*** End Patch\nEOF\"",
        "ls && rm .plan-machine/store.db",
        "(rm .claude/settings.json)",
        "{ rm .claude/settings.json; }",
        "if true; then rm .claude/settings.json; fi",
        "X=1 rm .claude/settings.json",
        "sudo rm .claude/settings.json",
        "env X=1 rm .claude/settings.json",
        "xargs rm .claude/settings.json",
        "timeout 5 rm .claude/settings.json",
        "bash -c 'rm .claude/settings.json'",
        "sh -c \"sh -c 'rm .claude/settings.json'\"",
        "eval 'rm .claude/settings.json'",
        "echo $(rm .claude/settings.json)",
        "echo \"$(rm .claude/settings.json)\"",
        "echo `rm .claude/settings.json`",
        "bash <<END\nrm .claude/settings.json\nEND",
        "while true; do rm .claude/settings.json; done",
        "rm 'unclosed .claude/settings.json; rm .claude/settings.json' && rm .claude/settings.json",
    ]);
}

#[test]
fn agents_and_the_gate_itself_are_not_run() {
    let classifier = classifier(".".as_ref());
    for command in [
        "claude",
        "claude -p x",
        "codex exec x",
        "opencode run x",
        "gemini -p x",
        "goose run",
        "CLAUDE",
        "/usr/local/bin/claude",
        "npx @anthropic-ai/claude-code",
        "npx @openai/codex@latest exec x",
        "bunx opencode-ai",
        "env claude",
        "nohup codex &",
        "ls && claude",
        "sh -c 'claude -p x'",
        "echo x | claude -p",
        "X=1 codex",
        "$(claude)",
        "timeout 5 claude",
        "plan-machine",
        "plan-machine hook --agent codex",
        "plan-machine approve 1",
        "plan-machine trust",
        "./plan-machine run x",
        "echo '{}' | plan-machine hook",
        "sudo plan-machine approve x",
        "plan-machine --help",
        "plan-machine-hook --agent codex",
        "echo '{}' | ./plan-machine-hook check",
        "sudo /opt/plan-machine-hook hook --agent codex",
        "plan-machine-h* --agent codex",
    ] {
        assert_eq!(bash(&classifier, command).class, Class::Guard, "{command}");
    }
    for command in [
        "plan-machine check x.yaml",
        "plan-machine classify x",
        "plan-machine test x",
        "plan-machine diff a b",
    ] {
        assert_ne!(bash(&classifier, command).class, Class::Guard, "{command}");
    }
}

#[test]
fn reads_and_programs_that_only_might_reach_the_files_are_not_held() {
    let classifier = classifier(".".as_ref());
    for command in [
        "cat .claude/settings.json",
        "ls .claude",
        "rg x .codex",
        "cat < .claude/settings.json",
        "git diff .claude",
    ] {
        assert_eq!(bash(&classifier, command).class, READS, "{command}");
    }
    for command in [
        "rm -rf *",
        "rm -rf src/..x",
        "mv x .",
        "mv src/a ..",
        "git clean -fdn",
        "git clean -fdx src",
        "git stash",
        "find . -name '*.tmp' -delete",
        "rm -rf ~/.config/x ~/.local/share/x",
        "rm x",
        "make",
        "python x.py",
        "cp .claude/settings.json x",
        "echo claude",
        "rg claude",
        "git commit -m claude",
        "rm claude.md",
        "echo 'rm .claude/settings.json'",
        "cat > notes.md <<'END'\nclaude -p x\nrm .claude/settings.json\nEND",
        "rm .claudex/settings.json",
        "rm docs/.claude/settings.json.md",
        "mkdir x",
        "mkdir .claude",
        "rm ~/.config/x",
        "touch .claude/notes.md",
        "rm opencode.json.md",
        "ls # rm .claude/settings.json",
    ] {
        assert_ne!(bash(&classifier, command).class, Class::Guard, "{command}");
    }
}

#[test]
fn tools_that_write_the_gates_files_are_held_and_reads_are_not() {
    let classifier = classifier(".".as_ref());
    let class = |tool: &str, key: &str, path: &str| call(&classifier, tool, key, path).class;
    assert_eq!(
        class("Write", "file_path", ".claude/settings.json"),
        Class::Guard
    );
    assert_eq!(
        class("Write", "file_path", "plans/../.claude/settings.json"),
        Class::Guard
    );
    assert_eq!(
        class("Edit", "file_path", ".codex/config.toml"),
        Class::Guard
    );
    assert_eq!(class("unknown_tool", "path", "opencode.json"), Class::Guard);
    assert_eq!(
        class("unknown_tool", "command", "rm opencode.json"),
        Class::Guard
    );
    assert_eq!(class("Read", "file_path", ".claude/settings.json"), READS);
    let patch = "*** Begin Patch\n*** Add File: plans/a.md\n*** Delete File: .claude/settings.json\n*** End Patch";
    assert_eq!(class("apply_patch", "input", patch), Class::Guard);
    assert_eq!(class("unknown_tool", "patch", patch), Class::Guard);
    let about_agents =
        "*** Begin Patch\n*** Update File: README.md\n@@\n claude -p x\n+codex\n*** End Patch";
    assert_ne!(class("apply_patch", "command", about_agents), Class::Guard);
    let words = Json::parse(r#"{"command":["rm",".claude/settings.json"]}"#).expect("JSON");
    assert_eq!(classifier.classify("Bash", &words).class, Class::Guard);
}

#[test]
fn no_document_declares_the_guard_away() {
    for declared in declarations() {
        let mut document = document();
        for tool in &mut document.tools {
            *tool = ToolArguments {
                name: tool.name.clone(),
                ..declared.clone()
            };
        }
        for name in ["Write", "Bash", "mcp__files__put"] {
            document.tools.retain(|tool| tool.name != name);
            document.tools.push(ToolArguments {
                name: text(name),
                ..declared.clone()
            });
        }
        let tools = ["Write", "Bash", "mcp__files__put"].map(text).to_vec();
        document.rules = vec![Rule {
            tools,
            command: None,
            path: None,
            arguments: None,
            class: 0,
        }];
        let classifier = Classifier::new(document, FlagsTable::built_in(), Project::new("."));
        for (tool, key, value) in [
            ("Write", "file_path", ".claude/settings.json"),
            ("Bash", "command", "rm .claude/settings.json"),
            ("mcp__files__put", "where", ".claude/settings.json"),
        ] {
            if declared.reads && tool == "mcp__files__put" {
                continue;
            }
            let arguments = [(key, value), ("other", "x"), ("description", "y")];
            let arguments: Object = arguments.into_iter().collect();
            let found = classifier.classify(tool, &arguments.into());
            assert_eq!(found.class, Class::Guard, "{tool} with {declared:?}");
        }
        assert_eq!(bash(&classifier, "rm x").class, READS, "{declared:?}");
    }
}

/// Returns everything that a document can declare about a tool, for the arguments that hold what the guard inspects
/// and for another argument.
fn declarations() -> Vec<ToolArguments> {
    let keys = ["file_path", "command", "where", "other"];
    let of = |key: &str| {
        let key = || Some(text(key));
        let named = || ToolArguments::named(text("any"));
        [
            ToolArguments {
                command: key(),
                ..named()
            },
            ToolArguments {
                folder: key(),
                ..named()
            },
            ToolArguments {
                patch: key(),
                ..named()
            },
            ToolArguments {
                paths: key().into_iter().collect(),
                ..named()
            },
            ToolArguments {
                command: key(),
                reads: true,
                ..named()
            },
        ]
    };
    keys.into_iter().flat_map(of).collect()
}

#[test]
fn a_host_adds_its_own_files_and_agents() {
    let project = Project::new(".")
        .own("gate/session.yaml")
        .own("/var/lib/gate/")
        .own("~/trusted")
        .home("/home/ann")
        .agent("helper");
    let classifier = Classifier::new(document(), FlagsTable::built_in(), project);
    for command in [
        "rm gate/session.yaml",
        "rm -r gate",
        "rm /var/lib/gate/x/y",
        "rm ~/trusted",
        "helper x",
    ] {
        assert_eq!(bash(&classifier, command).class, Class::Guard, "{command}");
    }
    assert_ne!(
        bash(&classifier, "rm gate2/session.yaml").class,
        Class::Guard
    );
}

#[cfg(unix)]
#[test]
fn a_link_to_one_of_the_files_names_it() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(folder.path().join(".claude")).expect("a folder");
    fs::write(folder.path().join(".claude/settings.json"), "{}").expect("a file");
    std::os::unix::fs::symlink(".claude", folder.path().join("plans")).expect("a link");
    let classifier = classifier(folder.path());
    assert_eq!(
        call(&classifier, "Write", "file_path", "plans/settings.json").class,
        Class::Guard
    );
    assert_eq!(
        bash(&classifier, "echo x > plans/settings.json").class,
        Class::Guard
    );
}
