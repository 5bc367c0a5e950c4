// Names of agents, senders and verdicts as people read them.

const AGENTS = {
  codex: "Codex",
  "claude-code": "Claude Code",
  claude_code: "Claude Code",
  claude: "Claude Code",
  opencode: "opencode",
  gemini: "Gemini CLI",
  goose: "Goose",
  cursor: "Cursor",
  web: "Web",
  telegram: "Telegram",
  bot: "Bot",
};

/** The name of an agent; an unknown channel keeps its own name. */
const agentName = (agent) => AGENTS[agent] ?? String(agent ?? "unknown agent");

// Channels over which people talk with a model. The model is not named after them.
const TRANSPORTS = new Set(["web", "telegram", "terminal"]);

/** The name of who asks, and what is shown beside it: an agent and its project, or the project of a chat and its channel. */
export function asker({ agent, project }) {
  const name = agentName(agent);
  return TRANSPORTS.has(agent) && project ? [project, name] : [name, project];
}

/** Who writes the plans of a session: the agent, or the model behind a chat. */
export const writerName = (agent) => (TRANSPORTS.has(agent) ? "the model" : agentName(agent));

/** Who takes a transition, in words. */
export const SENDERS = { person: "you", model: "the model", host: "the host", timer: "a timer" };

/** What happens to a call, in words, with its icon. */
export const CALLS = {
  run: { word: "runs", icon: "check" },
  may_run: { word: "may run", icon: "maybe" },
  record: { word: "recorded", icon: "record" },
  may_record: { word: "may be recorded", icon: "record" },
  deny: { word: "denied", icon: "cross" },
};

/** A number with its noun: `1 step`, `2 steps`. */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** A text as a sentence: with a period, unless it ends with a punctuation mark. */
export const sentence = (text) => (/(^|[.?!…])$/.test(text) ? text : `${text}.`);

/** A conversation's name, shortened in the middle if it is long. */
export function short(name) {
  const text = String(name ?? "");
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-4)}` : text;
}

/** The title of a state, if it says more than the state's name. */
function stateTitle(node) {
  return node.title && node.title.toLowerCase() !== node.state?.toLowerCase() ? node.title : "";
}

/** A state in words: its title, or its name without capitals. */
export const stateWords = (node) => stateTitle(node) || node.state.replaceAll("_", " ").toLowerCase();
