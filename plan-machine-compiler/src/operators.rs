//! The words and signs of expressions: the same as written and as resolved.

/// Operators with two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the operators")]
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
    /// Whether it holds two values against each other.
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

/// What `is` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Is {
    /// The optional holds a value.
    Set,
    /// The list or text holds nothing.
    Empty,
    /// The text holds nothing but white space.
    Blank,
}

/// Words that range over a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one.
    Any,
    /// All.
    Every,
    /// Not one.
    No,
    /// How many.
    Count,
}

/// What an invariant asks of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// The tool is shown to the model.
    Advertises,
    /// The prompt names the tool.
    Prompts,
    /// The tool runs.
    Runs,
    /// The tool is denied.
    Denies,
    /// The tool is recorded instead of run.
    Records,
}
