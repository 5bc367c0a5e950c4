//! The operators of expressions, shared by the syntax tree and the model.

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is named after its operator")]
pub enum BinaryOp {
    Implies,
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Coalesce,
    Add,
    Subtract,
}

impl BinaryOp {
    /// Returns the comparison that means the same after the two sides are swapped: `>` for `<`. Other operators stay
    /// the same.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
            other => other,
        }
    }

    /// Returns whether the operator compares two values.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterEqual
        )
    }
}

/// The predicates that can follow `is`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// The optional has a value.
    Set,
    /// The list or string is empty.
    Empty,
    /// The string contains only white space.
    Blank,
}

/// Quantifiers over a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one item satisfies the condition.
    Any,
    /// All items satisfy the condition.
    Every,
    /// No item satisfies the condition.
    No,
    /// The number of items that satisfy the condition.
    Count,
}

/// What happens to an event for which the alternative is taken. Only a call to a host tool can be counted or run, and
/// only a list of alternatives for host tools can end with `run` or `deny`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// The event is accepted; a call to a host tool is recorded and does not run.
    #[default]
    Accept,
    /// `run: true`: the changes are stored, and then the host runs the call.
    Count,
    /// The word `run`: the host runs the call, and nothing changes.
    Run,
    /// The word `deny`: the call is denied.
    Deny,
}

impl Fate {
    /// Returns whether the host runs the call.
    #[must_use]
    pub fn runs(self) -> bool {
        matches!(self, Fate::Count | Fate::Run)
    }

    /// Returns whether the alternative is one of the words `run` and `deny`, which have no parts.
    #[must_use]
    pub fn is_word(self) -> bool {
        matches!(self, Fate::Run | Fate::Deny)
    }
}

/// What an invariant claims about a tool or, with `accepts`, about any event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The tool is advertised to the model.
    Advertises,
    /// The prompt names the tool.
    Prompts,
    /// The tool runs.
    Runs,
    /// The tool is denied.
    Denies,
    /// The tool call is recorded and does not run.
    Records,
    /// The event is accepted in at least one case.
    Accepts,
}

impl Gate {
    /// The word for each claim.
    pub const WORDS: [(&'static str, Self); 6] = [
        ("advertises", Self::Advertises),
        ("prompts", Self::Prompts),
        ("runs", Self::Runs),
        ("denies", Self::Denies),
        ("records", Self::Records),
        ("accepts", Self::Accepts),
    ];

    /// Returns the word for the claim.
    #[must_use]
    pub fn word(self) -> &'static str {
        let mut all = Self::WORDS.into_iter();
        all.find(|(_, gate)| *gate == self)
            .map_or("", |(word, _)| word)
    }
}
