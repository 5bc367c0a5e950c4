//! Processes of a command that have left its process group, or whose supervisor was killed. The supervisor is a process
//! between the host and the shell that runs the command. On Linux, the supervisor, or else the host, adopts these
//! processes when their parents end, and kills them as well. On other systems, the supervisor kills only the process
//! group.

#[cfg(target_os = "linux")]
pub use linux::{adopt_orphans, end_orphans};

/// Does nothing, because this system cannot make a process adopt the orphans of other processes.
///
/// # Errors
///
/// Never.
#[cfg(not(target_os = "linux"))]
pub fn adopt_orphans() -> std::io::Result<()> {
    Ok(())
}

/// Does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub fn end_orphans() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::time::Duration;
    use std::{fs, io, thread};

    use rustix::process::{
        Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process, set_child_subreaper, waitid,
    };

    /// How many times to look for processes that have not ended yet. The number is limited, so that a process that
    /// cannot be killed, such as another user's, does not block the host forever.
    const LOOKS: usize = 2000;

    /// How long to wait between two checks.
    const BETWEEN: Duration = Duration::from_millis(1);

    /// Makes this process the parent of all processes that its descendants leave behind. A host calls this when it
    /// starts, and [`end_orphans`] when it ends, because a command can kill its supervisor.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    pub fn adopt_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    /// Kills the children of this process until none is left, but gives up after about two seconds. Processes that a
    /// killed child leaves behind become children of this process, and are killed as well. All children of this process
    /// are killed, whoever started them.
    pub fn end_orphans() {
        for _ in 0..LOOKS {
            for child in children() {
                // Only this process waits for the child, so the process id has not been reused for another process.
                let _ = kill_process(child, Signal::KILL);
            }
            let ended = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
            loop {
                match waitid(WaitId::All, ended) {
                    Ok(Some(_)) => {}
                    Ok(None) => break,
                    // There are no children.
                    Err(_) => return,
                }
            }
            thread::sleep(BETWEEN);
        }
    }

    fn children() -> Vec<Pid> {
        let parent = getpid().as_raw_nonzero().get().to_string();
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let is_child = |number: &i32| {
            let status = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
            // The name of the program, which may contain anything, is in parentheses.
            let (_, behind) = status.rsplit_once(')').unwrap_or_default();
            behind.split_whitespace().nth(1) == Some(parent.as_str())
        };
        numbers.filter(is_child).filter_map(Pid::from_raw).collect()
    }
}
