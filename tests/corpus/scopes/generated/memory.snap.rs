/// The scopes `Memory`: which memory a run reads and writes.
///
/// Invariants:
///
/// - `standalone_tasks_are_isolated`: `TASK_RUN never reads goal`
#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    clippy::doc_markdown,
    clippy::enum_variant_names,
    clippy::many_single_char_names,
    clippy::similar_names,
    clippy::struct_field_names,
    clippy::too_many_arguments,
    rustdoc::all,
    reason = "generated code: its names and texts come from a scopes document, and not every program uses all of them"
)]
pub mod memory {
    pub use ::plan_machine::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};
    use ::plan_machine::scope::__private::{self, serde};
    /// Contains the type `Seal`, which only this module can create.
    mod seal {
        /// Proves that the caller is the module of the scopes, because no other module can create this value.
        #[derive(Debug)]
        pub struct Seal(pub(super) ());
    }
    /// The identity of a session: `channel` and `conversation`.
    /// Different identities share only the keys of levels that all sessions share.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Identity {
        channel: ::std::sync::Arc<str>,
        conversation: ::std::sync::Arc<str>,
        /// All parts as one string, by which a store distinguishes sessions.
        partition: __private::Partition,
    }
    impl Identity {
        /// Creates the identity of a session.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if a part is blank.
        pub fn new(
            channel: impl ::core::convert::Into<::std::sync::Arc<str>>,
            conversation: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            let channel = __private::checked("channel", channel)?;
            let conversation = __private::checked("conversation", conversation)?;
            let partition = __private::partition(&[&channel, &conversation]);
            ::core::result::Result::Ok(Self {
                channel,
                conversation,
                partition,
            })
        }
        /// Returns the `channel` part of the identity.
        #[must_use]
        pub fn channel(&self) -> &str {
            &self.channel
        }
        /// Returns the `conversation` part of the identity.
        #[must_use]
        pub fn conversation(&self) -> &str {
            &self.conversation
        }
        /// Returns the scope with which a session reads the level `global`.
        #[must_use]
        pub fn read_global(&self) -> Scope<level::Global> {
            __private::scope(key::global(self), seal::Seal(()))
        }
        /// Returns permission from the person `by` to write an item from the scope `from` to the level `global`.
        ///
        /// # Errors
        /// [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`]
        /// if `by` is blank.
        pub fn promote_to_global<L>(
            &self,
            from: &Scope<L>,
            by: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Promotion<level::Global>, ScopeError> {
            __private::promotion(
                &self.partition,
                from,
                key::global(self),
                by,
                seal::Seal(()),
            )
        }
        /// Returns the scope with which a session reads the level `session`.
        #[must_use]
        pub fn read_session(&self) -> Scope<level::Session> {
            __private::scope(key::session(self), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Identity {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("channel", self.channel()),
                ("conversation", self.conversation()),
            ];
            __private::write_texts(serializer, "Identity", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Identity {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let [channel, conversation] = __private::read_texts(
                deserializer,
                "Identity",
                &["channel", "conversation"],
            )?;
            Self::new(channel, conversation).map_err(serde::de::Error::custom)
        }
    }
    /// The id of a `goal`.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct GoalId(::std::sync::Arc<str>);
    impl GoalId {
        /// Creates an id.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if `text` is blank.
        pub fn new(
            text: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            __private::checked("goal", text).map(Self)
        }
        /// Returns the id as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.0
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for GoalId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[automatically_derived]
    impl serde::Serialize for GoalId {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(&self.0)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for GoalId {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let text = __private::read_text(deserializer)?;
            Self::new(text).map_err(serde::de::Error::custom)
        }
    }
    /// The id of a `task`.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct TaskId(::std::sync::Arc<str>);
    impl TaskId {
        /// Creates an id.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if `text` is blank.
        pub fn new(
            text: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            __private::checked("task", text).map(Self)
        }
        /// Returns the id as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.0
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for TaskId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[automatically_derived]
    impl serde::Serialize for TaskId {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(&self.0)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for TaskId {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let text = __private::read_text(deserializer)?;
            Self::new(text).map_err(serde::de::Error::custom)
        }
    }
    /// The levels as types.
    pub mod level {
        use ::plan_machine::scope::ScopeLevel;
        /// The level `global`, with the key `global`, written only by promotion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Global;
        #[automatically_derived]
        impl ScopeLevel for Global {
            const NAME: &'static str = "global";
            type Seal = super::seal::Seal;
        }
        /// The level `session`, with the key `session:{channel}:{conversation}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Session;
        #[automatically_derived]
        impl ScopeLevel for Session {
            const NAME: &'static str = "session";
            type Seal = super::seal::Seal;
        }
        /// The level `goal`, with the key `goal:{channel}:{conversation}:{goal}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Goal;
        #[automatically_derived]
        impl ScopeLevel for Goal {
            const NAME: &'static str = "goal";
            type Seal = super::seal::Seal;
        }
        /// The level `task`, with the key `task:{task}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Task;
        #[automatically_derived]
        impl ScopeLevel for Task {
            const NAME: &'static str = "task";
            type Seal = super::seal::Seal;
        }
    }
    /// A level of memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The level `global`, with the key `global`, written only by promotion.
        Global,
        /// The level `session`, with the key `session:{channel}:{conversation}`.
        Session,
        /// The level `goal`, with the key `goal:{channel}:{conversation}:{goal}`.
        Goal,
        /// The level `task`, with the key `task:{task}`.
        Task,
    }
    impl Level {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 4] = [Self::Global, Self::Session, Self::Goal, Self::Task];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::Global => "global",
                Self::Session => "session",
                Self::Goal => "goal",
                Self::Task => "task",
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for Level {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.as_str())
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Level {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Level {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            __private::read_choice(deserializer, &Self::ALL, Self::as_str)
        }
    }
    /// A kind of run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum RunKind {
        /// `GOAL_RUN`.
        GoalRun,
        /// `TASK_RUN`.
        TaskRun,
    }
    impl RunKind {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 2] = [Self::GoalRun, Self::TaskRun];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::GoalRun => "GOAL_RUN",
                Self::TaskRun => "TASK_RUN",
            }
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for RunKind {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.as_str())
        }
    }
    #[automatically_derived]
    impl serde::Serialize for RunKind {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for RunKind {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            __private::read_choice(deserializer, &Self::ALL, Self::as_str)
        }
    }
    impl RunKind {
        /// Returns the levels that a run of this kind reads, starting with the nearest.
        #[must_use]
        pub const fn reads(self) -> &'static [Level] {
            match self {
                Self::GoalRun => {
                    &[Level::Task, Level::Goal, Level::Session, Level::Global]
                }
                Self::TaskRun => &[Level::Task, Level::Session, Level::Global],
            }
        }
    }
    /// A run of the kind `GOAL_RUN`:
    ///
    /// - The run reads `task`, `goal`, `session` and `global`, starting with the nearest level.
    /// - The run writes `intermediate` to `task`.
    /// - The run writes `decision` to `goal`.
    /// - The run writes `conversation` to `session`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct GoalRun {
        identity: Identity,
        goal: GoalId,
        task: TaskId,
    }
    impl GoalRun {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::GoalRun;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, goal: GoalId, task: TaskId) -> Self {
            Self { identity, goal, task }
        }
        /// Returns the identity of the session that the run belongs to.
        #[must_use]
        pub fn identity(&self) -> &Identity {
            &self.identity
        }
        /// Returns the id of the run's `goal`.
        #[must_use]
        pub fn goal_id(&self) -> &GoalId {
            &self.goal
        }
        /// Returns the id of the run's `task`.
        #[must_use]
        pub fn task_id(&self) -> &TaskId {
            &self.task
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 4] {
            [
                self.read_task().into_key(),
                self.read_goal().into_key(),
                self.read_session().into_key(),
                self.read_global().into_key(),
            ]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `task`.
        #[must_use]
        pub fn read_task(&self) -> Scope<level::Task> {
            __private::scope(key::task(&self.identity, &self.task), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `goal`.
        #[must_use]
        pub fn read_goal(&self) -> Scope<level::Goal> {
            __private::scope(key::goal(&self.identity, &self.goal), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `session`.
        #[must_use]
        pub fn read_session(&self) -> Scope<level::Session> {
            __private::scope(key::session(&self.identity), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `global`.
        #[must_use]
        pub fn read_global(&self) -> Scope<level::Global> {
            __private::scope(key::global(&self.identity), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `intermediate` to the level `task`.
        #[must_use]
        pub fn write_intermediate(&self) -> WriteScope<level::Task> {
            __private::write_scope(key::task(&self.identity, &self.task), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `decision` to the level `goal`.
        #[must_use]
        pub fn write_decision(&self) -> WriteScope<level::Goal> {
            __private::write_scope(key::goal(&self.identity, &self.goal), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `conversation` to the level `session`.
        #[must_use]
        pub fn write_conversation(&self) -> WriteScope<level::Session> {
            __private::write_scope(key::session(&self.identity), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for GoalRun {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "GOAL_RUN"),
                ("channel", self.identity.channel()),
                ("conversation", self.identity.conversation()),
                ("goal", self.goal.as_str()),
                ("task", self.task.as_str()),
            ];
            __private::write_texts(serializer, "GoalRun", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for GoalRun {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "channel", "conversation", "goal", "task"];
            let [run, channel, conversation, goal, task] = __private::read_texts(
                deserializer,
                "GoalRun",
                names,
            )?;
            __private::is_kind(&run, "GOAL_RUN")?;
            let identity = Identity::new(channel, conversation)
                .map_err(serde::de::Error::custom)?;
            let goal = GoalId::new(goal).map_err(serde::de::Error::custom)?;
            let task = TaskId::new(task).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, goal, task))
        }
    }
    /// A run of the kind `TASK_RUN`:
    ///
    /// - The run reads `task`, `session` and `global`, starting with the nearest level.
    /// - The run writes `intermediate` to `task`.
    /// - The run writes `conversation` to `session`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct TaskRun {
        identity: Identity,
        task: TaskId,
    }
    impl TaskRun {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::TaskRun;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, task: TaskId) -> Self {
            Self { identity, task }
        }
        /// Returns the identity of the session that the run belongs to.
        #[must_use]
        pub fn identity(&self) -> &Identity {
            &self.identity
        }
        /// Returns the id of the run's `task`.
        #[must_use]
        pub fn task_id(&self) -> &TaskId {
            &self.task
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 3] {
            [
                self.read_task().into_key(),
                self.read_session().into_key(),
                self.read_global().into_key(),
            ]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `task`.
        #[must_use]
        pub fn read_task(&self) -> Scope<level::Task> {
            __private::scope(key::task(&self.identity, &self.task), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `session`.
        #[must_use]
        pub fn read_session(&self) -> Scope<level::Session> {
            __private::scope(key::session(&self.identity), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `global`.
        #[must_use]
        pub fn read_global(&self) -> Scope<level::Global> {
            __private::scope(key::global(&self.identity), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `intermediate` to the level `task`.
        #[must_use]
        pub fn write_intermediate(&self) -> WriteScope<level::Task> {
            __private::write_scope(key::task(&self.identity, &self.task), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `conversation` to the level `session`.
        #[must_use]
        pub fn write_conversation(&self) -> WriteScope<level::Session> {
            __private::write_scope(key::session(&self.identity), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for TaskRun {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "TASK_RUN"),
                ("channel", self.identity.channel()),
                ("conversation", self.identity.conversation()),
                ("task", self.task.as_str()),
            ];
            __private::write_texts(serializer, "TaskRun", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for TaskRun {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "channel", "conversation", "task"];
            let [run, channel, conversation, task] = __private::read_texts(
                deserializer,
                "TaskRun",
                names,
            )?;
            __private::is_kind(&run, "TASK_RUN")?;
            let identity = Identity::new(channel, conversation)
                .map_err(serde::de::Error::custom)?;
            let task = TaskId::new(task).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, task))
        }
    }
    /// The scope that a stored item carries. It can be compared with the levels that a run reads, but it
    /// does not permit reading anything.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct AnyScope {
        level: Level,
        key: ScopeKey,
    }
    impl AnyScope {
        /// Reads the scope of an item that the session of `identity` stores.
        ///
        /// # Errors
        /// [`ScopeError::Unreadable`] if `text` is not a key of any level.
        /// [`ScopeError::OtherSession`] if it is a key of another session.
        pub fn parse(
            text: &str,
            identity: &Identity,
        ) -> ::core::result::Result<Self, ScopeError> {
            let parts = [
                ("channel", identity.channel()),
                ("conversation", identity.conversation()),
            ];
            let (level, key) = __private::parse(
                text,
                &key::LEVELS,
                &parts,
                &identity.partition,
            )?;
            ::core::result::Result::Ok(Self { level, key })
        }
        /// Returns the scope of an item that was stored without a scope: the level `global`.
        #[must_use]
        pub fn legacy(identity: &Identity) -> Self {
            Self {
                level: Level::Global,
                key: key::global(identity),
            }
        }
        /// Reads the optional scope of an item; an item without a scope belongs to the level `global`.
        ///
        /// # Errors
        /// The errors of [`AnyScope::parse`].
        pub fn read(
            text: ::core::option::Option<&str>,
            identity: &Identity,
        ) -> ::core::result::Result<Self, ScopeError> {
            match text {
                ::core::option::Option::Some(text) => Self::parse(text, identity),
                ::core::option::Option::None => {
                    ::core::result::Result::Ok(Self::legacy(identity))
                }
            }
        }
        /// Returns the level of the scope.
        #[must_use]
        pub fn level(&self) -> Level {
            self.level
        }
        /// Returns the key of the scope as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            self.key.as_str()
        }
        /// Returns whether the scope has this key.
        #[must_use]
        pub fn is(&self, key: &ScopeKey) -> bool {
            self.key == *key
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for AnyScope {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(self.as_str())
        }
    }
    #[automatically_derived]
    impl serde::Serialize for AnyScope {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(self.as_str())
        }
    }
    /// The constructors of keys; nothing else creates keys.
    mod key {
        use super::__private::{KeyPattern, Segment::{Part, Word}};
        use super::{Identity, Level, ScopeKey, GoalId, TaskId};
        /// The pattern `global`; all sessions share its keys.
        const GLOBAL: KeyPattern = KeyPattern::shared("global", &[Word("global")]);
        /// The pattern `session:{channel}:{conversation}`; each session has its own keys.
        const SESSION: KeyPattern = KeyPattern::new(
            "session",
            &[Word("session"), Part("channel"), Part("conversation")],
        );
        /// The pattern `goal:{channel}:{conversation}:{goal}`; each session has its own keys.
        const GOAL: KeyPattern = KeyPattern::new(
            "goal",
            &[Word("goal"), Part("channel"), Part("conversation"), Part("goal")],
        );
        /// The pattern `task:{task}`; each session has its own keys.
        const TASK: KeyPattern = KeyPattern::new("task", &[Word("task"), Part("task")]);
        /// The levels with the patterns of their keys, which are used to parse stored keys.
        pub(super) const LEVELS: [(Level, KeyPattern); 4] = [
            (Level::Global, GLOBAL),
            (Level::Session, SESSION),
            (Level::Goal, GOAL),
            (Level::Task, TASK),
        ];
        pub(super) fn global(identity: &Identity) -> ScopeKey {
            GLOBAL.key(&identity.partition, &[])
        }
        pub(super) fn session(identity: &Identity) -> ScopeKey {
            SESSION
                .key(&identity.partition, &[&identity.channel, &identity.conversation])
        }
        pub(super) fn goal(identity: &Identity, goal: &GoalId) -> ScopeKey {
            GOAL.key(
                &identity.partition,
                &[&identity.channel, &identity.conversation, goal.as_str()],
            )
        }
        pub(super) fn task(identity: &Identity, task: &TaskId) -> ScopeKey {
            TASK.key(&identity.partition, &[task.as_str()])
        }
    }
}
