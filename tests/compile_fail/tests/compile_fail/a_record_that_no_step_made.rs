plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use plan_machine::{Id, RecordFields};
use work_by_plan::{Data, Machine, Record, State};

fn started(data: Data) -> Box<Record> {
    Record::start(Id::from("plan-1"), State::Executing, data, 1)
}

fn succeeding(before: &Record, data: Data) -> Box<Record> {
    before.succeed(Id::from("plan-2"), State::Executing, data, 1)
}

fn of_fields(fields: RecordFields<Machine>) -> Record {
    Record::restored(fields)
}

fn of_parts(fields: RecordFields<Machine>) -> plan_machine::Record<Machine> {
    plan_machine::Record(fields)
}

fn main() {}
