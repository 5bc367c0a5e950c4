//! A user's crate with one spec.

plan_machine::machine!("../../../tests/corpus/valid/work_by_plan.yaml");
