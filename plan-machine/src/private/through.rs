//! Serialization of generated types in any serde format. Without the feature `serde`, these macros omit the
//! serialization, so that generated code is the same with and without the feature.

/// Implements serialization to any serde format by first converting the value to JSON.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! through_json {
    ($($kind:ty),*) => {$(
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $kind {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                to: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serialize(self, to)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $kind {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize(from)
            }
        }
    )*};
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! through_json {
    ($($kind:ty),*) => {};
}

/// Implements serialization of events in any serde format: `{"do": "approve", "with": {…}}`, and `{"tool": "shell",
/// "with": {…}}` for a host tool. Also states how many timers the machine has; the code of a machine without timers does
/// not mention timers.
#[doc(hidden)]
#[macro_export]
macro_rules! event_through_json {
    ($event:ty, $machine:ty) => {
        $crate::event_through_json!($event, $machine, 0);
    };
    ($event:ty, $machine:ty, $timers:literal) => {
        #[automatically_derived]
        impl $crate::__private::HoldsTimers for $machine {
            type Timers = [$crate::__private::Timer; $timers];
        }

        $crate::event_in_serde!($event, $machine);
    };
}

#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! event_in_serde {
    ($event:ty, $machine:ty) => {
        #[automatically_derived]
        impl $crate::__private::serde::Serialize for $event {
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                to: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::__private::serialize_event::<$machine, S>(self, to)
            }
        }

        #[automatically_derived]
        impl<'de> $crate::__private::serde::Deserialize<'de> for $event {
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                from: D,
            ) -> ::core::result::Result<Self, D::Error> {
                $crate::__private::deserialize_event::<$machine, D>(from)
            }
        }
    };
}

#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! event_in_serde {
    ($event:ty, $machine:ty) => {};
}
