plan_machine::machine!("corpus/valid/work_by_plan.yaml");

use work_by_plan::Tool;

fn icon(tool: Tool) -> char {
    match tool {
        Tool::PlanSetContent => '✎',
    }
}

fn main() {}
