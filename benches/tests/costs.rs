//! Limits on the cost of every step. The limits apply on any computer, because allocations and sizes are exact.

use std::hint::black_box;
use std::mem::size_of;
use std::sync::Arc;

use allocation_counter::measure;
use plan_machine::__private::DenialReason;
use plan_machine::{AnyPlan, Editions, Slot};
use plan_machine_benches::script::{ByHand, Generated, Machine, SCRIPT, Step};
use plan_machine_benches::work::{leave_idle, open, sessions};
use plan_machine_benches::work_by_plan::{self, MACHINE};
use plan_machine_benches::{chain, compiled};
use plan_machine_compiler::emit::rust;
use plan_machine_sessions::store::{Memory, Store};
use quote::quote;
use tokio::runtime::Builder;

/// The most bytes that an open session may allocate, with its plan.
const MOST_BYTES_OF_A_SESSION: i64 = 1000;

/// Returns the number of allocations of each step of the script, in order.
fn allocations<M: Machine>() -> Vec<(Step, u64)> {
    let mut machine = M::default();
    let counted = SCRIPT.map(|step| {
        let event = machine.event(step);
        let mut event = Some(event);
        let count = measure(|| machine.step(event.take().expect("one event per step")));
        machine.do_effects();
        (step, count.count_total)
    });
    counted.to_vec()
}

#[test]
fn a_step_that_stores_nothing_new_allocates_nothing() {
    for (step, count) in allocations::<Generated>() {
        if step.stores_nothing() {
            assert_eq!(count, 0, "{}", step.name());
        }
    }
}

#[test]
fn a_host_tool_runs_without_an_allocation() {
    let mut machine = Generated::default();
    for before in [Step::Start, Step::Draft, Step::Approve] {
        let event = machine.event(before);
        machine.step(event);
    }
    let mut event = Some(machine.event(Step::HostTool));
    let count = measure(|| machine.step(event.take().expect("one event")));
    assert_eq!(count.count_total, 0);
}

#[test]
fn a_step_allocates_no_more_than_one_written_by_hand() {
    for ((step, generated), (_, by_hand)) in allocations::<Generated>()
        .into_iter()
        .zip(allocations::<ByHand>())
    {
        println!("{:<12} {generated:>3} {by_hand:>3}", step.name());
        // A draft without a title keeps the title of the plan. Generated code writes each field once, so it copies the
        // title.
        let copied = u64::from(step == Step::Redraft);
        let boxed = u64::from(step.is_denied_with_parts());
        assert!(generated <= by_hand + copied + boxed, "{}", step.name());
    }
}

#[test]
fn the_reason_of_a_denial_is_two_words() {
    assert_eq!(size_of::<DenialReason>(), 2 * size_of::<usize>());
}

#[test]
fn an_idle_plan_is_its_data_and_at_most_64_bytes() {
    let record = size_of::<work_by_plan::Record>();
    let data = size_of::<work_by_plan::Data>();
    // The slot contains only a pointer to the record and the editions that the session has used.
    let slot = size_of::<Slot<work_by_plan::Machine>>();
    let pointer = size_of::<AnyPlan<work_by_plan::Machine>>();
    assert_eq!(slot, pointer + size_of::<Editions>());
    println!("record {record} bytes, including {data} bytes of data; slot {slot} bytes");
    let own = record - data + pointer;
    assert!(own <= 64, "{record} - {data} + {pointer}");
}

/// Returns the number of allocations of an expansion: reading, checking, proving and emitting a spec.
fn expansion(states: usize) -> u64 {
    let text = chain(states);
    let krate = quote!(::plan_machine);
    let count = measure(|| {
        let machine = compiled(&text).machine.expect("a spec without errors");
        black_box(rust::rust(&machine, &krate));
    });
    count.count_total
}

#[test]
fn the_work_of_an_expansion_grows_in_proportion_to_the_states() {
    let (small, large) = (expansion(50), expansion(400));
    println!("{small} allocations for 50 states, {large} for 400");
    // There are eight times as many states; sorting and searching trees add a little.
    assert!(large <= small * 9, "{large} > 9 * {small}");
}

#[test]
fn the_tools_of_a_state_are_one_index_into_a_table() {
    let mut names = Vec::with_capacity(8);
    let count = measure(|| names.extend(MACHINE.advertised(1).map(|tool| tool.name)));
    assert_eq!(names, ["plan_get", "plan_set_content"]);
    assert_eq!(count.count_total, 0);
}

#[test]
fn an_open_session_with_a_short_plan_takes_little_memory() {
    const OPEN: u32 = 1000;
    // Allocations are counted per thread.
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("a runtime");
    let store: Arc<dyn Store> = Arc::new(Memory::new());
    assert_eq!(runtime.block_on(leave_idle(&store, OPEN)), 0);
    let sessions = sessions(store);
    let mut opened = Vec::new();
    let taken = measure(|| opened = runtime.block_on(open(&sessions, OPEN)));
    let each = taken.bytes_current / i64::from(OPEN);
    println!("{each} bytes");
    assert!(
        (1..=MOST_BYTES_OF_A_SESSION).contains(&each),
        "{each} bytes"
    );
    assert_eq!(opened.len(), 1000);
}
