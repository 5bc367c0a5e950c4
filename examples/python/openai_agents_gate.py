"""The OpenAI Agents SDK behind the gate: a guardrail lets plan-machine decide each call before its tool runs."""

import asyncio
import json

from agents import ToolGuardrailFunctionOutput, function_tool, tool_input_guardrail
from agents.tool_context import ToolContext

from plan_machine import Gate


def gated(gate):
    """Returns a guardrail. If a call does not run, the model gets the reason and continues."""

    @tool_input_guardrail
    async def decide(data):
        call = data.context
        args = json.loads(call.tool_arguments or "{}")
        answer = await asyncio.to_thread(gate.decide, call.tool_name, args, call.tool_call_id)
        if answer is None:
            return ToolGuardrailFunctionOutput.allow()
        return ToolGuardrailFunctionOutput.reject_content(answer)

    return decide


def tools(gate):
    """Returns the tools for `Agent(tools=…)`."""

    @function_tool(tool_input_guardrails=[gated(gate)])
    def shell(cmd: str) -> str:
        """Runs a command."""
        return f"ran {cmd}"

    return [shell]


async def call(tool, call_id, **args):
    """Calls a tool as the runner does for a model."""
    text = json.dumps(args)
    context = ToolContext(context=None, tool_name=tool.name, tool_call_id=call_id, tool_arguments=text)
    for guardrail in tool.tool_input_guardrails:
        data = type("Data", (), {"context": context, "agent": None})()
        verdict = (await guardrail.run(data)).behavior
        if verdict["type"] == "reject_content":
            return verdict["message"]
    return await tool.on_invoke_tool(context, text)


if __name__ == "__main__":
    gate = Gate("openai-agents:example-1")
    [shell] = tools(gate)
    print(asyncio.run(call(shell, "call-1", cmd="make")))  # runs: there is no plan
    print(gate.command("/plan on"))
    print(asyncio.run(call(shell, "call-2", cmd="make")))  # is recorded as a step of the plan
