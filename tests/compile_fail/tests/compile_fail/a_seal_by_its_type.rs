plan_machine::machine!("corpus/valid/work_by_plan.yaml");

type Seal = <work_by_plan::Machine as plan_machine::MachineTypes>::Seal;

fn by_its_type() -> Seal {
    Seal { 0: () }
}

fn main() {}
