//! Kills hooks at random moments: a call that must not run never runs, and the store is not damaged.

use std::time::{Duration, Instant};

use plan_machine_agents::keeper::identity;
use plan_machine_kernel::json::Json;

use crate::bench::{Bench, Reply, TALK, run};

/// The number of kills.
const KILLS: u32 = 100;

/// A pseudorandom sequence of numbers, which is the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % end.max(1)
    }
}

fn event(bench: &Bench, id: u32, tool: &str) -> String {
    let input = r#"{"file_path":"a.txt"}"#;
    let fields = format!(
        r#""tool_name":"{tool}","tool_input":{input},"tool_use_id":"k{id}","prompt_id":"p""#
    );
    bench.event("PreToolUse", &fields)
}

/// Starts a hook and kills it after a while.
fn killed(bench: &Bench, event: &str, after: Duration) -> Reply {
    let mut hook = bench.start("claude-code", event.as_bytes());
    let began = Instant::now();
    while began.elapsed() < after {
        std::hint::spin_loop();
    }
    // This fails if the hook has already ended.
    let _ = hook.kill();
    Reply::of(hook.wait_with_output().expect("an output"))
}

#[test]
fn a_hook_that_is_killed_at_any_moment_lets_no_denied_call_run() {
    let bench = Bench::waiting();
    let began = Instant::now();
    assert!(!bench.writes("first"));
    let usual = u64::try_from(began.elapsed().as_micros()).unwrap_or(100_000);
    let mut numbers = Numbers(19);
    let mut unfinished = 0;
    for at in 0..KILLS {
        let after = Duration::from_micros(numbers.below(usual * 5 / 4));
        let reply = killed(&bench, &event(&bench, at, "Write"), after);
        assert_ne!(reply.status, 0, "{reply:?}");
        unfinished += u32::from(reply.status == -1);
    }
    assert!(unfinished > 0, "no hook was killed in time");
    whole(&bench);
}

#[test]
fn a_call_that_was_counted_by_a_killed_hook_is_counted_once() {
    let bench = Bench::waiting();
    bench.prompt("p1", ".plan show");
    bench.prompt("p2", &format!(".plan approve {}", bench.token()));
    let began = Instant::now();
    assert!(bench.writes("first"));
    let usual = u64::try_from(began.elapsed().as_micros()).unwrap_or(100_000);
    let mut longest = usual * 5 / 4;
    let mut numbers = Numbers(20);
    let (mut ran, mut unfinished) = (1, 0);
    let calls = KILLS / 4;
    for at in 0..calls {
        let after = Duration::from_micros(numbers.below(longest));
        let text = event(&bench, at, "Write");
        let reply = killed(&bench, &text, after);
        // The first call may have taken much more or much less time than these calls, so the time of the kills is
        // adjusted: the next kill is earlier after a hook that has ended by itself, and later after a hook that was
        // killed.
        if reply.status == -1 {
            unfinished += 1;
            longest += longest / 16;
        } else {
            longest -= longest / 8;
        }
        // If the call was counted before the hook was killed, it does not run again.
        let again = bench.hook("claude-code", text.as_bytes());
        assert!(
            !(reply.status == 0 && again.status == 0),
            "{at}: it ran twice"
        );
        ran += i64::from(reply.status == 0 || again.status == 0);
    }
    let keeper = bench.keeper();
    let session = identity("claude-code", TALK).expect("an identity");
    let plans = run(keeper.session(&session).plans()).expect("plans");
    let started = plans[0].plan.data.get("started").and_then(Json::as_int);
    // A hook that was killed after it had stored its decision has counted a call that did not run. Every other call was
    // counted when it was repeated, at the latest. So each id was counted exactly once.
    assert_eq!(started, Some(1 + i64::from(calls)), "{ran} of them ran");
    assert!(ran > 1, "only the first call ran");
    assert!(unfinished > 0, "no hook was killed in time");
    whole(&bench);
}

/// Asserts that the store is undamaged and that the hook still works.
fn whole(bench: &Bench) {
    let keeper = bench.keeper();
    let session = identity("claude-code", TALK).expect("an identity");
    assert!(
        run(keeper.view(&session))
            .expect("a session")
            .problem
            .is_none()
    );
    run(keeper.close()).expect("closed");
    let store = rusqlite::Connection::open(bench.site().store()).expect("a store");
    let check: String = store
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .expect("a check");
    assert_eq!(check, "ok");
    drop(store);
    bench.call("after", "Read", "{}").is_silent();
}
