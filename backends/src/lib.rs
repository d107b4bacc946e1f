//! Where work runs.
