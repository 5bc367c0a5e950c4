"""LangGraph behind the gate: every call of the tools node is decided by plan-machine before it runs."""

from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from plan_machine import Gate


@tool
def shell(cmd: str) -> str:
    """Runs a command."""
    return f"ran {cmd}"


def gated(gate):
    """Returns a wrapper for `ToolNode`. A call that does not run is answered with the reason, so that the model reads it."""

    def wrap_tool_call(request, execute):
        call = request.tool_call
        answer = gate.decide(call["name"], call["args"], call["id"])
        if answer is None:
            return execute(request)
        return ToolMessage(answer, name=call["name"], tool_call_id=call["id"])

    return wrap_tool_call


def graph(gate):
    """Returns a graph with one node. An agent has its model in another node; the gate is the same."""
    builder = StateGraph(MessagesState)
    builder.add_node("tools", ToolNode([shell], wrap_tool_call=gated(gate)))
    builder.set_entry_point("tools")
    return builder.compile()


if __name__ == "__main__":
    gate = Gate("langgraph:example-1")
    agent = graph(gate)

    def model_calls(call_id):
        call = {"name": "shell", "args": {"cmd": "make"}, "id": call_id}
        answer = agent.invoke({"messages": [AIMessage("", tool_calls=[call])]})
        print(answer["messages"][-1].content)

    model_calls("call-1")  # runs: there is no plan
    print(gate.command("/plan on"))
    model_calls("call-2")  # is recorded as a step of the plan
