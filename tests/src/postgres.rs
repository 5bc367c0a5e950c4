//! A `PostgreSQL` server for tests: a separate one, in its own folder, that can be killed.

use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The maximum time for a server to start or stop: far longer than it should take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until it is dropped or the process ends, for whatever reason.
#[derive(Debug)]
pub struct Server {
    programs: PathBuf,
    folder: TempDir,
    user: Option<User>,
    port: u16,
    postmaster: Mutex<Option<Child>>,
    /// Stops the server and removes its folder as soon as the other end of its input is closed.
    undertaker: Child,
}

/// The user that runs the server if the tests run as root, because the server refuses to run as root.
#[derive(Clone, Debug)]
struct User {
    id: u32,
    group: u32,
}

impl Server {
    /// Starts an empty server.
    ///
    /// # Panics
    /// If `PostgreSQL` is not installed on this computer, or if the server does not start.
    #[must_use]
    pub fn start() -> Self {
        let programs = programs().expect(
            "these tests need PostgreSQL: `initdb` and `postgres` on the PATH or below \
             /usr/lib/postgresql (Debian: apt-get install postgresql)",
        );
        let folder = tempfile::Builder::new().prefix("postgres-").tempdir();
        let folder = folder.expect("a folder for the server");
        let user = unprivileged();
        if let Some(user) = &user {
            chown(folder.path(), Some(user.id), Some(user.group))
                .expect("a folder that the user owns");
        }
        let undertaker = undertaker(folder.path());
        let server = Self {
            programs,
            folder,
            user,
            port: free_port(),
            postmaster: Mutex::default(),
            undertaker,
        };
        let made = server
            .command("initdb")
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8"])
            .args(["--locale=C", "--no-instructions", "--no-sync", "--pgdata"])
            .arg(server.data())
            .output();
        succeeded("initdb", &made.expect("initdb runs"));
        server.restart();
        server
    }

    /// Returns the URL of a database of the server.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        let port = self.port;
        format!("postgres://postgres@127.0.0.1:{port}/{database}?connect_timeout=5")
    }

    /// Creates a database and returns its URL.
    ///
    /// # Panics
    /// If a database with this name exists.
    #[must_use]
    pub fn database(&self, name: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE \"{name}\""));
        self.url(name)
    }

    /// Sends statements to a database and returns the answer as text.
    ///
    /// # Panics
    /// If the server rejects the statements.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let answer = self.psql(database, statements).expect("psql runs");
        succeeded(statements, &answer);
        String::from_utf8_lossy(&answer.stdout).trim().to_owned()
    }

    /// Dumps a database as plain SQL, as short as possible and without the parts that differ between servers.
    ///
    /// # Panics
    /// If the server cannot dump the database.
    #[must_use]
    pub fn dump(&self, database: &str) -> String {
        let dumped = self
            .client("pg_dump", database)
            .args(["--no-owner", "--no-privileges", "--no-comments"])
            .output()
            .expect("pg_dump runs");
        succeeded("pg_dump", &dumped);
        let dump = String::from_utf8(dumped.stdout).expect("UTF-8");
        let is_of_the_server = |line: &&str| {
            let settings = [
                "SET ",
                "SELECT pg_catalog.set_config",
                "\\restrict",
                "\\unrestrict",
            ];
            settings.iter().any(|setting| line.starts_with(setting)) || line.starts_with("--")
        };
        let lines = dump
            .lines()
            .filter(|line| !line.is_empty() && !is_of_the_server(line));
        let mut dump: Vec<&str> = lines.collect();
        dump.push("");
        dump.join("\n")
    }

    /// Fills a new database from a dump and returns its URL.
    ///
    /// # Panics
    /// If a database with this name exists, or if the server rejects the dump.
    #[must_use]
    pub fn restored(&self, name: &str, dump: &Path) -> String {
        let url = self.database(name);
        let text = fs::File::open(dump).expect("a dump");
        let restored = self.client("psql", name).stdin(text).output();
        succeeded("psql", &restored.expect("psql runs"));
        url
    }

    /// Kills the server and all its processes, like a power failure that leaves the disk intact.
    ///
    /// # Panics
    /// If a process of the server keeps running.
    pub fn kill(&self) {
        let mut postmaster = self.postmaster();
        let Some(mut child) = postmaster.take() else {
            return;
        };
        let children = children_of(child.id());
        child.kill().expect("the server is killed");
        child.wait().expect("the server is gone");
        // A server does not start while processes of its predecessor are still running.
        let until = Instant::now() + PATIENCE;
        for process in children {
            while is_there(&process) {
                assert!(Instant::now() < until, "the process {process} does not end");
                let mut kill = Command::new("kill");
                let kill = kill.args(["-KILL", &process]).stderr(Stdio::null());
                kill.status().expect("kill runs");
            }
        }
    }

    /// Starts the server again and waits until it answers.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn restart(&self) {
        let until = Instant::now() + PATIENCE;
        let mut postmaster = self.postmaster();
        let mut child = self.spawn();
        loop {
            if child.try_wait().expect("a process").is_some() {
                // For a moment, another process may have used the port.
                assert!(
                    Instant::now() < until,
                    "the server does not start: {}",
                    self.log()
                );
                child = self.spawn();
            }
            let answer = self.psql("postgres", "SELECT 1").expect("psql runs");
            if answer.status.success() {
                break;
            }
            assert!(
                Instant::now() < until,
                "the server does not answer: {}",
                self.log()
            );
        }
        *postmaster = Some(child);
    }

    /// Ends all connections to a database, as a network failure might.
    pub fn disconnect(&self, database: &str) {
        self.sql(
            "postgres",
            &format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{database}'"
            ),
        );
    }

    fn postmaster(&self) -> MutexGuard<'_, Option<Child>> {
        self.postmaster
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn spawn(&self) -> Child {
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.path().join("log"))
            .expect("a log");
        self.command("postgres")
            .arg("-D")
            .arg(self.data())
            .args(["-c", "listen_addresses=127.0.0.1"])
            .args(["-c", &format!("port={}", self.port)])
            .args(["-c", "max_connections=300"])
            .arg("-c")
            .arg(format!(
                "unix_socket_directories={}",
                self.folder.path().display()
            ))
            .stderr(log)
            .spawn()
            .expect("postgres runs")
    }

    fn psql(&self, database: &str, statements: &str) -> io::Result<Output> {
        self.client("psql", database)
            .args(["--command", statements])
            .output()
    }

    /// Returns a client program that is connected to a database of the server.
    fn client(&self, program: &str, database: &str) -> Command {
        let mut command = self.command(program);
        if program == "psql" {
            command.args(["--no-psqlrc", "--tuples-only", "--no-align", "--quiet"]);
            command.arg("--set=ON_ERROR_STOP=1");
        }
        command
            .arg("--username=postgres")
            .arg(format!("--host={}", self.folder.path().display()))
            .arg(format!("--port={}", self.port))
            .arg(format!("--dbname={database}"))
            .stdout(Stdio::piped());
        command
    }

    /// Returns a command that runs a program of the server as the right user.
    fn command(&self, program: &str) -> Command {
        let program = self.programs.join(program);
        let mut command = match &self.user {
            None => Command::new(program),
            Some(user) => {
                let mut command = Command::new("setpriv");
                command
                    .arg(format!("--reuid={}", user.id))
                    .arg(format!("--regid={}", user.group))
                    .arg("--clear-groups")
                    .arg(program);
                command
            }
        };
        // An interrupt at the terminal must reach only the tests, not the server.
        command
            .process_group(0)
            .current_dir(self.folder.path())
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns what the server has reported so far.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.undertaker.stdin.take());
        let _ = self.undertaker.wait();
        if let Some(mut child) = self.postmaster().take() {
            let _ = child.wait();
        }
    }
}

/// Returns the folder with the programs of the newest installed version.
fn programs() -> Option<PathBuf> {
    let complete = |folder: &PathBuf| {
        ["initdb", "postgres", "psql"]
            .iter()
            .all(|program| folder.join(program).is_file())
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).find_map(|folder| {
        // The target of the link is in the same folder as the other programs of its version.
        let postgres = folder.join("postgres").canonicalize().ok()?;
        Some(postgres.parent()?.to_owned())
    });
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let newest = versions
        .filter_map(|version| {
            let version = version.ok()?;
            let number: u32 = version.file_name().to_str()?.parse().ok()?;
            Some((number, version.path().join("bin")))
        })
        .filter(|(_, folder)| complete(folder))
        .max();
    let newest = newest.map(|(_, folder)| folder);
    on_path.filter(complete).or(newest)
}

/// Returns the user that runs the server; `None` if this process does not run as root.
fn unprivileged() -> Option<User> {
    let id = |arguments: &[&str]| -> Option<u32> {
        let answer = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8(answer.stdout).ok()?.trim().parse().ok()
    };
    if id(&["-u"]) != Some(0) {
        return None;
    }
    let user = ["postgres", "nobody"].iter().find_map(|name| {
        Some(User {
            id: id(&["-u", name])?,
            group: id(&["-g", name])?,
        })
    });
    Some(user.expect("a user who is not root: `postgres` or `nobody`"))
}

/// Starts a process that outlives this one just long enough to stop the server. The input of that process is closed
/// when this process ends, for whatever reason.
fn undertaker(folder: &Path) -> Child {
    let script = r#"
        cat >/dev/null
        kill -KILL "$(head -n 1 "$1/data/postmaster.pid")" 2>/dev/null
        until rm -rf "$1" 2>/dev/null; do sleep 0.1; done"#;
    Command::new("sh")
        .args(["-c", script, "undertaker"])
        .arg(folder)
        .process_group(0)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("a shell")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

fn succeeded(what: &str, output: &Output) {
    assert!(
        output.status.success(),
        "{what}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Returns the child processes of a process.
fn children_of(parent: u32) -> Vec<String> {
    let parent = parent.to_string();
    let processes = fs::read_dir("/proc").expect("the list of processes");
    let names = processes.filter_map(|process| process.ok()?.file_name().into_string().ok());
    names
        .filter(|process| field_of(process, 1).is_some_and(|found| found == parent))
        .collect()
}

/// Returns whether a process exists and is not a zombie.
fn is_there(process: &str) -> bool {
    field_of(process, 0).is_some_and(|state| state != "Z" && state != "X")
}

/// Returns a field of the status of a process: field 0 is the state, and field 1 is the parent process.
fn field_of(process: &str, field: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the process, in parentheses, may contain any character, even parentheses.
    let (_, after_name) = stat.rsplit_once(") ")?;
    Some(after_name.split(' ').nth(field)?.to_owned())
}
