//! Measures the checkers in turn, and prints the best times.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::description::{Property, Size, Verdict};
use crate::process::Checked;
use crate::project::Project;
use crate::{explicit, promela, rust, spec, spin};

const ROUNDS: usize = 5;

/// The result and the cost of one check.
#[derive(Clone, Copy)]
struct Cost {
    verdict: Verdict,
    /// The number of configurations or states that the checker found.
    found: usize,
    time: Duration,
}

impl Cost {
    fn of(check: impl FnOnce() -> (Verdict, usize)) -> Self {
        let start = Instant::now();
        let (verdict, found) = check();
        let time = start.elapsed();
        Self {
            verdict,
            found,
            time,
        }
    }

    fn milliseconds(self) -> f64 {
        self.time.as_secs_f64() * 1000.0
    }

    fn rate(self) -> f64 {
        self.found as f64 / self.time.as_secs_f64()
    }
}

/// The costs of all checkers for one machine and one property.
pub struct Costs {
    plan_machine: Cost,
    stateright: Cost,
    /// stateright with a model that the Rust compiler builds; the time includes the build.
    built: Cost,
    /// SPIN with its translation and the C compiler, and its verifier alone; `None` if SPIN is not installed.
    spin: Option<(Cost, Cost)>,
}

/// Measures all checkers. Whatever is not part of a check, such as writing the models, is not measured.
///
/// # Errors
/// If a verdict is wrong, a model cannot be built, or SPIN fails.
pub fn times(
    size: Size,
    property: Property,
    folder: &Path,
    project: &Project,
) -> Result<Costs, String> {
    let described = size.description(property);
    let (text, model) = (spec::spec(&described), promela::model(&described));
    // A compiler takes so much longer than a search that one run is enough.
    let built = project.check(&rust::program(&described))?;
    let spin = spin::is_installed().then(|| spin::check(&model, folder));
    let mut best = Costs {
        plan_machine: Cost::of(|| spec::check(&text)),
        stateright: Cost::of(|| explicit::check(&described)),
        built: built.costs().0,
        spin: spin.transpose()?.map(|checked| checked.costs()),
    };
    for _ in 1..ROUNDS {
        let ours = Cost::of(|| spec::check(&text));
        best.plan_machine = faster(best.plan_machine, ours);
        let theirs = Cost::of(|| explicit::check(&described));
        best.stateright = faster(best.stateright, theirs);
    }
    if !best.agree(property) {
        let name = size.name();
        let verdicts: Vec<Verdict> = best.all().map(|cost| cost.verdict).collect();
        return Err(format!(
            "{name}, {property:?}: the verdicts are {verdicts:?}"
        ));
    }
    Ok(best)
}

impl Checked {
    fn costs(&self) -> (Cost, Cost) {
        let cost = |time| Cost {
            verdict: self.verdict,
            found: self.states,
            time,
        };
        (cost(self.time), cost(self.search))
    }
}

fn faster(one: Cost, other: Cost) -> Cost {
    if other.time < one.time { other } else { one }
}

impl Costs {
    fn all(&self) -> impl Iterator<Item = &Cost> {
        let spin = self.spin.iter().map(|(all, _)| all);
        [&self.plan_machine, &self.stateright, &self.built]
            .into_iter()
            .chain(spin)
    }

    /// Returns whether all verdicts are right.
    fn agree(&self, property: Property) -> bool {
        let mut all = self.all();
        all.all(|cost| cost.verdict == property.verdict())
    }

    /// Prints the verdict of plan-machine, the numbers of states and configurations, the times, and their ratios to the
    /// time of plan-machine.
    pub fn print(&self, table: &str, row: &str) {
        let cell = |column: &str, value: String| println!("{table}\t{row}\t{column}\t{value}");
        let time = |column: &str, ratio: &str, cost: Option<Cost>| {
            let ours = self.plan_machine.milliseconds();
            let missing = || "not measured".to_owned();
            let shown = cost.map(|cost| format!("{:.2}", cost.milliseconds()));
            cell(column, shown.unwrap_or_else(missing));
            let times = cost.map(|cost| format!("{:.2}", cost.milliseconds() / ours));
            cell(ratio, times.unwrap_or_else(missing));
        };
        cell("verdict", self.plan_machine.verdict.word().to_owned());
        cell("states", self.stateright.found.to_string());
        cell("configurations", self.plan_machine.found.to_string());
        let ours = self.plan_machine.milliseconds();
        cell("plan-machine", format!("{ours:.2}"));
        time("stateright", "ratio", Some(self.stateright));
        time("stateright, built", "ratio#2", Some(self.built));
        time("SPIN", "ratio#3", self.spin.map(|(all, _)| all));
        time(
            "SPIN's verifier",
            "ratio#4",
            self.spin.map(|(_, verifier)| verifier),
        );
    }

    /// Prints how many configurations or states each checker found per second.
    pub fn print_rates(&self, table: &str, row: &str) {
        let rate = |column: &str, cost: Option<Cost>| {
            let shown = cost.map(|cost| format!("{:.0}", cost.rate()));
            let shown = shown.unwrap_or_else(|| "not measured".to_owned());
            println!("{table}\t{row}\t{column}\t{shown}");
        };
        rate("plan-machine", Some(self.plan_machine));
        rate("stateright", Some(self.stateright));
        rate("SPIN", self.spin.map(|(all, _)| all));
        rate("SPIN's verifier", self.spin.map(|(_, verifier)| verifier));
    }
}
