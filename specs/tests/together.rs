//! Lifecycles side by side in one session.

use plan_machine::gate::{Gate, GateBuilder};
use plan_specs::{auto_run, plan_builder, plan_mode, planning_files, work_by_plan};

#[test]
fn auto_run_and_planning_files_work_with_every_plan_mode() {
    let beside = |assembly: GateBuilder| {
        assembly
            .with(auto_run::Machine)
            .with(planning_files::Machine)
    };
    for (name, assembly) in [
        ("work_by_plan", Gate::builder().with(work_by_plan::Machine)),
        ("plan_mode", Gate::builder().with(plan_mode::Machine)),
        ("plan_builder", Gate::builder().with(plan_builder::Machine)),
    ] {
        let opened = beside(assembly).open();
        assert!(opened.is_ok(), "{name}: {:?}", opened.err());
    }
}

#[test]
fn two_plan_modes_of_one_slot_do_not_share_a_session() {
    let both = Gate::builder()
        .with(work_by_plan::Machine)
        .with(plan_mode::Machine)
        .open();
    assert!(both.is_err_and(|conflict| conflict.to_string().contains("/plan on")));
}
