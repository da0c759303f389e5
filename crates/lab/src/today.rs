//! What makes a world one of today.
