//! Keys whose level is known at compile time.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::Arc;

use super::key::checked;
use super::{ScopeError, ScopeKey};

/// A level as a type.
pub trait ScopeLevel {
    /// The name of the level in the scopes document.
    const NAME: &'static str;
    /// Proves that the generated module is the caller: no other code can create a value of this type.
    #[doc(hidden)]
    type Seal;
}

macro_rules! typed_keys {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        pub struct $name<L> {
            key: ScopeKey,
            level: PhantomData<fn() -> L>,
        }

        impl<L> $name<L> {
            fn new(key: ScopeKey) -> Self {
                Self { key, level: PhantomData }
            }

            /// Returns the key under which a store keeps the items of the scope.
            #[must_use]
            pub fn key(&self) -> &ScopeKey {
                &self.key
            }

            /// Converts the permission to its key.
            #[must_use]
            pub fn into_key(self) -> ScopeKey {
                self.key
            }
        }

        // These traits are implemented by hand: derived implementations would require the level, which is only a
        // type-level name, to implement them.
        impl<L> Clone for $name<L> {
            fn clone(&self) -> Self {
                Self::new(self.key.clone())
            }
        }

        impl<L> PartialEq for $name<L> {
            fn eq(&self, other: &Self) -> bool {
                self.key == other.key
            }
        }

        impl<L> Eq for $name<L> {}

        impl<L> Hash for $name<L> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.key.hash(state);
            }
        }

        impl<L> fmt::Debug for $name<L> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.key).finish()
            }
        }

        impl<L> fmt::Display for $name<L> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.key.fmt(f)
            }
        }
    )*};
}

typed_keys! {
    /// Permission to read the memory of the level `L` in a run or a session.
    Scope
    /// Permission to write to the level `L`: a run has one for each of its write classes, and a promotion has one for
    /// its level.
    WriteScope
}

/// Permission to write to a level that no run writes to by itself. It names the person who granted the permission, and
/// contains the scope of the promoted item.
///
/// A promotion cannot be cloned, and [`into_write`](Self::into_write) consumes it. The store of the item should record
/// by whom and from which scope the item was promoted.
#[derive(Debug)]
#[must_use = "a promotion writes nothing by itself"]
pub struct Promotion<L> {
    to: WriteScope<L>,
    from: ScopeKey,
    by: Arc<str>,
}

impl<L> Promotion<L> {
    /// Returns the scope of the promoted item.
    #[must_use]
    pub fn from(&self) -> &ScopeKey {
        &self.from
    }

    /// Returns the person who promoted the item.
    #[must_use]
    pub fn by(&self) -> &str {
        &self.by
    }

    /// Returns the scope that the item is written to.
    #[must_use]
    pub fn to(&self) -> &ScopeKey {
        self.to.key()
    }

    /// Consumes the promotion and returns the permission to write.
    #[must_use]
    pub fn into_write(self) -> WriteScope<L> {
        self.to
    }
}

/// Converts a key to a permission to read.
#[must_use]
pub fn scope<L: ScopeLevel>(key: ScopeKey, _: L::Seal) -> Scope<L> {
    Scope::new(key)
}

/// Converts a key to a permission to write.
#[must_use]
pub fn write_scope<L: ScopeLevel>(key: ScopeKey, _: L::Seal) -> WriteScope<L> {
    WriteScope::new(key)
}

/// Returns permission from the person `by` to write an item from the scope `from` to the level with the key `to`. The
/// item is promoted in the session that `own` belongs to.
///
/// # Errors
/// [`ScopeError::OtherSession`] if `from` belongs to another session. [`ScopeError::Blank`] if `by` is blank.
pub fn promotion<F, L: ScopeLevel>(
    own: &super::Partition,
    from: &Scope<F>,
    to: ScopeKey,
    by: impl Into<Arc<str>>,
    _: L::Seal,
) -> Result<Promotion<L>, ScopeError> {
    if from.key.partition().is_some_and(|session| session != own) {
        return Err(ScopeError::OtherSession {
            text: from.key.as_str().to_owned(),
        });
    }
    Ok(Promotion {
        to: WriteScope::new(to),
        from: from.key.clone(),
        by: checked("by", by)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::key::partition;

    struct Task;
    struct Global;

    impl ScopeLevel for Task {
        const NAME: &'static str = "task";
        type Seal = ();
    }

    impl ScopeLevel for Global {
        const NAME: &'static str = "global";
        type Seal = ();
    }

    fn task(session: &str) -> Scope<Task> {
        let key = ScopeKey::new("task", "task:t1", Some(partition(&[session])));
        scope(key, ())
    }

    fn promote(from: &Scope<Task>, by: &str) -> Result<Promotion<Global>, ScopeError> {
        let global = ScopeKey::new("global", "global", None);
        promotion(&partition(&["web"]), from, global, by, ())
    }

    #[test]
    fn a_promotion_says_from_where_to_where_and_by_whom() {
        let promotion = promote(&task("web"), "ann").expect("a promotion in this session");
        assert_eq!(promotion.from(), task("web").key());
        assert_eq!((promotion.to().as_str(), promotion.by()), ("global", "ann"));
        assert_eq!(promotion.into_write().key().level(), "global");
    }

    #[test]
    fn nothing_of_another_session_is_promoted_and_a_promotion_names_a_person() {
        let text = "task:t1".to_owned();
        let refused = promote(&task("sms"), "ann").map(|_| ());
        assert_eq!(refused, Err(ScopeError::OtherSession { text }));
        let refused = promote(&task("web"), " ").map(|_| ());
        assert_eq!(refused, Err(ScopeError::Blank { part: "by" }));
    }
}
