"""A scripted model: an HTTP server that answers like OpenAI's Responses API (Codex) and like a chat completion (opencode).

A script is a list of steps for the agent itself, and a list of steps for its subagents. A step is one response: a list of
calls, or a text, or a function that returns a list of calls or a text when the agent asks. At the end of a script, the
model says "done". Calls are written without the names that an agent gives its tools:

    {"shell": "touch x"}            run a command
    {"write": ["x", "content"]}     write a file with the agent's own tool
    {"spawn": "prompt"}             start a subagent
    {"wait": "subagent"}            wait for the end of the last subagent (Codex starts it in the background)
    {"own": ["plan_write", {...}]}  call a tool of plan-machine's MCP server
    {"other": ["tool", {...}]}      call any other tool by its name
"""

import http.server
import json
import re
import threading
import time

SUBAGENT = "SUBTASK"


class Model:
    def __init__(self):
        self.lock = threading.Lock()
        self.main, self.sub, self.requests, self.problems = [], [], [], []
        self.calls, self.waits, self.marker = 0, 0, SUBAGENT
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply(b'{"data":[],"models":[]}', "application/json")

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                try:
                    answer = model.answer(self.path, json.loads(body))
                except Exception as problem:  # a broken script must not look like a denial
                    model.problems.append(repr(problem))
                    answer = b""
                self.reply(answer, "text/event-stream")

            def reply(self, body, kind):
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def script(self, main, sub=()):
        with self.lock:
            self.main, self.sub = list(main), list(sub)

    def stop(self):
        self.server.shutdown()

    def text(self):
        """Returns everything that agents have sent, such as the reasons for denials."""
        return "\n".join(json.dumps(request) for request in self.requests)

    def messages(self, since=0):
        """Returns the messages that agents have sent, starting with a given request, without the lists of tools."""
        return "\n".join(json.dumps(request.get("input") or request.get("messages")) for request in self.requests[since:])

    def answer(self, path, request):
        is_chat = "messages" in request
        shape = Chat(request) if is_chat else Responses(request)
        with self.lock:
            self.requests.append(request)
            steps = self.sub if self.marker in shape.asked() else self.main
            step = "done"
            if shape.tools and not shape.is_compaction():
                step = steps.pop(0) if steps else "done"
        if callable(step):
            step = step()
        if isinstance(step, str):
            return shape.say(step)
        if self.waits < 50 and any(not shape.has(call) for call in step):
            # The MCP server is not ready yet, so the model makes a read, and tries the call again later.
            with self.lock:
                self.waits += 1
                steps.insert(0, step)
            time.sleep(1)
            step = [{"shell": "ls"}]
        calls = []
        for call in step:
            with self.lock:
                self.calls += 1
                calls.append((f"call_{self.calls}", *shape.call(call)))
        return shape.make(calls)


class Responses:
    """The wire format of Codex."""

    def __init__(self, request):
        self.request = request
        self.tools = {}
        for tool in request.get("tools", []):
            if tool.get("type") == "namespace":
                for inner in tool.get("tools", []):
                    self.tools[inner.get("name")] = {**inner, "namespace": tool.get("name")}
            else:
                self.tools[tool.get("name") or tool.get("type")] = tool

    def asked(self):
        texts = []
        for item in self.request.get("input", []):
            if isinstance(item, dict) and item.get("role") == "user":
                texts += [part.get("text", "") for part in item.get("content", []) if isinstance(part, dict)]
        return "\n".join(texts)

    def has(self, call):
        """Returns whether the agent offers the tool of an MCP server."""
        (kind, value), = call.items()
        return kind != "own" or any(known.endswith(value[0]) for known in map(str, self.tools))

    def is_compaction(self):
        last = self.asked()[-4000:]
        return "CONTEXT CHECKPOINT COMPACTION" in last

    def call(self, call):
        (kind, value), = call.items()
        if kind == "shell":
            if "exec_command" in self.tools:
                return "exec_command", {"cmd": value}, None
            if "shell_command" in self.tools:
                return "shell_command", {"command": value}, None
            return "shell", {"command": ["bash", "-lc", value]}, None
        if kind == "write":
            path, content = value
            patch = f"*** Begin Patch\n*** Add File: {path}\n+{content}\n*** End Patch\n"
            if self.tools.get("apply_patch", {}).get("type") == "custom":
                return "apply_patch", patch, "custom"
            if "apply_patch" in self.tools:
                return "apply_patch", {"input": patch}, None
            return self.call({"shell": f"apply_patch <<'EOF'\n{patch}EOF\n"})
        if kind == "spawn":
            tool = self.tools["spawn_agent"]
            fields = tool.get("parameters", {}).get("properties", {})
            args = {"message": value}
            if "task_name" in fields:
                args["task_name"] = "subtask"
            return "spawn_agent", args, tool.get("namespace")
        if kind == "wait":
            started = re.findall(r'"agent_id":"([^"]+)"', "".join(str(item.get("output")) for item in self.request["input"]))
            return "wait_agent", {"targets": started[-1:], "timeout_ms": 300000}, self.tools["wait_agent"].get("namespace")
        if kind == "own":
            name, args = value
            for known, tool in self.tools.items():
                if known.endswith(name):
                    return known, args, tool.get("namespace")
            raise KeyError(f"no tool {name} among {sorted(map(str, self.tools))}")
        name, args = value
        return name, args, self.tools.get(name, {}).get("namespace")

    def say(self, text):
        part = {"type": "output_text", "text": text}
        return self.stream([{"type": "message", "id": "m1", "role": "assistant", "content": [part]}])

    def make(self, calls):
        items = []
        for call_id, name, args, extra in calls:
            if extra == "custom":
                items.append({"type": "custom_tool_call", "id": f"i{call_id}", "call_id": call_id, "name": name, "input": args})
                continue
            item = {"type": "function_call", "id": f"i{call_id}", "call_id": call_id, "name": name, "arguments": json.dumps(args)}
            if extra:
                item["namespace"] = extra
            items.append(item)
        return self.stream(items)

    @staticmethod
    def stream(items):
        events = [{"type": "response.created", "response": {"id": "r1"}}]
        events += [{"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(items)]
        usage = {"input_tokens": 1, "input_tokens_details": None, "output_tokens": 1, "output_tokens_details": None, "total_tokens": 2}
        events.append({"type": "response.completed", "response": {"id": "r1", "usage": usage}})
        return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


class Chat:
    """The wire format of opencode."""

    def __init__(self, request):
        self.request = request
        self.tools = {tool["function"]["name"]: tool for tool in request.get("tools", [])}

    def asked(self):
        texts = []
        for message in self.request["messages"]:
            if message.get("role") == "user":
                content = message.get("content")
                texts += [content] if isinstance(content, str) else [part.get("text", "") for part in content or []]
        return "\n".join(texts)

    def has(self, call):
        """Returns whether the agent offers the tool of an MCP server."""
        (kind, value), = call.items()
        return kind != "own" or any(known.endswith(value[0]) for known in map(str, self.tools))

    def is_compaction(self):
        return False

    def call(self, call):
        (kind, value), = call.items()
        if kind == "shell":
            return "bash", {"command": value, "description": "run it"}, None
        if kind == "write":
            return "write", {"filePath": value[0], "content": value[1]}, None
        if kind == "spawn":
            return "task", {"description": "subtask", "prompt": value, "subagent_type": "general"}, None
        name, args = value
        if kind == "own":
            found = [known for known in self.tools if known.endswith(name)]
            if not found:
                raise KeyError(f"no tool {name} among {sorted(self.tools)}")
            name = found[0]
        return name, args, None

    def say(self, text):
        return self.stream([self.chunk({"role": "assistant", "content": text}), self.chunk({}, "stop")])

    def make(self, calls):
        entries = []
        for at, (call_id, name, args, _) in enumerate(calls):
            function = {"name": name, "arguments": json.dumps(args)}
            entries.append({"index": at, "id": call_id, "type": "function", "function": function})
        return self.stream([self.chunk({"role": "assistant", "tool_calls": entries}), self.chunk({}, "tool_calls")])

    @staticmethod
    def chunk(delta, end=None):
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}

    @staticmethod
    def stream(chunks):
        return ("".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n").encode()
