plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::{Identity, WriteScope, level};
use plan_machine::scope::__private;

fn without_a_promotion(identity: &Identity) -> WriteScope<level::Global> {
    __private::write_scope(identity.read_global().into_key())
}

fn with_a_seal_of_ones_own(identity: &Identity) -> WriteScope<level::Global> {
    __private::write_scope(identity.read_global().into_key(), memory::seal::Seal(()))
}

fn main() {}
