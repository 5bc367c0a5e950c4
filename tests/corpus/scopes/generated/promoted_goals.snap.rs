/// The scopes `TeamMemory`: which memory a run reads and writes.
///
/// Invariants:
///
/// - `reviews_change_nothing`: `REVIEW_RUN never writes goal`
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
pub mod team_memory {
    pub use ::plan_machine::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};
    use ::plan_machine::scope::__private::{self, serde};
    /// Contains the type `Seal`, which only this module can create.
    mod seal {
        /// Proves that the caller is the module of the scopes, because no other module can create this value.
        #[derive(Debug)]
        pub struct Seal(pub(super) ());
    }
    /// The identity of a session: `room`.
    /// Different identities share only the keys of levels that all sessions share.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Identity {
        room: ::std::sync::Arc<str>,
        /// All parts as one string, by which a store distinguishes sessions.
        partition: __private::Partition,
    }
    impl Identity {
        /// Creates the identity of a session.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if a part is blank.
        pub fn new(
            room: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            let room = __private::checked("room", room)?;
            let partition = __private::partition(&[&room]);
            ::core::result::Result::Ok(Self { room, partition })
        }
        /// Returns the `room` part of the identity.
        #[must_use]
        pub fn room(&self) -> &str {
            &self.room
        }
        /// Returns the scope with which a session reads the level `room`.
        #[must_use]
        pub fn read_room(&self) -> Scope<level::Room> {
            __private::scope(key::room(self), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Identity {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [("room", self.room())];
            __private::write_texts(serializer, "Identity", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Identity {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let [room] = __private::read_texts(deserializer, "Identity", &["room"])?;
            Self::new(room).map_err(serde::de::Error::custom)
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
    /// The id of a `step`.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct StepId(::std::sync::Arc<str>);
    impl StepId {
        /// Creates an id.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if `text` is blank.
        pub fn new(
            text: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            __private::checked("step", text).map(Self)
        }
        /// Returns the id as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.0
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for StepId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[automatically_derived]
    impl serde::Serialize for StepId {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(&self.0)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for StepId {
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
        /// The level `room`, with the key `room:{room}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Room;
        #[automatically_derived]
        impl ScopeLevel for Room {
            const NAME: &'static str = "room";
            type Seal = super::seal::Seal;
        }
        /// The level `goal`, with the key `goal:{goal}`, written only by promotion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Goal;
        #[automatically_derived]
        impl ScopeLevel for Goal {
            const NAME: &'static str = "goal";
            type Seal = super::seal::Seal;
        }
        /// The level `step`, with the key `step:{goal}:{step}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Step;
        #[automatically_derived]
        impl ScopeLevel for Step {
            const NAME: &'static str = "step";
            type Seal = super::seal::Seal;
        }
    }
    /// A level of memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The level `room`, with the key `room:{room}`.
        Room,
        /// The level `goal`, with the key `goal:{goal}`, written only by promotion.
        Goal,
        /// The level `step`, with the key `step:{goal}:{step}`.
        Step,
    }
    impl Level {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 3] = [Self::Room, Self::Goal, Self::Step];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::Room => "room",
                Self::Goal => "goal",
                Self::Step => "step",
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
        /// `STEP_RUN`.
        StepRun,
        /// `REVIEW_RUN`.
        ReviewRun,
    }
    impl RunKind {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 2] = [Self::StepRun, Self::ReviewRun];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::StepRun => "STEP_RUN",
                Self::ReviewRun => "REVIEW_RUN",
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
                Self::StepRun => &[Level::Step, Level::Goal, Level::Room],
                Self::ReviewRun => &[Level::Goal],
            }
        }
    }
    /// A run of the kind `STEP_RUN`:
    ///
    /// - The run reads `step`, `goal` and `room`, starting with the nearest level.
    /// - The run writes `finding` to `step`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct StepRun {
        identity: Identity,
        goal: GoalId,
        step: StepId,
    }
    impl StepRun {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::StepRun;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, goal: GoalId, step: StepId) -> Self {
            Self { identity, goal, step }
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
        /// Returns the id of the run's `step`.
        #[must_use]
        pub fn step_id(&self) -> &StepId {
            &self.step
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 3] {
            [
                self.read_step().into_key(),
                self.read_goal().into_key(),
                self.read_room().into_key(),
            ]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `step`.
        #[must_use]
        pub fn read_step(&self) -> Scope<level::Step> {
            __private::scope(
                key::step(&self.identity, &self.goal, &self.step),
                seal::Seal(()),
            )
        }
        /// Returns the scope with which the run reads the level `goal`.
        #[must_use]
        pub fn read_goal(&self) -> Scope<level::Goal> {
            __private::scope(key::goal(&self.identity, &self.goal), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `room`.
        #[must_use]
        pub fn read_room(&self) -> Scope<level::Room> {
            __private::scope(key::room(&self.identity), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `finding` to the level `step`.
        #[must_use]
        pub fn write_finding(&self) -> WriteScope<level::Step> {
            __private::write_scope(
                key::step(&self.identity, &self.goal, &self.step),
                seal::Seal(()),
            )
        }
        /// Returns permission from the person `by` to write an item from the scope `from` to the level `goal`.
        ///
        /// # Errors
        /// [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`]
        /// if `by` is blank.
        pub fn promote_to_goal<L>(
            &self,
            from: &Scope<L>,
            by: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Promotion<level::Goal>, ScopeError> {
            __private::promotion(
                &self.identity.partition,
                from,
                key::goal(&self.identity, &self.goal),
                by,
                seal::Seal(()),
            )
        }
    }
    #[automatically_derived]
    impl serde::Serialize for StepRun {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "STEP_RUN"),
                ("room", self.identity.room()),
                ("goal", self.goal.as_str()),
                ("step", self.step.as_str()),
            ];
            __private::write_texts(serializer, "StepRun", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for StepRun {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "room", "goal", "step"];
            let [run, room, goal, step] = __private::read_texts(
                deserializer,
                "StepRun",
                names,
            )?;
            __private::is_kind(&run, "STEP_RUN")?;
            let identity = Identity::new(room).map_err(serde::de::Error::custom)?;
            let goal = GoalId::new(goal).map_err(serde::de::Error::custom)?;
            let step = StepId::new(step).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, goal, step))
        }
    }
    /// A run of the kind `REVIEW_RUN`:
    ///
    /// - The run reads `goal`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ReviewRun {
        identity: Identity,
        goal: GoalId,
    }
    impl ReviewRun {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::ReviewRun;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, goal: GoalId) -> Self {
            Self { identity, goal }
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
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 1] {
            [self.read_goal().into_key()]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `goal`.
        #[must_use]
        pub fn read_goal(&self) -> Scope<level::Goal> {
            __private::scope(key::goal(&self.identity, &self.goal), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for ReviewRun {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "REVIEW_RUN"),
                ("room", self.identity.room()),
                ("goal", self.goal.as_str()),
            ];
            __private::write_texts(serializer, "ReviewRun", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for ReviewRun {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "room", "goal"];
            let [run, room, goal] = __private::read_texts(
                deserializer,
                "ReviewRun",
                names,
            )?;
            __private::is_kind(&run, "REVIEW_RUN")?;
            let identity = Identity::new(room).map_err(serde::de::Error::custom)?;
            let goal = GoalId::new(goal).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, goal))
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
            let parts = [("room", identity.room())];
            let (level, key) = __private::parse(
                text,
                &key::LEVELS,
                &parts,
                &identity.partition,
            )?;
            ::core::result::Result::Ok(Self { level, key })
        }
        /// Returns the scope of an item that was stored without a scope: the level `room`.
        #[must_use]
        pub fn legacy(identity: &Identity) -> Self {
            Self {
                level: Level::Room,
                key: key::room(identity),
            }
        }
        /// Reads the optional scope of an item; an item without a scope belongs to the level `room`.
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
        use super::{Identity, Level, ScopeKey, GoalId, StepId};
        /// The pattern `room:{room}`; each session has its own keys.
        const ROOM: KeyPattern = KeyPattern::new("room", &[Word("room"), Part("room")]);
        /// The pattern `goal:{goal}`; each session has its own keys.
        const GOAL: KeyPattern = KeyPattern::new("goal", &[Word("goal"), Part("goal")]);
        /// The pattern `step:{goal}:{step}`; each session has its own keys.
        const STEP: KeyPattern = KeyPattern::new(
            "step",
            &[Word("step"), Part("goal"), Part("step")],
        );
        /// The levels with the patterns of their keys, which are used to parse stored keys.
        pub(super) const LEVELS: [(Level, KeyPattern); 3] = [
            (Level::Room, ROOM),
            (Level::Goal, GOAL),
            (Level::Step, STEP),
        ];
        pub(super) fn room(identity: &Identity) -> ScopeKey {
            ROOM.key(&identity.partition, &[&identity.room])
        }
        pub(super) fn goal(identity: &Identity, goal: &GoalId) -> ScopeKey {
            GOAL.key(&identity.partition, &[goal.as_str()])
        }
        pub(super) fn step(
            identity: &Identity,
            goal: &GoalId,
            step: &StepId,
        ) -> ScopeKey {
            STEP.key(&identity.partition, &[goal.as_str(), step.as_str()])
        }
    }
}
