/// The scopes `ChatNotes`: which memory a run reads and writes.
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
pub mod chat_notes {
    pub use ::plan_machine::scope::{Promotion, Scope, ScopeError, ScopeKey, WriteScope};
    use ::plan_machine::scope::__private::{self, serde};
    /// Contains the type `Seal`, which only this module can create.
    mod seal {
        /// Proves that the caller is the module of the scopes, because no other module can create this value.
        #[derive(Debug)]
        pub struct Seal(pub(super) ());
    }
    /// The identity of a session: `user`.
    /// Different identities share only the keys of levels that all sessions share.
    #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub struct Identity {
        user: ::std::sync::Arc<str>,
        /// All parts as one string, by which a store distinguishes sessions.
        partition: __private::Partition,
    }
    impl Identity {
        /// Creates the identity of a session.
        ///
        /// # Errors
        /// [`ScopeError::Blank`] if a part is blank.
        pub fn new(
            user: impl ::core::convert::Into<::std::sync::Arc<str>>,
        ) -> ::core::result::Result<Self, ScopeError> {
            let user = __private::checked("user", user)?;
            let partition = __private::partition(&[&user]);
            ::core::result::Result::Ok(Self { user, partition })
        }
        /// Returns the `user` part of the identity.
        #[must_use]
        pub fn user(&self) -> &str {
            &self.user
        }
        /// Returns the scope with which a session reads the level `notes`.
        #[must_use]
        pub fn read_notes(&self) -> Scope<level::Notes> {
            __private::scope(key::notes(self), seal::Seal(()))
        }
        /// Returns the scope with which a session reads the level `drafts`.
        #[must_use]
        pub fn read_drafts(&self) -> Scope<level::Drafts> {
            __private::scope(key::drafts(self), seal::Seal(()))
        }
    }
    #[automatically_derived]
    impl serde::Serialize for Identity {
        fn serialize<S: serde::Serializer>(
            &self,
            serializer: S,
        ) -> ::core::result::Result<S::Ok, S::Error> {
            let texts = [("user", self.user())];
            __private::write_texts(serializer, "Identity", &texts)
        }
    }
    #[automatically_derived]
    impl<'de> serde::Deserialize<'de> for Identity {
        fn deserialize<D: serde::Deserializer<'de>>(
            deserializer: D,
        ) -> ::core::result::Result<Self, D::Error> {
            let [user] = __private::read_texts(deserializer, "Identity", &["user"])?;
            Self::new(user).map_err(serde::de::Error::custom)
        }
    }
    /// The levels as types.
    pub mod level {
        use ::plan_machine::scope::ScopeLevel;
        /// The level `notes`, with the key `notes:{user}`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Notes;
        #[automatically_derived]
        impl ScopeLevel for Notes {
            const NAME: &'static str = "notes";
            type Seal = super::seal::Seal;
        }
        /// The level `drafts`, with the key `drafts`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct Drafts;
        #[automatically_derived]
        impl ScopeLevel for Drafts {
            const NAME: &'static str = "drafts";
            type Seal = super::seal::Seal;
        }
    }
    /// A level of memory.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Level {
        /// The level `notes`, with the key `notes:{user}`.
        Notes,
        /// The level `drafts`, with the key `drafts`.
        Drafts,
    }
    impl Level {
        /// All variants, in the order of the document.
        pub const ALL: [Self; 2] = [Self::Notes, Self::Drafts];
        /// Returns the name in the document.
        #[must_use]
        pub const fn as_str(self) -> &'static str {
            match self {
                Self::Notes => "notes",
                Self::Drafts => "drafts",
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
            let parts = [("user", identity.user())];
            let (level, key) = __private::parse(
                text,
                &key::LEVELS,
                &parts,
                &identity.partition,
            )?;
            ::core::result::Result::Ok(Self { level, key })
        }
        /// Reads the optional scope of an item.
        ///
        /// # Errors
        /// The errors of [`AnyScope::parse`], and [`ScopeError::Missing`] if the item has no scope.
        pub fn read(
            text: ::core::option::Option<&str>,
            identity: &Identity,
        ) -> ::core::result::Result<Self, ScopeError> {
            match text {
                ::core::option::Option::Some(text) => Self::parse(text, identity),
                ::core::option::Option::None => {
                    ::core::result::Result::Err(ScopeError::Missing)
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
        use super::{Identity, Level, ScopeKey};
        /// The pattern `notes:{user}`; each session has its own keys.
        const NOTES: KeyPattern = KeyPattern::new(
            "notes",
            &[Word("notes"), Part("user")],
        );
        /// The pattern `drafts`; each session has its own keys.
        const DRAFTS: KeyPattern = KeyPattern::new("drafts", &[Word("drafts")]);
        /// The levels with the patterns of their keys, which are used to parse stored keys.
        pub(super) const LEVELS: [(Level, KeyPattern); 2] = [
            (Level::Notes, NOTES),
            (Level::Drafts, DRAFTS),
        ];
        pub(super) fn notes(identity: &Identity) -> ScopeKey {
            NOTES.key(&identity.partition, &[&identity.user])
        }
        pub(super) fn drafts(identity: &Identity) -> ScopeKey {
            DRAFTS.key(&identity.partition, &[])
        }
    }
}
