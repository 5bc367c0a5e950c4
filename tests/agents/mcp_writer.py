"""Another MCP server, with one tool that writes a file."""

import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request:
        continue
    method, result = request["method"], {}
    if method == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": {"name": "writer", "version": "1"}}
    elif method == "tools/list":
        schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
        result = {"tools": [{"name": "write_file", "description": "Write a file.", "inputSchema": schema}]}
    elif method == "tools/call":
        open(request["params"]["arguments"]["path"], "w").close()
        result = {"content": [{"type": "text", "text": "written"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
