//! The promises of the services that multiservice compares, a file each.

mod go_back_n;
