plan_machine::scopes!("corpus/scopes/valid/memory.yaml");

use memory::{AnyScope, Identity, ScopeKey};

fn forge(identity: &Identity) {
    let _ = ScopeKey { level: "global", text: "global".into(), partition: None };
    let _ = ScopeKey::from("task:t1");
    let _ = AnyScope::parse("task:t1", identity).map(|stored| stored.key);
}

fn main() {}
