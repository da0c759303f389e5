//! Tables of changes that are laid over a parameter set.

/// Declares the changes that a file may make, every one of them optional, and beside them what a parameter set says and an
/// end goes by: the same keys, all of them set.
macro_rules! layered {
    (
        $(#[$about:meta])*
        pub struct $Changes:ident over $Set:ident {
            $($(#[$key:meta])* pub $name:ident: $type:ty,)*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$about])*
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Changes {
            $($(#[$key])* pub $name: Option<$type>,)*
        }

        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(in crate::rlc::am) struct $Set {
            $(pub(in crate::rlc::am) $name: $type,)*
        }

        impl $Changes {
            fn over(&self, set: $Set) -> $Set {
                $Set { $($name: self.$name.unwrap_or(set.$name),)* }
            }
        }
    };
}
pub(super) use layered;
