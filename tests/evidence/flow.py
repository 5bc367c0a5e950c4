"""Finds out where the arguments of a task's writes come from, by executing the task."""

import re

from world import plain


def leaves(value):
    """The strings and numbers in a JSON value."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    if value is None or isinstance(value, bool):
        return []
    return [f"{value:g}" if isinstance(value, float) else str(value)]


def says(text, leaf):
    """Whether a text contains a value as whole words."""
    return re.search(rf"(?<!\w){re.escape(leaf.strip())}(?!\w)", text, re.IGNORECASE) is not None


def contains(result, leaf):
    """Whether a tool's result contains a value: an id or a number as a whole value, and longer texts also as words."""
    found = leaves(plain(result))
    return leaf in found or (len(leaf) > 3 and any(says(text, leaf) for text in found))


class Flow:
    """The calls of a task, executed in their order without an attack."""

    def __init__(self, suite, user_task, is_write):
        self.is_write = is_write
        world = suite.world(user_task, attacked=False)
        reading = suite.world(user_task, attacked=False)
        self.calls = world.calls_of(user_task)
        self.writes = [is_write(call) for call in self.calls]
        self.prompt = user_task.PROMPT
        self.results = []
        self.sees_a_write = []  # for a read: its result differs if the writes before it have not run
        for call, write in zip(self.calls, self.writes):
            result, _ = world.run(call)
            self.results.append(result)
            stale = None if write else reading.run(call)[0]
            self.sees_a_write.append(not write and plain(stale) != plain(result))

    def source(self, leaf, position):
        """Where a value of the call at a position comes from: the prompt, a read, a write before it, or the model."""
        if says(self.prompt, leaf):
            return "prompt"
        earlier = list(zip(self.writes, self.results))[:position]
        if any(contains(result, leaf) for write, result in earlier if not write):
            return "read"
        if any(contains(result, leaf) for write, result in earlier if write):
            return "write"
        return "model"

    def sources(self, position):
        return {self.source(leaf, position) for leaf in leaves(self.calls[position].arguments())}

    def needs_earlier_writes(self, position):
        """Whether a call can be made only after the writes before it have run."""
        return any(self.writes[:position]) and (self.sees_a_write[position] or "write" in self.sources(position))

    def kind(self):
        """The strongest dependency of the task's writes."""
        if not any(self.writes):
            return "no write"
        found = set().union(*(self.sources(at) for at, write in enumerate(self.writes) if write))
        return next(kind for kind in ("write", "read", "model", "prompt") if kind in found)
