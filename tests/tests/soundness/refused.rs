//! Machines that are rejected because of what can be reached: they have an unreachable state, an alternative that is
//! never taken, or an invariant that is not proved. Runs must stay within the explored space.

use plan_machine_compiler::diagnostic::Severity;
use plan_machine_compiler::prove::inspect::Explored;
use plan_machine_compiler::unproved;
use plan_machine_tests::Compiled;

use crate::brute::{Search, walk};
use crate::examine::Fault;

/// The codes about what can be reached, besides those of invariants (`PM06`). The exploration reports them; some of
/// them are also reported before it, because the graph of the states alone shows the problem.
const EXPLORED: [&str; 4] = ["PM0203", "PM0204", "PM0206", "PM0302"];

/// Runs a machine that is rejected; fails if a run leaves the explored space.
pub(crate) fn examine_refused(found: &Compiled) -> Vec<(Fault, String)> {
    let mut errors = found.compilation.diagnostics.iter();
    let is_explored = |code: &str| EXPLORED.contains(&code) || code.starts_with("PM06");
    let by_runs =
        errors.all(|found| found.severity != Severity::Error || is_explored(found.code.as_str()));
    let Some(machine) = unproved(&found.compilation).filter(|_| by_runs) else {
        return Vec::new();
    };
    if machine.is_many() {
        return Vec::new();
    }
    let explored = Explored::of(&machine);
    let run =
        Search::of(&machine, &explored, 2500).and_then(|_| walk(&machine, &explored, &[], 1, 6));
    let fault = run.err().map(|problem| (Fault::Unexplored, problem));
    fault.into_iter().collect()
}
