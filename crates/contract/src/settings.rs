//! The settings of a service: a table of a scenario whose keys stand beside their defaults.
//!
//! ```ignore
//! settings! {
//!     /// The settings of one end.
//!     pub struct Config {
//!         /// The number of packets that may wait.
//!         pub buffer: NonZeroUsize = const { NonZeroUsize::new(256).expect("not zero") },
//!     }
//! }
//! ```
//!
//! A file may leave out any key, and must not name another. A default that is out of its bounds does not compile where it
//! is written in `const { }`.

/// Declares a struct of settings with its defaults, and how it is read from a file and written to one.
#[macro_export]
macro_rules! settings {
    (
        $(#[$about:meta])*
        pub struct $Settings:ident {
            $($(#[$key:meta])* pub $name:ident: $type:ty = $default:expr,)*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        $(#[$about])*
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Settings {
            $($(#[$key])* pub $name: $type,)*
        }

        impl Default for $Settings {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }
    };
}
