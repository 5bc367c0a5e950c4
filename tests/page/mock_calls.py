"""What the mock server does with calls, decisions and messages."""

import re

from mock_data import ONLY_READING
from mock_machines import MACHINES
from mock_sessions import now

READS = re.compile(r"^(ls|cat|rg|git status|git log|git diff)\b")


class Refused(Exception):
    def __init__(self, status, kind, title, detail, **more):
        super().__init__(detail)
        self.body = {"type": f"urn:plan-machine:{kind}", "title": title, "status": status, "detail": detail, **more}


def chat(store, session_id, text):
    """Takes a message and answers it."""
    said = store.messages.setdefault(session_id, [])
    for kind, words in (("you", text), ("text", f"You wrote: **{text}**")):
        said.append({"sessionId": session_id, "at": now(), "kind": kind, "text": words, "html": ""})
    store.lock.notify_all()


def decide(store, session, call):
    """Decides a call of the model."""
    name, args = call["name"], call.get("args", {})
    agent = session.id.partition(":")[0]
    machine = MACHINES[session.machine]
    if name == "plan_write" and session.state in ("none", "DRAFTING", "READY", "REJECTED"):
        text = session.write(args["markdown"], agent)
    elif name == "plan_done" and session.state == "EXECUTING":
        text = session.step(agent, "model", "plan_done", {}, "none", "The plan is done, and the tools are closed again.", None, [{"plan": session.plan, "state": "COMPLETED"}])
    elif session.state in machine["open"] or (name == "Bash" and READS.match(args.get("command", ""))):
        return {"decision": "run", "tool": name, "class": "reads", "text": None}
    else:
        denied = session.deny(name, args, ONLY_READING, agent)
        store.denied.append({"sessionId": session.id, "seq": session.seq, **{key: denied[key] for key in ("at", "actor", "tool", "args", "reason")}})
        store.save()
        store.lock.notify_all()
        return {"decision": "denied", "denial": {"kind": "not_allowed", "messages": [ONLY_READING]}, "text": ONLY_READING}
    store.stored(session, agent, "model", name)
    return {"decision": "applied", "machine": session.machine, "text": text}


def decision(store, session, body, actor):
    """Takes the decision of a person, or refuses it if it is about another text."""
    if body.get("once") in session.once:
        return {**session.once[body["once"]], "repeated": True}
    if not session.waits or body["plan"] != session.plan:
        raise Refused(409, "stale", "The plan has changed", f"The plan {body['plan']} waits no longer: it is in the state {session.state}.", sessionId=session.id, shown=None, current=None, card=None)
    if body["token"] != session.token:
        shown = next(({"token": version["token"], "content": version["content"]} for version in session.versions if version["token"] == body["token"]), None)
        raise Refused(409, "stale", "The plan has changed", f"The plan {session.plan} has changed since it was shown.", sessionId=session.id, shown=shown, current={"token": session.token, "content": session.content()}, card=session.card())
    text = session.approve(actor) if body["decision"] == "approve" else session.reject(actor, body.get("reason"))
    answer = {"sessionId": session.id, "accepted": True, "text": text, "seq": session.seq, "repeated": False, "plans": session.states()}
    if body.get("once"):
        session.once[body["once"]] = answer
    store.stored(session, actor, "person", body["decision"])
    return answer
