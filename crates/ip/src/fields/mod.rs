//! What a rule may ask of a packet's headers, as people write it: `"udp"`, `"10.0.0.0/8"`, `"5004-5020"`, `"af41"`.
//!
//! Each is a text with a grammar of its own; a bare number is read too where that is one of its forms.

mod address;
mod ds;
mod flow_label;
mod ports;
mod protocol;

pub use address::{Addresses, AddressesError, bits_of};
pub use ds::{Ds, DsError};
pub use flow_label::{FlowLabel, FlowLabelError};
pub use ports::{Ports, PortsError};
pub use protocol::{Protocol, ProtocolError};

/// Text in and text out for serde; a bare number is read as its digits. Wants `serde` and `alloc` where it is used.
#[macro_export]
macro_rules! serde_as_text {
    ($type:ty, $expecting:literal) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Visitor;
                impl serde::de::Visitor<'_> for Visitor {
                    type Value = $type;
                    fn expecting(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                        out.write_str($expecting)
                    }
                    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<$type, E> {
                        text.parse().map_err(E::custom)
                    }
                    fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<$type, E> {
                        alloc::format!("{number}").parse().map_err(E::custom)
                    }
                    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<$type, E> {
                        alloc::format!("{number}").parse().map_err(E::custom)
                    }
                }
                deserializer.deserialize_any(Visitor)
            }
        }
    };
}
#[cfg(test)]
mod tests;
