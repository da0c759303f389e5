//! Settings that are a count between 1 and a maximum.

/// Makes the type of such a setting, and the error of a number that is out of its range.
macro_rules! count_setting {
    ($(#[$doc:meta])* $name:ident($whole:ty), $maximum:literal $what:literal, $(#[$error_doc:meta])* $error:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "schema", schemars(extend("minimum" = 1, "maximum" = Self::MAX)))]
        #[serde(try_from = "i64", into = "i64")]
        pub struct $name($whole);

        impl $name {
            /// The maximum.
            pub const MAX: $whole = $maximum;
            /// One.
            pub const ONE: Self = Self(1);

            /// A count, or `None` outside 1 to [`MAX`](Self::MAX).
            #[must_use]
            pub const fn new(count: $whole) -> Option<Self> {
                if count >= 1 && count <= Self::MAX { Some(Self(count)) } else { None }
            }

            /// The count.
            #[must_use]
            pub const fn get(self) -> $whole {
                self.0
            }
        }

        $(#[$error_doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
        #[error("{0} {what}: expected 1 to {max}", what = $what, max = $name::MAX)]
        pub struct $error(i64);

        impl TryFrom<i64> for $name {
            type Error = $error;
            fn try_from(count: i64) -> Result<Self, $error> {
                <$whole>::try_from(count).ok().and_then(Self::new).ok_or($error(count))
            }
        }

        impl From<$name> for i64 {
            fn from(count: $name) -> Self {
                Self::from(count.0)
            }
        }
    };
}

pub(crate) use count_setting;
