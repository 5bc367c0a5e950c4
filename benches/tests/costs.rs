//! Limits on the costs of every step that hold on any computer: allocations and sizes are exact.

use std::mem::size_of;

use allocation_counter::measure;
use plan_machine::{AnyPlan, Editions, Slot};
use plan_machine_benches::script::{ByHand, Generated, Machine, SCRIPT, Step};
use plan_machine_benches::work_by_plan::{self, MACHINE};

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
fn a_tool_of_the_host_runs_without_an_allocation() {
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
        assert!(generated <= by_hand + copied, "{}", step.name());
    }
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

#[test]
fn the_tools_of_a_state_are_one_index_into_a_table() {
    let mut names = Vec::with_capacity(8);
    let count = measure(|| names.extend(MACHINE.advertised(1).map(|tool| tool.name)));
    assert_eq!(names, ["plan_get", "plan_set_content"]);
    assert_eq!(count.count_total, 0);
}
