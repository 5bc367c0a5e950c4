//! The memory of open sessions, each with a short plan, and of sessions that exist but are not open.

use std::sync::Arc;

use allocation_counter::measure;
use plan_machine_benches::work::{leave_idle, open, sessions};
use plan_machine_sessions::store::{Memory, Store};
use tokio::runtime::Builder;

const OPEN: u32 = 100_000;

fn main() {
    // Allocations are counted per thread.
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    let idle = runtime.block_on(leave_idle(&store, OPEN));
    println!("{idle} of {OPEN} idle sessions are in memory");
    let sessions = sessions(store);
    let mut opened = Vec::new();
    let taken = measure(|| opened = runtime.block_on(open(&sessions, OPEN)));
    let each = taken.bytes_current / i64::from(OPEN);
    println!(
        "{} open sessions: {each} bytes each, including their plans",
        opened.len()
    );
}
