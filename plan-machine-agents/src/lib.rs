//! plan-machine in front of coding agents: one hook command decides about every tool call of an agent.
//!
//! Agents such as Claude Code and Codex ask a program before each tool call. This crate is that program's core: it
//! reads the agent's event, finds the session of the conversation, lets the session's gate decide, and answers in the
//! agent's own shape. If anything goes wrong, the call is denied.
//!
//! ```
//! use plan_machine_agents::agents::agent;
//! use plan_machine_agents::answer::AgentAnswer;
//! use plan_machine_agents::event::{self, AgentEventKind};
//!
//! let codex = agent("codex").expect("a known agent");
//! let event = codex.read(&event::parse(
//!     br#"{"session_id":"019a-1","turn_id":"t1","cwd":"/tmp","hook_event_name":"PreToolUse",
//!          "tool_name":"Bash","tool_input":{"command":"touch x"},"tool_use_id":"call-1"}"#,
//! )?)?;
//! assert!(matches!(&event.kind, AgentEventKind::ToolCall(call) if call.tool == "Bash"));
//!
//! // A denial has the one form that every agent honors.
//! let output = codex.write(&event, &AgentAnswer::Deny("Nothing is written while planning.".to_owned()));
//! assert_eq!((output.status, output.stdout.as_str()), (2, ""));
//! assert_eq!(output.stderr, "Nothing is written while planning.\n");
//! # Ok::<(), plan_machine_agents::event::EventError>(())
//! ```
//!
//! | for | see |
//! |---|---|
//! | the agents, one file each | [`agents`] |
//! | events and answers, the same for all agents | [`event`], [`answer`] |
//! | where a project's documents and state are | [`project`] |
//! | decisions | [`keeper`] |
//! | the process that an agent starts | [`hook`] |
//! | an agent's configuration | [`install`] |
//! | whether the gate works | [`doctor`] |
//! | denied calls | [`audit`] |
//! | whether a command is run by an agent | [`ancestors`] |
//! | the MCP server with the machines' own tools | `mcp` (feature `mcp`) |

pub mod agents;
pub mod ancestors;
pub mod answer;
pub mod audit;
pub mod doctor;
pub mod event;
pub mod hook;
pub mod install;
pub mod keeper;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod project;
