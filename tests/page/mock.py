#!/usr/bin/env python3
"""A server with the HTTP interface of plan-machine-server, for work on the page: the standard library and data that is
made up. It prints one line of JSON with its address, a one-time link and a token for programs."""

import argparse
import json
import os
import re
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

from mock_calls import Refused, chat, decide, decision
from mock_data import MEMORY, PROOFS, seed
from mock_sessions import Session, Store

ASSETS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "plan-machine-server", "assets")
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html", ".svg": "image/svg+xml"}
CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "mock"

    def log_message(self, *_):
        pass

    # Answers.

    def send(self, status, body, kind="application/json", headers=()):
        data = body if isinstance(body, bytes) else json.dumps(body).encode() if not isinstance(body, str) else body.encode()
        self.send_response(status)
        for name, value in (("Content-Type", kind + "; charset=utf-8"), ("Content-Length", str(len(data))), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), *headers):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def role(self):
        store = self.server.store
        if self.headers.get("Authorization") == f"Bearer {self.server.token}":
            return "agent", "host"
        found = re.search(r"plan_machine=([0-9a-f]+)", self.headers.get("Cookie", ""))
        if found and found[1] in store.kept["cookies"]:
            return store.kept["cookies"][found[1]], "person"
        raise Refused(401, "unauthorized", "Not signed in", "Open the link that the server printed.")

    def do_GET(self):
        self.run(self.read)

    def do_POST(self):
        self.run(self.write)

    def run(self, act):
        try:
            try:
                url = urlsplit(self.path)
                act(url.path, {key: values[0] for key, values in parse_qs(url.query).items()})
            except Refused as refused:
                self.send(refused.body["status"], refused.body, "application/problem+json", [("Cache-Control", "no-store")])
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def api(self, body):
        self.send(200, body, headers=[("Cache-Control", "no-store")])

    def session(self, session_id):
        found = self.server.store.sessions.get(session_id)
        if not found:
            raise Refused(404, "not-found", "Not found", f"There is no session `{session_id}`.")
        return found

    # Reads.

    def read(self, path, query):
        store = self.server.store
        if path == "/open":
            return self.open_link(query.get("key"))
        actor, role = self.role()
        if path == "/" or re.match(r"^/(session/|proofs|inbox)", path):
            return self.asset("index.html")
        if path.startswith("/assets/"):
            return self.asset(path[8:])
        if path == "/api/events":
            return self.stream(query, lambda entry: True, "place")
        parts = [unquote(part) for part in path.split("/")[3:]]
        if path.startswith("/api/sessions/") and parts[1:] == ["events"]:
            return self.stream(query, lambda entry: entry["sessionId"] == parts[0], "seq", parts[0])
        with store.lock:
            place = f"0.{len(store.log)}"
            if path == "/api/me":
                return self.api({"actor": actor, "role": role, "project": {"name": "work", "root": "/home/ann/work", "document": "LookThenAct"}, "prefix": ".", "version": "0.1.0", "chat": self.server.chat, "memory": True, "store": {"reachable": True, "caughtUp": True, "problem": None}})
            if path == "/api/inbox":
                waiting = sorted((one.waiting() for one in store.sessions.values() if one.waits), key=lambda item: item["since"])
                return self.api({"waiting": waiting, "total": len(waiting), "next": None, "place": place})
            if path == "/api/sessions":
                rows = sorted(store.sessions.values(), key=lambda one: one.since, reverse=True)
                return self.api({"sessions": [{**one.head(), "at": one.since, "waiting": int(one.waits), "states": one.states()} for one in rows], "next": None, "place": place})
            if path == "/api/proofs":
                return self.api(PROOFS)
            if path == "/api/memory":
                return self.api({"sessionId": query["sessionId"], **(MEMORY if query["sessionId"] == "web:abcdefgh" else {"scopes": [f"session:{query['sessionId']}", "global"], "items": []})})
            if path.startswith("/api/sessions/"):
                session = self.session(parts[0])
                if len(parts) == 1:
                    return self.api(session.whole())
                if parts[1] == "messages":
                    return self.api({"sessionId": session.id, "messages": store.messages.get(session.id, [])})
                if parts[1] == "versions":
                    return self.api({"sessionId": session.id, "versions": session.versions[:20], "complete": True})
                if parts[1] == "timeline":
                    before = int(query.get("before", 10**9))
                    limit = int(query.get("limit", 50))
                    rows = [event for event in session.events if (event["seq"] if event["seq"] is not None else 0) < before or event["seq"] is None]
                    numbers = [event["seq"] for event in rows[:limit] if event["seq"] is not None]
                    return self.api({"sessionId": session.id, "events": rows[:limit], "next": min(numbers) if len(rows) > limit and numbers else None})
        raise Refused(404, "not-found", "Not found", f"There is no path `{path}`.")

    def open_link(self, key):
        store = self.server.store
        if key != self.server.key:
            return self.send(401, "<!doctype html><title>plan-machine</title><p>This link was used. The server prints a new one.", "text/html")
        cookie = secrets.token_hex(16)
        with store.lock:
            store.kept["cookies"][cookie] = "ann"
            store.save()
        self.send(200, "<!doctype html><title>plan-machine</title><meta http-equiv=refresh content='0;url=/'>", "text/html", [("Set-Cookie", f"plan_machine={cookie}; HttpOnly; SameSite=Strict; Path=/")])

    def asset(self, name):
        file = os.path.join(ASSETS, name)
        if "/" in name or not os.path.isfile(file) or os.path.splitext(name)[1] not in TYPES:
            raise Refused(404, "not-found", "Not found", "There is no such file.")
        with open(file, "rb") as source:
            self.send(200, source.read(), TYPES[os.path.splitext(name)[1]], [("Content-Security-Policy", CSP), ("Cache-Control", "no-cache")])

    def stream(self, query, wanted, name, session_id=None):
        store = self.server.store
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True

        def out(event, data, key=None):
            text = (f"id: {key}\n" if key is not None else "") + f"event: {event}\ndata: {json.dumps(data)}\n\n"
            self.wfile.write(text.encode())
            self.wfile.flush()

        with store.lock:
            at, seen, said = len(store.log), len(store.denied), len(store.messages.get(session_id, []))
            after = self.headers.get("Last-Event-ID") or query.get("after")
            if after is not None and name == "place":
                at = min(at, int(after.split(".")[1]))
        out("hello", {"place": f"0.{at}"})
        while True:
            with store.lock:
                if len(store.log) == at and len(store.denied) == seen and len(store.messages.get(session_id, [])) == said:
                    store.lock.wait(10)
                entries, denied = store.log[at:], store.denied[seen:]
                messages = store.messages.get(session_id, [])[said:]
                at, seen, said = len(store.log), len(store.denied), said + len(messages)
            for message in messages:
                out("message", message)
            for entry in filter(wanted, entries):
                out("entry", entry, entry[name])
            for call in filter(wanted, denied):
                out("denied", call)
            if not entries and not denied and not messages:
                self.wfile.write(b":\n\n")
                self.wfile.flush()

    # Writes.

    def write(self, path, _):
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
        actor, role = self.role()
        if role == "person" and self.headers.get("Origin") != f"http://{self.headers.get('Host')}":
            raise Refused(403, "forbidden", "Foreign origin", "The origin is not the server's own.")
        found = re.match(r"^/api/sessions/([^/]+)/(decide|decision|command|messages)$", path)
        if not found:
            raise Refused(404, "not-found", "Not found", f"There is no path `{path}`.")
        store = self.server.store
        with store.lock:
            session_id = unquote(found[1])
            if found[2] == "decide":
                session = store.sessions.setdefault(session_id, Session(session_id, "work", "LookThenAct"))
                return self.api({"sessionId": session_id, "seq": session.seq, "repeated": False, "decisions": [decide(store, session, call) for call in body["calls"]]})
            if found[2] == "messages":
                chat(store, session_id, body["text"])
                return self.send(202, {"sessionId": session_id})
            if found[2] == "command":
                session = self.session(session_id)
                answer = session.command(body["line"], actor)
                if answer["accepted"]:
                    store.stored(session, actor, "person", body["line"])
                return self.api({"sessionId": session_id, "seq": session.seq, "repeated": False, **answer, "answers": []})
            if role != "person":
                raise Refused(403, "forbidden", "Not allowed", "Only a person decides.")
            return self.api(decision(store, self.session(session_id), body, actor))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 128


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--chat", action="store_true", help="have chats")
    parser.add_argument("--state", help="a file that keeps the sessions over a restart")
    options = parser.parse_args()
    server = Server(("127.0.0.1", options.port), Handler)
    server.store, server.chat = Store(options.state), options.chat
    with server.store.lock:
        if not server.store.sessions:
            seed(server.store)
    server.key, server.token = secrets.token_hex(8), server.store.kept.setdefault("token", secrets.token_hex(16))
    server.store.save()
    url = f"http://127.0.0.1:{server.server_address[1]}"
    print(json.dumps({"url": url, "open": f"{url}/open?key={server.key}", "token": server.token}), flush=True)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    thread.join()


if __name__ == "__main__":
    main()
