use plan_machine::HostTool;
use plan_machine::gate::{AllowedCall, ConfirmedCall};

fn run(call: ConfirmedCall) {
    println!("{}", call.tool());
}

fn without_a_confirmation(allowed: AllowedCall) {
    run(allowed);
}

fn by_hand(call: HostTool) {
    run(ConfirmedCall(call));
}

fn twice(confirmed: ConfirmedCall) {
    run(confirmed.clone());
    run(confirmed);
}

fn main() {}
