//! The host's tools work inside the workspace, and never outside of it.

mod swaps;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::time::Duration;

use plan_machine::Object;
use plan_machine::gate::{ConfirmedCall, Decision, EventContext, Gate, ToolCall};
use plan_machine_host::Stop;
use plan_machine_host::tools::{LONGEST, Shell, ShellRule, ToolError, Tools as _, Workspace};
use tempfile::TempDir;

/// Returns a call that a gate without machines allows.
fn confirmed(tool: &str, args: Object) -> ConfirmedCall {
    let gate = Gate::builder().host_tool(tool, "", Object::new()).open();
    let mut gate = gate.expect("a gate");
    let calls = [ToolCall::new(tool, args)];
    match gate.decide(&calls, &EventContext::default()).remove(0) {
        Decision::Run(allowed) => gate.confirm(allowed).expect("the call may run"),
        other => panic!("{other:?}"),
    }
}

/// A workspace next to a file that must not be touched.
struct Place {
    all: TempDir,
    tools: Workspace,
}

fn place() -> Place {
    place_with(ShellRule::Never)
}

fn place_with(shell: ShellRule) -> Place {
    let all = TempDir::new().expect("a folder");
    fs::write(all.path().join("outside.md"), "private").expect("a file");
    fs::create_dir(all.path().join("elsewhere")).expect("a folder");
    let tools = Workspace::open(&all.path().join("space"), shell).expect("a workspace");
    Place { all, tools }
}

impl Place {
    fn inside(&self, name: &str) -> PathBuf {
        self.all.path().join("space").join(name)
    }

    async fn run(&self, tool: &str, args: &[(&'static str, &str)]) -> Result<String, String> {
        let args: Object = args.iter().copied().collect();
        self.tools
            .run(confirmed(tool, args), &Stop::default())
            .await
            .map_err(|error| error.to_string())
    }

    /// Checks that every file tool refuses the path with this text, and that nothing outside has changed.
    async fn refuses(&self, path: &str, words: &str) {
        let answers = [
            self.run("read_file", &[("path", path)]).await,
            self.run("write_file", &[("path", path), ("content", "x")])
                .await,
            self.run("search_files", &[("text", "private"), ("path", path)])
                .await,
            self.run("list_files", &[("path", path)]).await,
        ];
        for answer in answers {
            let told = answer.expect_err(path);
            assert!(told.contains(words), "{path}: {told}");
        }
        self.outside_is_unchanged();
    }

    fn outside_is_unchanged(&self) {
        let outside = fs::read_to_string(self.all.path().join("outside.md")).expect("a file");
        assert_eq!(outside, "private");
        let elsewhere = fs::read_dir(self.all.path().join("elsewhere")).expect("a folder");
        assert_eq!(elsewhere.count(), 0);
        assert_eq!(fs::read_dir(self.all.path()).expect("a folder").count(), 3);
    }
}

#[tokio::test]
async fn a_file_is_written_listed_found_and_read_again() {
    let place = place();
    let long = "x".repeat(400);
    let content = format!("one\ntwo boxes {long}\n");
    let args = [("path", "notes/move.md"), ("content", content.as_str())];
    let wrote = place.run("write_file", &args).await.expect("written");
    assert_eq!(wrote, "Wrote 415 bytes to notes/move.md.");
    let short = [("path", "notes/one.md"), ("content", "1")];
    let wrote = place.run("write_file", &short).await.expect("written");
    assert_eq!(wrote, "Wrote 1 byte to notes/one.md.");
    fs::remove_file(place.inside("notes/one.md")).expect("removed");
    assert_eq!(
        place.run("read_file", &args[..1]).await.as_deref(),
        Ok(content.as_str())
    );
    assert_eq!(place.run("list_files", &[]).await.as_deref(), Ok("notes/"));
    let listed = place.run("list_files", &[("path", "./notes")]).await;
    assert_eq!(
        listed.as_deref(),
        Ok("move.md"),
        "no temporary file is left"
    );
    for path in ["", ".", "notes", "notes/move.md"] {
        let args = [("text", "two boxes"), ("path", path)];
        let found = place.run("search_files", &args).await.expect("searched");
        assert!(
            found.starts_with("notes/move.md:2: two boxes x"),
            "{path}: {found}"
        );
        assert!(found.len() < 330, "{path}");
    }
    let none = place.run("search_files", &[("text", "three")]).await;
    assert_eq!(none.as_deref(), Ok("Nothing was found."));
}

#[tokio::test]
async fn paths_that_leave_the_workspace_are_refused() {
    let place = place();
    let absolute = place.all.path().join("outside.md");
    place
        .refuses(absolute.to_str().expect("text"), "is absolute")
        .await;
    for path in ["../outside.md", "a/../../outside.md", "..", "a/.."] {
        place.refuses(path, "contains `..`").await;
    }
    assert!(!place.inside("a").exists(), "not even a folder was created");
}

#[tokio::test]
async fn symbolic_links_are_not_followed_wherever_they_point() {
    let place = place();
    fs::create_dir(place.inside("real")).expect("a folder");
    fs::write(place.inside("real/file.md"), "private too").expect("a file");
    symlink("../outside.md", place.inside("out.md")).expect("a link");
    symlink("../elsewhere", place.inside("out")).expect("a link");
    symlink("real", place.inside("in")).expect("a link");
    symlink("real/file.md", place.inside("in.md")).expect("a link");
    symlink("../elsewhere/new.md", place.inside("dangling.md")).expect("a link");
    for path in [
        "out.md",
        "out",
        "out/new.md",
        "in/file.md",
        "in.md",
        "in",
        "dangling.md",
    ] {
        place.refuses(path, "symbolic link").await;
    }
    let found = place.run("search_files", &[("text", "private")]).await;
    assert_eq!(found.as_deref(), Ok("real/file.md:1: private too"));
    let listed = place.run("list_files", &[]).await.expect("listed");
    assert!(listed.contains("out (a symbolic link, not followed)\n"));
    let kept = fs::read_to_string(place.inside("in.md")).expect("a file");
    assert_eq!(kept, "private too");
}

/// Returns the tools that read and write a file, each with a path.
fn with_path(path: &str) -> [(&'static str, Vec<(&'static str, &str)>); 2] {
    [
        ("read_file", vec![("path", path)]),
        ("write_file", vec![("path", path), ("content", "x")]),
    ]
}

#[tokio::test]
async fn an_argument_that_a_tool_does_not_have_is_refused() {
    let place = place();
    let told = place.run("list_files", &[("dir", "..")]).await;
    assert_eq!(
        told.expect_err("no such argument"),
        "`list_files` has no argument `dir`"
    );
}

#[tokio::test]
async fn nul_bytes_and_empty_names_are_refused() {
    let place = place();
    place.refuses("a\0b", "nul byte").await;
    for path in ["a//b", "a/", " ", "a/ /b"] {
        place.refuses(path, "empty name").await;
    }
    for (tool, args) in with_path("") {
        let told = place.run(tool, &args).await.expect_err("no file");
        assert!(told.contains("expected a file"), "{told}");
        let told = place.run(tool, &[]).await.expect_err("no path");
        assert_eq!(told, "`path` is missing");
    }
    let told = place.run("search_files", &[("text", "")]).await;
    assert!(told.is_err());
    assert_eq!(fs::read_dir(place.inside("")).expect("a folder").count(), 0);
}

#[tokio::test]
async fn a_folder_a_pipe_or_a_file_on_the_way_is_not_taken_for_a_file() {
    let place = place();
    fs::create_dir(place.inside("folder")).expect("a folder");
    fs::write(place.inside("file"), "text").expect("a file");
    let pipe = std::process::Command::new("mkfifo")
        .arg(place.inside("pipe"))
        .status();
    assert!(pipe.expect("mkfifo").success());
    for (path, words) in [
        ("folder", "is a folder"),
        ("pipe", "not a regular file"),
        ("file/x", "cannot be opened"),
    ] {
        for (tool, args) in with_path(path) {
            let told = place.run(tool, &args).await.expect_err(path);
            assert!(told.contains(words), "{told}");
        }
    }
    let found = place.run("search_files", &[("text", "t")]).await;
    assert_eq!(found.as_deref(), Ok("file:1: text"));
    assert_eq!(fs::read_dir(place.inside("")).expect("a folder").count(), 3);
}

#[tokio::test]
async fn large_files_and_binary_files_are_refused() {
    let place = place();
    let large = "x".repeat(1024 * 1024 + 1);
    fs::write(place.inside("large"), &large).expect("a file");
    fs::write(place.inside("bytes"), b"x\xff\xfe").expect("a file");
    let told = place.run("read_file", &[("path", "large")]).await;
    assert!(told.expect_err("large").contains("is too large"));
    let told = place
        .run("write_file", &[("path", "new/file"), ("content", &large)])
        .await;
    assert!(told.expect_err("large").contains("is too large"));
    assert!(!place.inside("new").exists());
    let told = place.run("read_file", &[("path", "bytes")]).await;
    assert!(told.expect_err("no text").contains("is not UTF-8"));
    let found = place.run("search_files", &[("text", "x")]).await;
    assert_eq!(found.as_deref(), Ok("Nothing was found."));
}

#[tokio::test]
async fn an_answer_of_a_search_is_bounded() {
    let place = place();
    fs::write(place.inside("many"), "x\n".repeat(500)).expect("a file");
    let found = place
        .run("search_files", &[("text", "x")])
        .await
        .expect("found");
    assert_eq!(found.lines().count(), 101);
    assert!(found.ends_with("… not everything was searched"));
}

#[tokio::test]
async fn a_shell_exists_only_where_it_is_allowed() {
    let place = place();
    let told = place.run("shell", &[("command", "touch made")]).await;
    assert_eq!(told, Err("unknown tool `shell`".to_owned()));
    let names = |place: &Place| {
        place
            .tools
            .infos()
            .iter()
            .map(|info| info.name)
            .collect::<Vec<_>>()
    };
    let mut expected = vec!["list_files", "read_file", "write_file", "search_files"];
    assert_eq!(names(&place), expected);
    expected.push("shell");
    assert_eq!(names(&shell(5.0)), expected);
}

fn shell(seconds: f32) -> Place {
    place_with(ShellRule::Supervised(Shell {
        supervisor: env!("CARGO_BIN_EXE_plan-bot").into(),
        limit: Duration::from_secs_f32(seconds),
    }))
}

#[tokio::test]
async fn a_command_runs_in_the_workspace_without_what_the_host_was_given() {
    let place = shell(20.0);
    let args = [("command", "echo here > made; cat made; env | grep -c CARGO")];
    let told = place.run("shell", &args).await;
    assert_eq!(told, Err("exit 1\nhere\n0".to_owned()));
    assert!(place.inside("made").exists());
    let told = place
        .run("shell", &[("command", "echo wrong >&2; exit 3")])
        .await;
    assert_eq!(told, Err("exit 3\nwrong".to_owned()));
    let long = place
        .run("shell", &[("command", "yes | head -c 100000")])
        .await;
    let long = long.expect("cut");
    assert!(long.ends_with("… and 67232 more bytes"), "{}", long.len());
}

/// A pipe that a command's processes hold open: a reader of the pipe reaches its end once all of these processes have
/// ended.
struct Pipe {
    path: PathBuf,
    said: tokio::task::JoinHandle<String>,
}

impl Pipe {
    fn new(place: &Place, name: &str) -> Self {
        let path = place.inside(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo runs").success());
        let from = path.clone();
        let read = move || fs::read_to_string(from).expect("a pipe");
        Self {
            path,
            said: tokio::task::spawn_blocking(read),
        }
    }

    /// Returns the text that was written to the pipe, once no writer is left.
    async fn until_all_are_gone(self) -> String {
        // Opening the pipe for reading and writing never blocks, and ends the wait for a command that never opened it.
        let open = fs::File::options().read(true).write(true).open(&self.path);
        drop(open.expect("a pipe"));
        self.said.await.expect("read")
    }
}

/// A shell with a child, neither of which finishes in time by itself.
const LONG: &str =
    "exec > pipe; echo begun; echo > ready; (sleep 600; echo late) & sleep 600; echo later";

#[tokio::test]
async fn a_command_that_takes_too_long_is_stopped_with_its_children() {
    let place = shell(0.5);
    let (pipe, ready) = (Pipe::new(&place, "pipe"), Pipe::new(&place, "ready"));
    let told = place.run("shell", &[("command", LONG)]).await;
    let told = told.expect_err("stopped");
    assert!(told.contains("longer than 0.5 s"), "{told}");
    ready.until_all_are_gone().await;
    let said = pipe.until_all_are_gone().await;
    assert!(["", "begun\n"].contains(&said.as_str()), "{said}");
}

#[tokio::test]
async fn a_command_that_is_abandoned_is_stopped_with_its_children() {
    let place = shell(600.0);
    let (pipe, mut ready) = (Pipe::new(&place, "pipe"), Pipe::new(&place, "ready"));
    tokio::select! {
        answer = place.run("shell", &[("command", LONG)]) => panic!("{answer:?}"),
        begun = &mut ready.said => assert_eq!(begun.expect("begun"), "\n"),
    }
    assert_eq!(pipe.until_all_are_gone().await, "begun\n");
}

#[tokio::test]
async fn a_command_that_is_stopped_ends_with_its_children_before_it_is_answered() {
    let place = shell(600.0);
    let (pipe, mut ready) = (Pipe::new(&place, "pipe"), Pipe::new(&place, "ready"));
    let (stop, args) = (Stop::default(), Object::from_iter([("command", LONG)]));
    let run = place.tools.run(confirmed("shell", args), &stop);
    let stopped = async {
        assert_eq!((&mut ready.said).await.expect("begun"), "\n");
        stop.stop();
    };
    let (told, ()) = tokio::join!(run, stopped);
    let interrupted = ToolError::Interrupted("interrupted before it was done".to_owned());
    assert_eq!(told, Err(interrupted));
    assert_eq!(pipe.until_all_are_gone().await, "begun\n");
}

#[tokio::test]
async fn a_command_that_a_signal_has_ended_says_which() {
    let place = shell(600.0);
    let told = place.run("shell", &[("command", "kill -TERM $$")]).await;
    assert_eq!(told, Err("signal: 15 (SIGTERM)".to_owned()));
}

#[tokio::test]
async fn what_a_command_leaves_in_the_background_ends_with_it() {
    let place = shell(600.0);
    let pipe = Pipe::new(&place, "pipe");
    let command = "exec 3> pipe; echo begun >&3; (sleep 600; echo late >&3) & echo done";
    let told = place.run("shell", &[("command", command)]).await;
    assert_eq!(told.as_deref(), Ok("done\n"));
    assert_eq!(pipe.until_all_are_gone().await, "begun\n");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_a_command_puts_into_a_session_of_its_own_ends_with_it() {
    let place = shell(600.0);
    let pipe = Pipe::new(&place, "pipe");
    // Two process sessions, one of them started by a process that has already ended.
    let command = "exec 3> pipe; echo begun >&3; setsid sleep 600 & setsid sh -c 'setsid sleep 600 & exit' & wait $!; echo done";
    let told = place.run("shell", &[("command", command)]).await;
    assert_eq!(told.as_deref(), Ok("done\n"));
    assert_eq!(pipe.until_all_are_gone().await, "begun\n");
}

#[tokio::test]
async fn a_long_result_is_cut_with_a_note() {
    let place = place();
    let long = "ü".repeat(LONGEST);
    fs::write(place.inside("long"), &long).expect("a file");
    let read = place.run("read_file", &[("path", "long")]).await;
    let read = read.expect("read");
    let (kept, note) = read.rsplit_once('\n').expect("a note");
    assert!(long.starts_with(kept) && kept.len() == LONGEST);
    assert_eq!(note, format!("… and {LONGEST} more bytes"));
}
