"""The sessions `record_then_replay`, in which a plan is a list of calls, and `work_by_plan`, in which every tool runs."""

from cases import case, closed, logged, ran, stored_plan, touch

APPENDS = [{"shell": f"echo {number} >> steps.txt"} for number in ("one", "two")]
CHANGED = "# Plan\n\nTouch another file."


def steps_run(t):
    """Returns the text that the recorded commands have written."""
    if not ran(t, "steps.txt"):
        return ""
    with open(t.world.path("steps.txt")) as file:
        return file.read()


@case("other sessions", "with `record_then_replay`, calls are recorded and do not run; after an approval, only the recorded calls run, in order and each once, and other calls are denied",
      needs="mcp", session="plan-specs:record_then_replay")
def recorded(t):
    talk, (one, two) = t.talk(), ([call] for call in APPENDS)
    begin, submit, done = ([{"own": [name, args]}] for name, args in (("plan_begin", {}), ("plan_submit", {"summary": "Count."}), ("plan_done", {})))
    t.model.script([begin, one, two, submit])
    talk.say("plan it")
    closed(t, "steps.txt")
    assert "Step 2 is recorded" in t.model.messages(), "the model does not know that its call was recorded"
    # Neither the second step nor any other call can begin, and no step runs twice.
    t.model.script([two, touch(), one, one, two, two, done, touch("FORBIDDEN-2")])
    talk.say(f".plan approve {t.world.token()}")
    assert steps_run(t) == "one\ntwo\n", steps_run(t)
    closed(t)
    closed(t, "FORBIDDEN-2")
    reported = rf"{t.agent.name} +call_ended"
    logged(t, talk, ["RECORDING → READY", r"user +approve +plan-1: READY → ", reported, reported])


@case("other sessions", "with `work_by_plan`, writes run without an approval; a plan that changes after its approval waits for another one, and the model's prompt says so",
      needs="mcp", session="plan-specs:work_by_plan")
def beside(t):
    talk = t.talk()
    t.model.script([touch("ALLOWED-1"), [{"own": ["plan_write", {"markdown": "# Plan\n\nTouch the file."}]}]])
    talk.say("plan it")
    assert ran(t, "ALLOWED-1"), "a write did not run without a plan"
    seen = len(t.model.requests)
    t.model.script([touch("ALLOWED-2"), [{"own": ["plan_write", {"markdown": CHANGED}]}]])
    talk.say(f".plan approve {t.world.token()}")
    assert ran(t, "ALLOWED-2"), "a write did not run after the approval"
    assert "The user has approved the plan" in t.model.messages(seen), "the model does not know of the approval"
    stored_plan(t, CHANGED)
    talk.say("go on")
    logged(t, talk, [rf"{t.shell} +run {t.shell}", "none → READY", r"approve +plan-1: READY → EXECUTING", r"EXECUTING → SUPERSEDED"])
    assert "no plan is approved" in t.model.messages(seen), "the model does not know that the changed plan waits"
