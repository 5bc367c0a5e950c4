"""Two machines of the mock server as tables: states, transitions and what happens to calls. They follow the shipped
specs look_then_act and record_then_replay closely enough for the page."""

ALL = ("none", "DRAFTING", "READY", "REJECTED", "EXECUTING")

LOOK = {
    "name": "LookThenAct",
    "doc": "Look, then act: the model reads until a person has approved its plan.",
    "states": {
        "none": ("none", "There is no plan. Only reading runs.", [], False),
        "DRAFTING": ("planning", "No plan is stored yet.", ["held", "planning"], False),
        "READY": ("waiting for approval", "A plan is stored and is waiting for the user's approval.", ["held", "planning"], False),
        "REJECTED": ("rejected", "The user has rejected the plan. The model stores another one.", ["held", "planning"], False),
        "EXECUTING": ("carrying the plan out", "The user has approved the plan. It can no longer change, and every call runs.", ["held"], False),
        "OFF": ("plan mode off", "The user has turned plan mode off. Every tool runs, and there is no plan.", [], False),
        "COMPLETED": ("COMPLETED", "The plan was carried out.", [], True),
        "STOPPED": ("STOPPED", "The user stopped the plan. A copy waits for approval.", [], True),
        "CANCELLED": ("CANCELLED", "The user dropped the plan or turned plan mode off.", [], True),
        "CLOSED": ("CLOSED", "Plan mode was turned on again.", [], True),
    },
    # from, to, event, label, by, next, when
    "edges": [
        ("none", "DRAFTING", "plan_on", ".plan on", "person", None, ""),
        ("none", "READY", "plan_write", "plan_write", "model", None, ""),
        ("none", "OFF", "plan_off", ".plan off", "person", None, ""),
        *[(state, "READY" if state != "READY" else None, "plan_write", "plan_write", "model", None, "") for state in ("DRAFTING", "READY", "REJECTED")],
        *[(state, "CANCELLED", "finish", ".plan done", "person", "none", "") for state in ("DRAFTING", "READY", "REJECTED")],
        *[(state, "CANCELLED", "plan_off", ".plan off", "person", "OFF", "") for state in ("DRAFTING", "READY", "REJECTED", "EXECUTING")],
        ("READY", "EXECUTING", "approve", ".plan approve", "person", None, ""),
        ("READY", "REJECTED", "reject", ".plan reject", "person", None, "event.reason is blank"),
        ("READY", "REJECTED", "reject", ".plan reject", "person", None, ""),
        ("READY", None, "plan_read", "plan_read", "model", None, ""),
        ("READY", None, "resumed", "resumed", "host", None, ""),
        ("EXECUTING", None, "plan_read", "plan_read", "model", None, ""),
        ("EXECUTING", "COMPLETED", "plan_done", "plan_done", "model", "none", ""),
        ("EXECUTING", "COMPLETED", "finish", ".plan done", "person", "none", ""),
        ("EXECUTING", "STOPPED", "plan_on", ".plan on", "person", "READY", ""),
        ("EXECUTING", "STOPPED", "resumed", "resumed", "host", "READY", ""),
        ("OFF", "CLOSED", "plan_on", ".plan on", "person", "DRAFTING", ""),
        ("OFF", "CLOSED", "resumed", "resumed", "host", "none", ""),
        *[(state, None, event, ".plan " + event, "person", None, "") for state in (*ALL, "OFF") for event in ("show", "status")],
    ],
    "open": ("EXECUTING", "OFF"),
    "recording": (),
    "own": {"plan_write": ("none", "DRAFTING", "READY", "REJECTED"), "plan_read": ("READY", "REJECTED", "EXECUTING"), "plan_done": ("EXECUTING",)},
    "asked": "Approve the plan as it was shown, so that the model carries it out.",
    "effect": "plan_approved",
    "approved": "EXECUTING",
    "text": "The plan is approved. Every tool runs until the plan is done.",
}

RECORD = {
    "name": "RecordThenReplay",
    "doc": "Record, then replay: calls that change something are recorded, and exactly these run after the approval.",
    "states": {
        "none": ("none", "There is no plan. Only reading runs.", [], False),
        "RECORDING": ("recording", "Calls that change something are recorded as steps.", ["held", "planning"], False),
        "READY": ("waiting for approval", "The recorded calls wait for the user's approval.", ["held", "planning"], False),
        "REJECTED": ("rejected", "The user has rejected the plan. The model changes it.", ["held", "planning"], False),
        "NEXT_STEP": ("next step", "The next recorded call may run.", ["held", "REPLAYING"], False),
        "STEP_RUNNING": ("step running", "A recorded call was allowed to run, and its result is not known yet.", ["held", "REPLAYING"], False),
        "STEP_FAILED": ("step failed", "A step failed. The user decides how it continues.", ["held", "REPLAYING"], False),
        "OFF": ("plan mode off", "The user has turned plan mode off. Every tool runs.", [], False),
        "COMPLETED": ("COMPLETED", "All steps have run.", [], True),
        "CANCELLED": ("CANCELLED", "The user dropped the plan.", [], True),
    },
    "edges": [
        ("none", "RECORDING", "plan_begin", "plan_begin", "model", None, ""),
        ("none", "RECORDING", "plan_on", ".plan on", "person", None, ""),
        ("none", "OFF", "plan_off", ".plan off", "person", None, ""),
        ("RECORDING", "READY", "plan_submit", "plan_submit", "model", None, "steps is not empty"),
        ("RECORDING", None, "writes", "writes", "model", None, ""),
        ("RECORDING", "CANCELLED", "finish", ".plan done", "person", "none", ""),
        ("READY", "NEXT_STEP", "approve", ".plan approve", "person", None, ""),
        ("READY", "REJECTED", "reject", ".plan reject", "person", None, ""),
        ("READY", "CANCELLED", "plan_begin", "plan_begin", "model", "RECORDING", ""),
        ("READY", "CANCELLED", "finish", ".plan done", "person", "none", ""),
        ("READY", "CANCELLED", "plan_off", ".plan off", "person", "OFF", ""),
        ("REJECTED", "RECORDING", "plan_begin", "plan_begin", "model", None, ""),
        ("NEXT_STEP", "STEP_RUNNING", "writes", "writes", "model", None, "the call equals the next step"),
        ("NEXT_STEP", "COMPLETED", "plan_done", "plan_done", "model", "none", ""),
        ("STEP_RUNNING", "NEXT_STEP", "call_ended", "call_ended", "host", None, ""),
        ("STEP_RUNNING", "STEP_FAILED", "call_ended", "call_ended", "host", None, "event.failed"),
        ("STEP_RUNNING", "COMPLETED", "call_ended", "call_ended", "host", "none", "it was the last step"),
        ("STEP_FAILED", "NEXT_STEP", "again", ".plan again", "person", None, ""),
        ("STEP_FAILED", "NEXT_STEP", "skip", ".plan skip", "person", None, ""),
        ("STEP_FAILED", "COMPLETED", "finish", ".plan done", "person", "none", ""),
        ("OFF", "CANCELLED", "plan_on", ".plan on", "person", "RECORDING", ""),
        *[(state, None, event, ".plan " + event, "person", None, "") for state in ("none", "READY", "RECORDING") for event in ("show", "status")],
    ],
    "open": ("OFF",),
    "recording": ("RECORDING",),
    "own": {"plan_begin": ("none", "RECORDING", "READY", "REJECTED"), "plan_submit": ("RECORDING",), "plan_drop": ("RECORDING",), "plan_read": ("RECORDING", "READY", "REJECTED", "NEXT_STEP", "STEP_RUNNING", "STEP_FAILED"), "plan_done": ("NEXT_STEP", "STEP_FAILED")},
    "asked": "Approve the recorded calls as they were shown, so that they run.",
    "effect": "plan_approved",
    "approved": "NEXT_STEP",
    "text": "The plan is approved. Exactly these calls run now.",
}

MACHINES = {machine["name"]: machine for machine in (LOOK, RECORD)}


def ranks(machine):
    """The number of transitions from `none` to each state."""
    found, todo = {"none": 0}, ["none"]
    while todo:
        here = todo.pop(0)
        for source, target, _, _, _, after, _ in machine["edges"]:
            for state in (target, after):
                if source == here and state and state not in found:
                    found[state] = found[here] + 1
                    todo.append(state)
    return found


def chart(machine, state):
    """The chart as the contract has it."""
    rank = ranks(machine)
    nodes = [
        {"name": name, "title": title, "doc": doc, "within": within, "final": final, "current": name == state, "rank": rank.get(name, 0)}
        for name, (title, doc, within, final) in machine["states"].items()
    ]
    edges = [
        {"from": source, "to": target, "event": event, "label": label, "by": by, "reviewed": event == "approve", "when": when, "require": [], "next": after, "live": source == state}
        for source, target, event, label, by, after, when in machine["edges"]
    ]
    return {"nodes": nodes, "edges": edges}


def calls(machine, state):
    """What happens to calls in a state."""
    closed = "record" if state in machine["recording"] else "may_run" if state == "NEXT_STEP" else "run" if state in machine["open"] else "deny"
    classes = [("reads", "run"), ("inner", "run"), ("plan_notes", closed), ("writes", closed), ("guard", "deny")]
    own = [(name, "run" if state in states else "deny") for name, states in machine["own"].items()]
    return [{"name": name, "kind": "class", "decision": what} for name, what in classes] + [{"name": name, "kind": "own", "decision": what} for name, what in own]
