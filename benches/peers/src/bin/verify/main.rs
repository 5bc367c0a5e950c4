//! Checks the same machines with plan-machine, stateright and SPIN, and measures the time to the verdict.
//!
//! Prints a line for each measurement: table, row, column and value, separated by tabs. Times are in milliseconds.
//! Fails if a verdict is wrong. The test of this program compares the verdicts without measuring.

mod description;
mod explicit;
mod folder;
mod measure;
mod process;
mod project;
mod promela;
mod rust;
mod spec;
mod spin;

use std::process::ExitCode;

use description::{COUNTED, Property, RANGED};
use folder::Folder;
use project::Project;

fn main() -> ExitCode {
    match measured() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn measured() -> Result<(), String> {
    let folder = Folder::new().map_err(|error| format!("cannot create a folder: {error}"))?;
    let project = Project::new()?;
    for (table, sizes) in [("counted", COUNTED), ("ranged", RANGED)] {
        for size in sizes {
            let times = |property| measure::times(*size, property, folder.path(), &project);
            let held = times(Property::Holds)?;
            held.print(&format!("{table}_holds"), &size.name());
            held.print_rates(&format!("{table}_rates"), &size.name());
            let broken = times(Property::Broken)?;
            broken.print(&format!("{table}_broken"), &size.name());
            let far = times(Property::BrokenFarAway)?;
            far.print(&format!("{table}_far"), &size.name());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use description::{Size, Verdict};

    fn verdicts(size: Size, property: Property, folder: Option<&Folder>) -> Vec<Verdict> {
        let described = size.description(property);
        let mut all = vec![
            spec::check(&spec::spec(&described)).0,
            explicit::check(&described).0,
        ];
        if let Some(folder) = folder {
            let model = promela::model(&described);
            all.push(spin::check(&model, folder.path()).expect("a run").verdict);
        }
        all
    }

    #[test]
    fn all_checkers_give_the_right_verdict_on_every_machine() {
        let folder = spin::is_installed().then(|| Folder::new().expect("a folder"));
        if folder.is_none() {
            eprintln!("SPIN is not installed, so only plan-machine and stateright are compared");
        }
        for size in COUNTED.iter().chain(RANGED) {
            for property in [Property::Holds, Property::Broken, Property::BrokenFarAway] {
                for verdict in verdicts(*size, property, folder.as_ref()) {
                    assert_eq!(verdict, property.verdict(), "{}, {property:?}", size.name());
                }
            }
        }
    }

    #[test]
    fn all_checkers_find_the_same_states_where_every_value_is_distinguished() {
        let folder = spin::is_installed().then(|| Folder::new().expect("a folder"));
        for size in COUNTED {
            let described = size.description(Property::Holds);
            let (_, states) = explicit::check(&described);
            let (_, configurations) = spec::check(&spec::spec(&described));
            assert_eq!(configurations, states, "{}", size.name());
            if let Some(folder) = &folder {
                let model = promela::model(&described);
                let checked = spin::check(&model, folder.path()).expect("a run");
                assert_eq!(checked.states, states, "{}", size.name());
            }
        }
    }

    #[test]
    fn a_built_model_of_stateright_finds_the_states_of_the_interpreted_one() {
        let project = Project::new().expect("a project");
        for size in [COUNTED[1], COUNTED[3], RANGED[1]] {
            for property in [Property::Holds, Property::Broken, Property::BrokenFarAway] {
                let described = size.description(property);
                let (verdict, states) = explicit::check(&described);
                let built = project.check(&rust::program(&described)).expect("a run");
                let name = size.name();
                assert_eq!(
                    (built.verdict, built.states),
                    (verdict, states),
                    "{name}, {property:?}"
                );
            }
        }
    }
}
