"""Measures durable events per second through LangGraph's SQLite checkpointer.

    python langgraph_events.py FILE

One graph with one node and one thread: each event is one invocation, which returns once its checkpoints are in FILE.
Prints the events per second, and for comparison the bare inserts per second from Python into a table of the same file.
"""

import sqlite3
import sys
import time
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

WARM_UP, EVENTS = 20, 300


class Plan(TypedDict):
    text: str


def write(plan: Plan) -> Plan:
    return {"text": plan["text"]}


def graph(saver: SqliteSaver):
    builder = StateGraph(Plan)
    builder.add_node("write", write)
    builder.add_edge(START, "write")
    builder.add_edge("write", END)
    return builder.compile(checkpointer=saver)


def rate(event) -> float:
    """Returns how many events can be sent per second."""
    for number in range(WARM_UP):
        event(number)
    began = time.perf_counter()
    for number in range(WARM_UP, WARM_UP + EVENTS):
        event(number)
    return EVENTS / (time.perf_counter() - began)


def main(path: str) -> None:
    with SqliteSaver.from_conn_string(path) as saver:
        compiled = graph(saver)
        thread = {"configurable": {"thread_id": "session-1"}}
        text = "# Plan {}\n\n1. Look.\n2. Leap.\n"
        events = rate(
            # Sessions give the same guarantee: the call returns once the event is stored.
            lambda number: compiled.invoke({"text": text.format(number)}, thread, durability="sync")
        )
        stored = len(list(saver.list(thread)))
        if stored < WARM_UP + EVENTS:
            sys.exit(f"{stored} checkpoints are stored, expected at least {WARM_UP + EVENTS}")
    print(round(events), round(rate(Inserts(path))))


class Inserts:
    """Bare inserts of a text, each in its own transaction."""

    def __init__(self, path: str) -> None:
        self.file = sqlite3.connect(path, isolation_level=None)
        self.file.execute("PRAGMA journal_mode = wal")
        self.file.execute("PRAGMA synchronous = full")
        self.file.execute("CREATE TABLE entry(seq INTEGER, body TEXT)")

    def __call__(self, number: int) -> None:
        self.file.execute("INSERT INTO entry VALUES(?, ?)", (number, "x" * 411))


if __name__ == "__main__":
    main(sys.argv[1])
