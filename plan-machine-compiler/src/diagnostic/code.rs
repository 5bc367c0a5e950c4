//! The diagnostic codes. A code is permanent and never reused; it has a severity and a requirement that specs must
//! meet.

use super::Severity;

macro_rules! codes {
    ($($code:ident $severity:ident $sentence:literal)*) => {
        /// The rule that a diagnostic refers to.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = $sentence] $code,)*
        }

        impl Code {
            /// Every code, in ascending order.
            pub const ALL: &'static [Code] = &[$(Code::$code),*];

            /// Returns the code in its written form, such as `PM0102`.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$code => stringify!($code),)* }
            }

            /// Returns the requirement that a spec must satisfy.
            #[must_use]
            pub fn sentence(self) -> &'static str {
                match self { $(Code::$code => $sentence,)* }
            }

            /// Returns the severity of a violation.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self { $(Code::$code => Severity::$severity,)* }
            }
        }
    };
}

codes! {
    PM0101 Error "the file is a single YAML document within the limits on size, depth, aliases and declarations"
    PM0102 Error "every name that is used is declared"
    PM0103 Error "every key is allowed where it appears"
    PM0104 Error "no name and no key is declared twice"
    PM0105 Error "no declared name is reserved by the language or by the generated Rust code"
    PM0106 Error "no two names become the same Rust name"
    PM0107 Error "a value has the shape that its key expects"
    PM0201 Error "`initial` names a child state, and a composite has at least one child"
    PM0202 Error "a final state has no children, and no event moves or changes a plan in it"
    PM0203 Error "every state is reachable"
    PM0204 Error "every state that is not final can be left"
    PM0205 Error "a record leaves the slot only in a final state"
    PM0206 Warning "from every reachable state, a final state or `none` can be reached"
    PM0207 Error "only a machine with one instance has `next`, which is `none` or a state that is not final"
    PM0208 Warning "a composite has more than one child, or adds something to its only child"
    PM0209 Error "a final state in which a plan can hold the slot handles an event with `next`"
    PM0301 Warning "every declared event is handled somewhere"
    PM0302 Error "every alternative can be taken"
    PM0303 Warning "a list of alternatives ends with one that has no `when`"
    PM0304 Error "no two command texts with the same number of literal words match the same line"
    PM0305 Warning "an entry of a composite is used by at least one state inside the composite"
    PM0306 Warning "a transition does something"
    PM0307 Error "a transition reads only fields that the payload of its event has"
    PM0308 Error "a state's requirement names an event that has a transition in that state or in a state inside it"
    PM0401 Error "every expression has the type expected where it is used"
    PM0402 Error "an optional is read only where it is proved to be set, or through `??`"
    PM0403 Error "after every step that ends in a state, the fields in the `has` of the state are set"
    PM0404 Error "a field without an initial value is set by every event that starts a record"
    PM0405 Warning "every field is written somewhere"
    PM0406 Error "defaults and literals are within the bounds of their fields"
    PM0407 Warning "every type and effect is used"
    PM0408 Error "a transition writes a field at most once"
    PM0409 Error "all handlers of an event reply with the same type"
    PM0501 Error "a `read` tool has only `when`, `require` and `reply`"
    PM0502 Error "a tool that is not `external` never causes an `external` effect"
    PM0503 Error "a prompt names only tools that its state advertises"
    PM0504 Warning "every tool is advertised in some reachable state"
    PM0505 Error "only commands can be `reviewed`, and `none` does not handle reviewed commands"
    PM0506 Error "only a host tool can have `run`; other events can have `deny` only to override an inherited handler"
    PM0507 Error "a `reviewed` command needs `review` in the spec and `{token?}` in its text"
    PM0508 Error "entry and exit actions do not read `event`, and `plans` is read only in `reply`"
    PM0509 Error "the text of an `unavailable` reads only `context` and `plan.state`"
    PM0510 Warning "every `unavailable` text can be shown"
    PM0511 Error "a transition with `run: true` has no `reply`: the answer is the tool's result"
    PM0512 Error "a timer belongs to a state that a plan can leave, and its transition has no sender, payload or reply"
    PM0601 Error "the invariant holds"
    PM0602 Warning "the invariant is not vacuous: its premise can be true"
    PM0603 Error "the state space is within its bound"
    PM0604 Warning "the invariant is neither a tautology nor a contradiction by itself"
    PM0605 Error "the invariant can be decided"
    PM0701 Error "the scenario passes"
    PM0702 Note "every transition is covered by some scenario"
    PM0703 Error "a scenario's `given` does not lead back to the scenario itself"
    PM0801 Error "(diff) every machine, state and field that stored records may name still exists"
    PM0802 Error "(diff) stored records still match the types and bounds of their fields and the `has` of their states"
    PM0803 Note "(diff) a spec whose meaning changed has a new version"
    PM0901 Error "(scopes) every level, run and id that is used is declared, and no two levels share a key"
    PM0902 Error "(scopes) a run uses only levels whose ids it has, and no write class maps to a `promoted` level"
    PM0903 Error "(scopes) the invariant holds"
    PM1001 Error "(calls) every class that is used is declared, and no class has the name of a tool"
    PM1002 Error "(calls) no earlier rule matches every call that a rule lists"
    PM1003 Error "(calls) `tools` describes the arguments that the rules use, and no tool that writes has `reads: true`"
    PM1004 Warning "(calls) every class is the class of a rule or of `otherwise`"
    PM1005 Error "(calls) a listed command consists of plain words and starts with a program"
    PM1006 Warning "(calls) a listed command does not run the commands or scripts that it gets as arguments"
    PM1007 Error "(calls) every example has the class that it states"
    PM1101 Error "(session) every machine of a session can be loaded"
    PM1102 Error "(session) the machines of a session agree on tools, commands and context fields"
    PM1103 Error "(session) an invariant has a form that can be proved about several machines"
    PM1104 Warning "(session) every class of the calls document has an entry in a machine"
    PM1105 Warning "(session) a call that no rule matches has no more permissions than a call of any other class"
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl std::str::FromStr for Code {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let wanted = text.trim();
        let is_meant = |code: &Code| {
            let name = code.as_str();
            name.eq_ignore_ascii_case(wanted) || name.strip_prefix("PM") == Some(wanted)
        };
        Self::ALL.iter().copied().find(is_meant).ok_or(())
    }
}
