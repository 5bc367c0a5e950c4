"""The cells of the table for the agents that are not run here, because they need an account. The cells come from the
documentation of the agents, and from the tests of their adapters."""

OTHERS = {"claude-code": "Claude Code", "gemini": "Gemini CLI", "goose": "Goose", "cursor": "Cursor"}

# These agents do not prove who typed a prompt, so plan-machine accepts no command from a prompt.
UNPROVEN = ("gemini", "goose", "cursor")

KNOWN = {
    # For its hooks, Goose reports a subagent as a separate session.
    "subagent": {"goose": "**soft**: the subagent's own session denies it"},
    "subagent_approved": {"goose": "**soft**: the subagent's own session still denies it"},
    # Goose accepts no context for the model from a hook, and Cursor accepts it only at the start of a session.
    "compaction": {"goose": "**soft**: the model gets no prompt", "cursor": "**soft**: the model gets the prompt only at the start of a session"},
    "plan_off": dict.fromkeys(UNPROVEN, "only in a terminal"),
    "approval_by_prompt": dict.fromkeys(UNPROVEN, "only in a terminal"),
    "subagent_prompt": dict.fromkeys(UNPROVEN, "no prompt is a command"),
    "hangs": {
        "claude-code": '`onFailure: "block"`',
        "gemini": "**soft**: the call runs",
        "goose": '`on_failure: "block"`',
        "cursor": "`failClosed`",
    },
}


def cells(case):
    """Returns the cells of a row of the table, one for each of these agents."""
    return [KNOWN.get(case, {}).get(agent, "not run here") for agent in OTHERS]


LEGEND = [
    "*Not run here*: the agent needs an account. Its adapter is tested with events of its published types",
    "(`every_agent_reports_a_call`, `a_denial_is_the_same_for_every_agent`, `only_what_proves_a_person_counts_as_one`). Any",
    "other entry for such an agent comes from the agent's documentation, or follows from the content of its events.",
]
