"""What is known about the agents that are not run here, because they need an account: from their documentation, and from
what the tests of the adapters show."""

OTHERS = {"claude-code": "Claude Code", "gemini": "Gemini CLI", "goose": "Goose", "cursor": "Cursor"}

# These agents do not prove who typed a prompt, so plan-machine takes no command from a prompt.
UNPROVEN = ("gemini", "goose", "cursor")

KNOWN = {
    # A subagent of Goose is a session of its own for the hooks.
    "subagent": {"goose": "**soft**: its own session denies it"},
    "subagent_approved": {"goose": "**soft**: its own session stays closed"},
    # Goose takes no context for the model from a hook, and Cursor only at the start of a session.
    "compaction": {"goose": "**soft**: no prompt", "cursor": "**soft**: prompt only at the start of a session"},
    "plan_off": dict.fromkeys(UNPROVEN, "only in a terminal"),
    "approval_by_prompt": dict.fromkeys(UNPROVEN, "only in a terminal"),
    "subagent_prompt": dict.fromkeys(UNPROVEN, "no prompt is a command"),
    "hangs": {
        "claude-code": '`onFailure: "block"`',
        "gemini": "**soft**: runs",
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
    "other entry for such an agent comes from the agent's documentation, or follows from what its events prove.",
]
