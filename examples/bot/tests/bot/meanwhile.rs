//! Lines that arrive while a step of a plan runs.

use std::sync::Arc;

use crate::kit::{Place, Watched, active, chat, errors, times};

const BUILT: &str = r"
- contains: Carry out
  model:
    - text: Done.
- user: Plan it.
  model:
    - calls: [{ create_draft: { goal: A boat } }]
    - calls:
        - set_assumptions: { values: [a] }
        - set_risks: { values: [b] }
        - set_verification: { values: [c] }
        - set_files: { values: [d] }
        - add_step: { agent: coder, task: Build it. }
        - submit
    - text: Here it is.
";

#[tokio::test]
async fn a_plan_that_is_being_carried_out_is_not_carried_out_again_by_a_second_line() {
    let place = Place::new();
    let model = Arc::new(Watched::waiting(BUILT));
    let bot = place.bot_with(model.clone());
    let chat = chat("a");
    bot.handle(&chat, "/mode plan_builder").await;
    model.go.add_permits(3);
    for line in ["Plan it.", "/plan approve"] {
        bot.handle(&chat, line).await;
    }
    let again = async {
        let step = model.began.acquire_many(4).await;
        step.expect("the step works").forget();
        let ends = async { model.go.close() };
        let (said, ()) = tokio::join!(bot.handle(&chat, "/plan execute plan-1"), ends);
        said
    };
    let (_, said) = tokio::join!(bot.handle(&chat, "/plan execute plan-1"), again);
    let refused = "`/plan execute` does not apply: plan-1 is being carried out";
    assert!(errors(&said)[0].starts_with(refused), "{said:?}");
    let session = active(&bot, &chat).await;
    assert_eq!(times(&session, "step_claimed").await, 1);
}
