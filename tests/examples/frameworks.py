"""One call of a model in each framework, through the gate of its example. Each function returns what the model reads."""

import asyncio
import json
import secrets

import langgraph_gate
import openai_agents_gate
from agents import Agent, Model, ModelResponse, Runner, Usage, UserError, set_tracing_disabled
from langchain_core.messages import AIMessage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

set_tracing_disabled(True)


def langgraph(gate, cmd):
    call = {"name": "shell", "args": {"cmd": cmd}, "id": secrets.token_hex(8)}
    try:
        answer = langgraph_gate.graph(gate).invoke({"messages": [AIMessage("", tool_calls=[call])]})
    except OSError as error:  # the graph has ended, and the model reads nothing
        return str(error)
    return answer["messages"][-1].content


class OneCall(Model):
    """A model that makes one call, and then repeats what it has read."""

    def __init__(self, cmd):
        self.cmd = cmd

    async def get_response(self, system_instructions, input, *_, **__):
        read = [item["output"] for item in input if isinstance(item, dict) and item.get("type") == "function_call_output"]
        if read:
            text = ResponseOutputText(text=read[-1], type="output_text", annotations=[])
            item = ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")
        else:
            item = ResponseFunctionToolCall(name="shell", arguments=json.dumps({"cmd": self.cmd}), call_id=secrets.token_hex(8), type="function_call")
        return ModelResponse(output=[item], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError


def openai_agents(gate, cmd):
    agent = Agent(name="example", model=OneCall(cmd), tools=openai_agents_gate.tools(gate))
    try:
        return asyncio.run(Runner.run(agent, "go")).final_output
    except UserError as error:  # the run has ended, and the model reads nothing
        return str(error)
