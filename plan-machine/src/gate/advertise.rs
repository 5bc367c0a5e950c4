//! The tools and prompts that the model sees. They come from the same table that determines which calls of the model
//! are allowed.

use plan_machine_kernel::json::Json;
pub use plan_machine_kernel::tools::Shape;

use super::state::Gate;

impl Gate {
    /// Returns the tools that the model may call now, sorted by name: the machines' own tools that are available now,
    /// and the host tools that would run or be recorded.
    #[must_use]
    pub fn advertised(&self, shape: Shape) -> Json {
        let mut tools = self.own_tools();
        for tool in self.machine_set.host_tools() {
            let handling = self.handling_of(&tool.name);
            if handling.may_run() || handling.may_record() {
                tools.push((
                    tool.name.clone(),
                    tool.description.clone(),
                    tool.schema.clone().into(),
                ));
            }
        }
        tools.sort_by(|one, other| one.0.cmp(&other.0));
        let shaped = tools
            .into_iter()
            .map(|(name, doc, schema)| shape.tool(&name, &doc, schema));
        Json::List(shaped.collect())
    }

    /// Returns the name, description and schema of each tool that a machine itself defines, that is available now, and
    /// that no other machine blocks.
    fn own_tools(&self) -> Vec<(String, String, Json)> {
        let mut tools = Vec::new();
        for (at, machine) in self.machines.iter().enumerate() {
            if self.blocked(at).is_some() {
                continue;
            }
            let tables = machine.description();
            for name in machine.advertised() {
                let event = tables.event_named(&name).map(|at| tables.event(at));
                let open = |event: &&_| self.hindrance(at, event, &[]).is_none();
                let Some(event) = event.filter(open) else {
                    continue;
                };
                let schema = Json::parse(event.schema).unwrap_or_default();
                tools.push((name, event.doc.to_owned(), schema));
            }
        }
        tools
    }

    /// Returns the prompts of the machines' current states, machine by machine. In a machine with many plans, these are
    /// `none` and the states of its plans.
    #[must_use]
    pub fn prompts(&self) -> Vec<&'static str> {
        let mut prompts = Vec::new();
        for (at, machine) in self.machines.iter().enumerate() {
            if self.blocked(at).is_some() {
                continue;
            }
            let tables = machine.description();
            let mut states = vec![machine.batch_start().place()];
            if tables.is_many() {
                let plans = machine.plans();
                states.extend(
                    plans
                        .iter()
                        .filter_map(|plan| tables.state_named(&plan.state)),
                );
            }
            states.dedup();
            let texts = states.into_iter().map(|state| tables.state(state).prompt);
            prompts.extend(texts.filter(|text| !text.is_empty()));
        }
        prompts.dedup();
        prompts
    }
}
