plan_machine::machine! {
    machine Note;
    effect saved { plan: id }
    effect closed;
    command begin = "/note";
    command end = "/done";
    state none { on begin => open { emit saved { plan: plan.id }; } }
    state open { on end => done next none { emit closed; } }
    final state done;
}

use note::Effect;

fn perform(effect: &Effect) {
    match effect {
        Effect::Saved { plan } => println!("saved {plan}"),
    }
}

fn main() {}
