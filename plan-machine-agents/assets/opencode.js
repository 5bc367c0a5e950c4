// The gate of plan-machine for opencode. `plan-machine init --agent opencode` writes this file, and
// `plan-machine init --agent opencode --remove` removes it. It asks `plan-machine hook` about every tool call and throws
// unless the hook has answered that the call may run.
import { spawn } from "node:child_process"

const PROGRAM = "PROGRAM"
const MAY_RUN = "YES"
const LIMIT = 60_000
const CLOSED = "plan-machine: the gate is closed because its program failed; run `plan-machine doctor` in a terminal"
// In the terminal interface, the person sees the messages of this plugin.
const OTHERS = ["acp", "attach", "debug", "github", "pr", "run", "serve", "web"]
const SHOWN = !process.argv.slice(2).some((arg) => OTHERS.includes(arg))

// Asks the hook about one event. Resolves to its answer; rejects with its reason, or if there is no answer.
function ask(event) {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, ["hook", "--agent", "opencode", "--yes", String(MAY_RUN)])
    const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT)
    let out = ""
    let reason = ""
    child.stdout.on("data", (data) => (out += data))
    child.stderr.on("data", (data) => (reason += data))
    child.stdin.on("error", () => {})
    child.on("error", (error) => reject(new Error(`${CLOSED} (${error.message})`)))
    child.on("close", (status) => {
      clearTimeout(timer)
      if (status === 2) return reject(Object.assign(new Error(reason.trim() || CLOSED), { answered: true }))
      if (status !== MAY_RUN) return reject(new Error(`${CLOSED} (status ${status})`))
      try {
        resolve(out.trim() ? JSON.parse(out) : {})
      } catch {
        reject(new Error(`${CLOSED} (its answer is not JSON)`))
      }
    })
    child.stdin.end(JSON.stringify(event))
  })
}

export const PlanMachine = async ({ client, directory }) => {
  const parents = new Map()
  const templates = new Set()
  const ours = new Set()

  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const { data } = await client.session.get({ path: { id } })
      if (data?.id !== id) throw new Error(`${CLOSED} (opencode does not know the session ${id})`)
      parents.set(id, data.parentID ?? null)
    }
    return parents.get(id)
  }
  // One session per conversation: the calls of subagents belong to the session of the person.
  const about = async (id, event) => {
    let root = id
    for (let depth = 0; (await parentOf(root)) !== null; depth++) {
      if (depth > 32) throw new Error(`${CLOSED} (the session ${id} has no root)`)
      root = await parentOf(root)
    }
    return { session_id: root, ...(root === id ? {} : { agent_id: id }), cwd: directory, ...event }
  }
  const show = async (id, text) => {
    ours.add(text)
    await client.session.prompt({ path: { id }, body: { noReply: true, parts: [{ type: "text", text, ignored: true }] } })
  }

  return {
    "tool.execute.before": async ({ tool, sessionID, callID }, output) => {
      const call = { hook_event_name: "PreToolUse", tool_name: tool, tool_input: output.args ?? {}, tool_use_id: callID }
      const answer = await ask(await about(sessionID, call))
      if (answer.args) output.args = Object.assign(output.args ?? {}, answer.args)
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }) => {
      const call = { hook_event_name: "PostToolUse", tool_name: tool, tool_input: args ?? {}, tool_use_id: callID }
      const answer = await about(sessionID, call).then(ask).catch(() => ({}))
      if (answer.message && SHOWN) await show(sessionID, answer.message).catch(() => {})
    },
    // The text of a slash command comes from a file, so it is not what a person typed.
    "command.execute.before": async (_, { parts }) => {
      for (const part of parts) if (part.type === "text") templates.add(part.text)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      if (ours.delete(prompt)) return
      const event = { hook_event_name: "UserPromptSubmit", prompt, turn_id: message.id, shown: SHOWN }
      const person = typed.length === parts.length && !typed.some((part) => templates.delete(part.text))
      try {
        const asked = await about(sessionID, event)
        const answer = await ask(person ? { ...asked, parent_id: await parentOf(sessionID) } : asked)
        if (answer.context) parts.push({ ...typed[0], id: `${typed[0].id}x`, text: answer.context, synthetic: true })
      } catch (error) {
        // A hook that failed grants nothing, so the prompt may go on.
        if (!error.answered) return
        if (SHOWN) await show(sessionID, error.message).catch(() => {})
        throw error
      }
    },
  }
}
