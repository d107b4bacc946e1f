//! The allocation rules as a state machine.
