/// The scopes `Match`: which memory a run reads and writes.
///
/// Names that Rust has its own use for.
/// Nothing here is called `x`.
///
/// Invariants:
///
/// - `results_stay`: `RESULT never writes option`
/// - `options_stay`: `OPTION never reads option`
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
pub mod r#match {
    pub use ::plan_machine::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};
    use ::plan_machine::scope::__private::{self, serde};
    /// Contains the type `Seal`, which only this module can create.
    mod seal {
        /// Proves that the caller is the module of the scopes, because no other module can create this value.
        #[derive(Debug)]
        pub struct Seal(pub(super) ());
    }
    /// The identity of a session: `type`, `static` and `Result`.
    /// Different identities share only the keys of levels that all sessions share.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Identity {
        r#type: ::std::sync::Arc<str>,
        r#static: ::std::sync::Arc<str>,
        result: ::std::sync::Arc<str>,
        /// All parts as one string, by which a store distinguishes sessions.
        partition: __private::Partition,
    }
    impl Identity {
        /// Creates the identity of a session.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if a part is blank.
        pub fn new(
            r#type: impl ::core::convert::Into<::std::sync::Arc<str>>,
            r#static: impl ::core::convert::Into<::std::sync::Arc<str>>,
            result: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            let r#type = __private::checked("type", r#type)?;
            let r#static = __private::checked("static", r#static)?;
            let result = __private::checked("Result", result)?;
            let partition = __private::partition(&[&r#type, &r#static, &result]);
            ::core::result::Result::Ok(Self {
                r#type,
                r#static,
                result,
                partition,
            })
        }
        /// Returns the `type` part of the identity.
        #[must_use]
        pub fn r#type(&self) -> &str {
            &self.r#type
        }
        /// Returns the `static` part of the identity.
        #[must_use]
        pub fn r#static(&self) -> &str {
            &self.r#static
        }
        /// Returns the `Result` part of the identity.
        #[must_use]
        pub fn result(&self) -> &str {
            &self.result
        }
        /// Returns the scope with which a session reads the level `use`.
        #[must_use]
        pub fn read_use(&self) -> Scope<level::Use> {
            __private::scope(key::r#use(self), seal::Seal(()))
        }
        /// Returns permission from the person `by` to write an item from the scope `from` to the level `use`.
        ///
        /// # Errors
        /// [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`]
        /// if `by` is blank.
        pub fn promote_to_use<L>(
            &self,
            from: &Scope<L>,
            by: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Promotion<level::Use>, ScopeError> {
            __private::promotion(
                &self.partition,
                from,
                key::r#use(self),
                by,
                seal::Seal(()),
            )
        }
        /// Returns the scope with which a session reads the level `fn`.
        #[must_use]
        pub fn read_fn(&self) -> Scope<level::Fn> {
            __private::scope(key::r#fn(self), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Identity {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("type", self.r#type()),
                ("static", self.r#static()),
                ("Result", self.result()),
            ];
            __private::write_texts(serializer, "Identity", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Identity {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let [r#type, r#static, result] = __private::read_texts(
                deserializer,
                "Identity",
                &["type", "static", "Result"],
            )?;
            Self::new(r#type, r#static, result).map_err(serde::de::Error::custom)
        }
    }
    /// The id of a `where`.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct WhereId(::std::sync::Arc<str>);
    impl WhereId {
        /// Creates an id.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if `text` is blank.
        pub fn new(
            text: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            __private::checked("where", text).map(Self)
        }
        /// Returns the id as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.0
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for WhereId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[automatically_derived]
    impl serde::Serialize for WhereId {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(&self.0)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for WhereId {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let text = __private::read_text(deserializer)?;
            Self::new(text).map_err(serde::de::Error::custom)
        }
    }
    /// The id of a `loop`.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct LoopId(::std::sync::Arc<str>);
    impl LoopId {
        /// Creates an id.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if `text` is blank.
        pub fn new(
            text: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            __private::checked("loop", text).map(Self)
        }
        /// Returns the id as a string.
        #[must_use]
        pub fn as_str(&self) -> &str {
            &self.0
        }
    }
    #[automatically_derived]
    impl ::core::fmt::Display for LoopId {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            f.write_str(&self.0)
        }
    }
    #[automatically_derived]
    impl serde::Serialize for LoopId {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            serializer.serialize_str(&self.0)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for LoopId {
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
        /// The level `use`, with the key `use`, written only by promotion.
        ///
        /// What everybody may use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Use;
        #[automatically_derived]
        impl ScopeLevel for Use {
            const NAME: &'static str = "use";
            type Seal = super::seal::Seal;
        }
        /// The level `fn`, with the key `fn:{type}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Fn;
        #[automatically_derived]
        impl ScopeLevel for Fn {
            const NAME: &'static str = "fn";
            type Seal = super::seal::Seal;
        }
        /// The level `option`, with the key `option:{type}:{static}:{where}:{loop}`, written only by promotion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Option;
        #[automatically_derived]
        impl ScopeLevel for Option {
            const NAME: &'static str = "option";
            type Seal = super::seal::Seal;
        }
        /// The level `Some`, with the key `some.thing:{loop}`.
        ///
        /// Some of it, for <everyone> in [here].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Some;
        #[automatically_derived]
        impl ScopeLevel for Some {
            const NAME: &'static str = "Some";
            type Seal = super::seal::Seal;
        }
    }
    /// A level of memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The level `use`, with the key `use`, written only by promotion.
        ///
        /// What everybody may use.
        Use,
        /// The level `fn`, with the key `fn:{type}`.
        Fn,
        /// The level `option`, with the key `option:{type}:{static}:{where}:{loop}`, written only by promotion.
        Option,
        /// The level `Some`, with the key `some.thing:{loop}`.
        ///
        /// Some of it, for <everyone> in [here].
        Some,
    }
    impl Level {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 4] = [Self::Use, Self::Fn, Self::Option, Self::Some];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::Use => "use",
                Self::Fn => "fn",
                Self::Option => "option",
                Self::Some => "Some",
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
        /// `ARC`.
        Arc,
        /// `OPTION`.
        Option,
        /// `RESULT`.
        Result,
    }
    impl RunKind {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 3] = [Self::Arc, Self::Option, Self::Result];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::Arc => "ARC",
                Self::Option => "OPTION",
                Self::Result => "RESULT",
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
                Self::Arc => &[Level::Some, Level::Option],
                Self::Option => &[Level::Fn, Level::Use],
                Self::Result => &[Level::Option],
            }
        }
    }
    /// A run of the kind `ARC`:
    ///
    /// - The run reads `Some` and `option`, starting with the nearest level.
    /// - The run writes `ref` to `fn`.
    /// - The run writes `mut` to `Some`.
    ///
    /// A run that is not a pointer.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Arc {
        identity: Identity,
        r#where: WhereId,
        r#loop: LoopId,
    }
    impl Arc {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::Arc;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, r#where: WhereId, r#loop: LoopId) -> Self {
            Self { identity, r#where, r#loop }
        }
        /// Returns the identity of the session that the run belongs to.
        #[must_use]
        pub fn identity(&self) -> &Identity {
            &self.identity
        }
        /// Returns the id of the run's `where`.
        #[must_use]
        pub fn where_id(&self) -> &WhereId {
            &self.r#where
        }
        /// Returns the id of the run's `loop`.
        #[must_use]
        pub fn loop_id(&self) -> &LoopId {
            &self.r#loop
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 2] {
            [self.read_some().into_key(), self.read_option().into_key()]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `Some`.
        #[must_use]
        pub fn read_some(&self) -> Scope<level::Some> {
            __private::scope(key::some(&self.identity, &self.r#loop), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `option`.
        #[must_use]
        pub fn read_option(&self) -> Scope<level::Option> {
            __private::scope(
                key::option(&self.identity, &self.r#where, &self.r#loop),
                seal::Seal(()),
            )
        }
        /// Returns the scope for writing items of the class `ref` to the level `fn`.
        #[must_use]
        pub fn write_ref(&self) -> WriteScope<level::Fn> {
            __private::write_scope(key::r#fn(&self.identity), seal::Seal(()))
        }
        /// Returns the scope for writing items of the class `mut` to the level `Some`.
        #[must_use]
        pub fn write_mut(&self) -> WriteScope<level::Some> {
            __private::write_scope(
                key::some(&self.identity, &self.r#loop),
                seal::Seal(()),
            )
        }
        /// Returns permission from the person `by` to write an item from the scope `from` to the level `option`.
        ///
        /// # Errors
        /// [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`]
        /// if `by` is blank.
        pub fn promote_to_option<L>(
            &self,
            from: &Scope<L>,
            by: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Promotion<level::Option>, ScopeError> {
            __private::promotion(
                &self.identity.partition,
                from,
                key::option(&self.identity, &self.r#where, &self.r#loop),
                by,
                seal::Seal(()),
            )
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Arc {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "ARC"),
                ("type", self.identity.r#type()),
                ("static", self.identity.r#static()),
                ("Result", self.identity.result()),
                ("where", self.r#where.as_str()),
                ("loop", self.r#loop.as_str()),
            ];
            __private::write_texts(serializer, "Arc", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Arc {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "type", "static", "Result", "where", "loop"];
            let [run, r#type, r#static, result, r#where, r#loop] = __private::read_texts(
                deserializer,
                "Arc",
                names,
            )?;
            __private::is_kind(&run, "ARC")?;
            let identity = Identity::new(r#type, r#static, result)
                .map_err(serde::de::Error::custom)?;
            let r#where = WhereId::new(r#where).map_err(serde::de::Error::custom)?;
            let r#loop = LoopId::new(r#loop).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, r#where, r#loop))
        }
    }
    /// A run of the kind `OPTION`:
    ///
    /// - The run reads `fn` and `use`, starting with the nearest level.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Option {
        identity: Identity,
    }
    impl Option {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::Option;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity) -> Self {
            Self { identity }
        }
        /// Returns the identity of the session that the run belongs to.
        #[must_use]
        pub fn identity(&self) -> &Identity {
            &self.identity
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 2] {
            [self.read_fn().into_key(), self.read_use().into_key()]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `fn`.
        #[must_use]
        pub fn read_fn(&self) -> Scope<level::Fn> {
            __private::scope(key::r#fn(&self.identity), seal::Seal(()))
        }
        /// Returns the scope with which the run reads the level `use`.
        #[must_use]
        pub fn read_use(&self) -> Scope<level::Use> {
            __private::scope(key::r#use(&self.identity), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Option {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "OPTION"),
                ("type", self.identity.r#type()),
                ("static", self.identity.r#static()),
                ("Result", self.identity.result()),
            ];
            __private::write_texts(serializer, "Option", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Option {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "type", "static", "Result"];
            let [run, r#type, r#static, result] = __private::read_texts(
                deserializer,
                "Option",
                names,
            )?;
            __private::is_kind(&run, "OPTION")?;
            let identity = Identity::new(r#type, r#static, result)
                .map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity))
        }
    }
    /// A run of the kind `RESULT`:
    ///
    /// - The run reads `option`.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    pub struct Result {
        identity: Identity,
        r#loop: LoopId,
        r#where: WhereId,
    }
    impl Result {
        /// The kind of this run.
        pub const KIND: RunKind = RunKind::Result;
        /// Creates a run in the session of `identity`.
        #[must_use]
        pub fn new(identity: Identity, r#loop: LoopId, r#where: WhereId) -> Self {
            Self { identity, r#loop, r#where }
        }
        /// Returns the identity of the session that the run belongs to.
        #[must_use]
        pub fn identity(&self) -> &Identity {
            &self.identity
        }
        /// Returns the id of the run's `loop`.
        #[must_use]
        pub fn loop_id(&self) -> &LoopId {
            &self.r#loop
        }
        /// Returns the id of the run's `where`.
        #[must_use]
        pub fn where_id(&self) -> &WhereId {
            &self.r#where
        }
        /// Returns the keys of all levels that the run reads, starting with the nearest.
        #[must_use]
        pub fn reads(&self) -> [ScopeKey; 1] {
            [self.read_option().into_key()]
        }
        /// Returns whether the run reads items with this scope.
        #[must_use]
        pub fn can_read(&self, stored: &AnyScope) -> bool {
            self.reads().iter().any(|key| stored.is(key))
        }
        /// Returns the scope with which the run reads the level `option`.
        #[must_use]
        pub fn read_option(&self) -> Scope<level::Option> {
            __private::scope(
                key::option(&self.identity, &self.r#where, &self.r#loop),
                seal::Seal(()),
            )
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Result {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [
                ("run", "RESULT"),
                ("type", self.identity.r#type()),
                ("static", self.identity.r#static()),
                ("Result", self.identity.result()),
                ("loop", self.r#loop.as_str()),
                ("where", self.r#where.as_str()),
            ];
            __private::write_texts(serializer, "Result", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Result {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let names = &["run", "type", "static", "Result", "loop", "where"];
            let [run, r#type, r#static, result, r#loop, r#where] = __private::read_texts(
                deserializer,
                "Result",
                names,
            )?;
            __private::is_kind(&run, "RESULT")?;
            let identity = Identity::new(r#type, r#static, result)
                .map_err(serde::de::Error::custom)?;
            let r#loop = LoopId::new(r#loop).map_err(serde::de::Error::custom)?;
            let r#where = WhereId::new(r#where).map_err(serde::de::Error::custom)?;
            ::core::result::Result::Ok(Self::new(identity, r#loop, r#where))
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
                ("type", identity.r#type()),
                ("static", identity.r#static()),
                ("Result", identity.result()),
            ];
            let (level, key) = __private::parse(
                text,
                &key::LEVELS,
                &parts,
                &identity.partition,
            )?;
            ::core::result::Result::Ok(Self { level, key })
        }
        /// Returns the scope of an item that was stored without a scope: the level `use`.
        #[must_use]
        pub fn legacy(identity: &Identity) -> Self {
            Self {
                level: Level::Use,
                key: key::r#use(identity),
            }
        }
        /// Reads the optional scope of an item; an item without a scope belongs to the level `use`.
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
        use super::{Identity, Level, ScopeKey, WhereId, LoopId};
        /// The pattern `use`; all sessions share its keys.
        const USE: KeyPattern = KeyPattern::shared("use", &[Word("use")]);
        /// The pattern `fn:{type}`; each session has its own keys.
        const FN: KeyPattern = KeyPattern::new("fn", &[Word("fn"), Part("type")]);
        /// The pattern `option:{type}:{static}:{where}:{loop}`; each session has its own keys.
        const OPTION: KeyPattern = KeyPattern::new(
            "option",
            &[Word("option"), Part("type"), Part("static"), Part("where"), Part("loop")],
        );
        /// The pattern `some.thing:{loop}`; each session has its own keys.
        const SOME: KeyPattern = KeyPattern::new(
            "Some",
            &[Word("some.thing"), Part("loop")],
        );
        /// The levels with the patterns of their keys, which are used to parse stored keys.
        pub(super) const LEVELS: [(Level, KeyPattern); 4] = [
            (Level::Use, USE),
            (Level::Fn, FN),
            (Level::Option, OPTION),
            (Level::Some, SOME),
        ];
        pub(super) fn r#use(identity: &Identity) -> ScopeKey {
            USE.key(&identity.partition, &[])
        }
        pub(super) fn r#fn(identity: &Identity) -> ScopeKey {
            FN.key(&identity.partition, &[&identity.r#type])
        }
        pub(super) fn option(
            identity: &Identity,
            r#where: &WhereId,
            r#loop: &LoopId,
        ) -> ScopeKey {
            OPTION
                .key(
                    &identity.partition,
                    &[
                        &identity.r#type,
                        &identity.r#static,
                        r#where.as_str(),
                        r#loop.as_str(),
                    ],
                )
        }
        pub(super) fn some(identity: &Identity, r#loop: &LoopId) -> ScopeKey {
            SOME.key(&identity.partition, &[r#loop.as_str()])
        }
    }
}
