// The gate of plan-machine for opencode, written by `plan-machine init --agent opencode`. It asks `plan-machine hook`
// about every tool call, and throws unless the hook has answered that the call may run.
import { spawn } from "node:child_process"

const [PROGRAM, YES, NO, LIMIT, BEGUN] = ["PROGRAM", "YES", "NO", 60_000, Date.now()]
const CLOSED = "plan-machine: the gate is closed because its program failed; run `plan-machine doctor` in a terminal"
// The person sees the messages of this plugin only in the terminal interface.
const SHOWN = !process.argv.slice(2).some((arg) => /^(acp|attach|debug|github|pr|run|serve|web)$/.test(arg))
const closed = (why) => new Error(`${CLOSED} (${why})`)

// Asks the hook about one event. Resolves to its answer; rejects with its reason, or if there is no answer.
const ask = (event) => new Promise((resolve, reject) => {
  const child = spawn(PROGRAM, ["hook", "--agent", "opencode", "--wrapped"])
  // A child of the hook process may keep the pipes open; then only the timer ends the wait.
  const timer = setTimeout(() => (child.kill("SIGKILL"), reject(closed("it took too long"))), LIMIT)
  let [out, reason] = ["", ""]
  child.stdout.on("data", (data) => (out += data))
  child.stderr.on("data", (data) => (reason += data))
  child.stdin.on("error", () => {})
  child.on("error", (error) => reject(closed(error.message)))
  child.on("close", (status) => {
    clearTimeout(timer)
    if (status === NO) return reject(Object.assign(new Error(reason.trim() || CLOSED), { answered: true }))
    if (status !== YES) return reject(closed(`status ${status}`))
    try { resolve(JSON.parse(out || "{}")) } catch { reject(closed("its answer is not JSON")) }
  })
  child.stdin.end(JSON.stringify(event))
})

export const PlanMachine = async ({ client, directory }) => {
  const [parents, turns, templates, ours] = [new Map(), new Map(), new Set(), new Set()]
  // The parent of a session; null for the session of the person.
  const parentOf = async (id) => {
    if (parents.has(id)) return parents.get(id)
    const { data } = await client.session.get({ path: { id } })
    if (data?.id !== id) throw closed(`opencode does not know the session ${id}`)
    parents.set(id, data.parentID ?? null)
    const source = data.time?.created < BEGUN ? "resume" : "startup"
    if (data.parentID) return data.parentID
    const answer = await ask({ hook_event_name: "SessionStart", session_id: id, cwd: directory, source })
    if (answer.message) await show(id, answer.message)
    return null
  }
  // One session per conversation: the events of subagents belong to the session of the person.
  const about = async (id, hook_event_name, event) => {
    let root = id
    for (let parent; (parent = await parentOf(root)) !== null; root = parent) {}
    const agent_id = root === id ? undefined : id
    return { hook_event_name, session_id: root, agent_id, turn_id: turns.get(id), cwd: directory, ...event }
  }
  const call = (name, { tool, sessionID, callID }, args, result) =>
    about(sessionID, name, { tool_name: tool, tool_input: args ?? {}, tool_use_id: callID, ...result }).then(ask)
  const show = !SHOWN ? async () => {} : async (id, text) => {
    ours.add(text)
    const body = { noReply: true, parts: [{ type: "text", text, ignored: true }] }
    await client.session.prompt({ path: { id }, body }).catch(() => {})
  }

  return {
    "tool.execute.before": async (input, output) => {
      const answer = await call("PreToolUse", input, output.args)
      if (answer.args) Object.assign(output.args, answer.args)
    },
    "tool.execute.after": async (input, output) => {
      const result = { tool_response: { exit: output?.metadata?.exit } }
      const answer = await call("PostToolUse", input, input.args, result).catch(() => ({}))
      if (answer.message) await show(input.sessionID, answer.message)
    },
    "experimental.session.compacting": async ({ sessionID }, output) => {
      const answer = await about(sessionID, "SessionStart", { source: "compact" }).then(ask).catch(() => ({}))
      if (answer.context) output.context.push(answer.context)
    },
    // The text of a slash command comes from a file, so a person did not type it.
    "command.execute.before": async (_, { parts }) => parts.forEach((part) => templates.add(part.text)),
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = typed.map((part) => part.text).join("\n")
      if (ours.delete(prompt)) return
      turns.set(sessionID, message.id)
      const isTyped = typed.length === parts.length && !typed.some((part) => templates.delete(part.text))
      try {
        const event = await about(sessionID, "UserPromptSubmit", { prompt, shown: SHOWN })
        const answer = await ask(isTyped ? { ...event, parent_id: await parentOf(sessionID) } : event)
        if (answer.context) parts.push({ ...typed[0], id: `${typed[0].id}x`, text: answer.context, synthetic: true })
      } catch (error) {
        // A hook that failed grants nothing, so the prompt may proceed.
        if (!error.answered) return
        await show(sessionID, error.message)
        throw error
      }
    },
  }
}
