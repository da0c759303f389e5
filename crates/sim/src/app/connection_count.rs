//! How many connections an application has at once, as a setting.

use crate::count_setting::count_setting;

// Far fewer than there are ports, so that connections of other applications have theirs.
count_setting! {
    /// The number of connections: at least one, and no more than there are ports.
    ConnectionCount(u16), 1000 "connections",
    /// A number of connections that is out of range.
    ConnectionCountError
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_of_connections_that_cannot_be_is_refused() {
        assert_eq!(ConnectionCount::try_from(10).map(ConnectionCount::get), Ok(10));
        for number in [-1, 0, 1001, 70_000] {
            assert_eq!(ConnectionCount::try_from(number), Err(ConnectionCountError(number)));
        }
    }
}
