plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use plan_machine::__private::Runtime;
use plan_machine::MachineTypes;
use work_by_plan::Machine;

type Seal = <Machine as MachineTypes>::Seal;

fn by_its_path() -> Seal {
    work_by_plan::seal::Seal(())
}

fn by_default() -> Seal {
    Default::default()
}

fn of_the_runtime() -> Runtime<Machine> {
    Runtime::calls()
}

fn of_the_runtime_by_hand() -> Runtime<Machine> {
    Runtime(std::marker::PhantomData)
}

fn main() {}
