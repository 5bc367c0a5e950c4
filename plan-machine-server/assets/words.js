// The names of agents, senders and decisions that people see on the page.

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

/** Returns the name of an agent; for an unknown channel, the name of the channel. */
const agentName = (agent) => AGENTS[agent] ?? String(agent ?? "unknown agent");

// Channels through which people talk to a model. The model does not get the name of such a channel.
const TRANSPORTS = new Set(["web", "telegram", "terminal"]);

/**
 * Returns the name of the sender of a request, and the text next to that name: an agent and its project, or the project
 * of a chat and its channel.
 */
export function asker({ agent, project }) {
  const name = agentName(agent);
  return TRANSPORTS.has(agent) && project ? [project, name] : [name, project];
}

/** Returns the name of the author of a session's plans: the agent, or the model of a chat. */
export const writerName = (agent) => (TRANSPORTS.has(agent) ? "the model" : agentName(agent));

/** The words for the sender of an event that causes a transition. */
export const SENDERS = { person: "you", model: "the model", host: "the host", timer: "a timer" };

/** The word and the icon for each decision on a call. */
export const CALLS = {
  run: { word: "runs", icon: "check" },
  may_run: { word: "may run", icon: "maybe" },
  record: { word: "recorded", icon: "record" },
  may_record: { word: "may be recorded", icon: "record" },
  deny: { word: "denied", icon: "cross" },
};

/** Returns a number with its noun, such as `1 step` or `2 steps`. */
export const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

/** Returns a text as a sentence: with a period at the end, unless it ends with a punctuation mark. */
export const sentence = (text) => (/(^|[.?!…])$/.test(text) ? text : `${text}.`);

/** Returns the name of a conversation, shortened in the middle if it is long. */
export function short(name) {
  const text = String(name ?? "");
  return text.length > 20 ? `${text.slice(0, 10)}…${text.slice(-4)}` : text;
}

/** Returns the title of a state, if it says more than the name of the state. */
function stateTitle(node) {
  return node.title && node.title.toLowerCase() !== node.state?.toLowerCase() ? node.title : "";
}

/** Returns a state in words: its title, or its name in lower case. */
export const stateWords = (node) => stateTitle(node) || node.state.replaceAll("_", " ").toLowerCase();
