//! What the service does, frame by frame.
