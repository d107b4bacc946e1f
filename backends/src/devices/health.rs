//! When a unit is taken out, and when it comes back: a state machine without a clock or a device.

use lineside_devices::Blame;

/// So many leases in a row that fail by the fault of a device, and it is drained and probed.
const FAILURES_MAX: u32 = 2;
/// A device whose probe fails so often stays out for the rest of the run.
const PROBES_MAX: u32 = 6;

/// How a device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Health {
    state: State,
    /// Failures in a row that are its fault.
    failures: u32,
    /// Probes in a row that failed.
    probes: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// It takes leases.
    #[default]
    Fine,
    /// It takes no new leases, and is being probed.
    Draining,
    /// It is lost, and is being opened anew and probed.
    Down,
}

/// What is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Do {
    /// Nothing.
    Nothing,
    /// Drain the unit and probe it.
    DrainAndProbe,
    /// It goes down by the word of whoever noticed; probe it.
    Probe,
    /// Probe it again after so many seconds.
    ProbeAfter(u64),
    /// It is up again.
    Up,
    /// It stays out.
    GiveUp,
}

impl Health {
    /// A lease on it came to a good end.
    pub(super) fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// A lease on it failed.
    pub(super) fn failed(&mut self, blame: Blame) -> Do {
        match blame {
            // The job's kernel is wrong: that says nothing of the device.
            Blame::Job => return Do::Nothing,
            Blame::Lost => return self.lost(),
            Blame::Memory | Blame::Device => self.failures += 1,
        }
        if self.failures < FAILURES_MAX || self.state != State::Fine {
            return Do::Nothing;
        }
        self.state = State::Draining;
        Do::DrainAndProbe
    }

    /// A lease did not end when it was asked to.
    pub(super) fn hung(&mut self) -> Do {
        if self.state != State::Fine {
            return Do::Nothing;
        }
        self.state = State::Draining;
        Do::DrainAndProbe
    }

    /// It is lost, or has to be opened anew.
    pub(super) fn lost(&mut self) -> Do {
        match std::mem::replace(&mut self.state, State::Down) {
            State::Fine => Do::Probe,
            // A probe is under way already, and will find it so.
            State::Draining | State::Down => Do::Nothing,
        }
    }

    /// A probe came out right or wrong.
    pub(super) fn probed(&mut self, passed: bool) -> Do {
        if passed {
            *self = Health::default();
            return Do::Up;
        }
        self.probes += 1;
        match self.probes {
            probes if probes < PROBES_MAX => Do::ProbeAfter(1 << (probes - 1)),
            _ => Do::GiveUp,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn two_failures_in_a_row_take_a_device_out_and_a_probe_brings_it_back() {
        let mut health = Health::default();
        assert_eq!(health.failed(Blame::Device), Do::Nothing);
        health.succeeded();
        assert_eq!(health.failed(Blame::Memory), Do::Nothing, "not in a row");
        assert_eq!(health.failed(Blame::Device), Do::DrainAndProbe);
        assert_eq!(health.failed(Blame::Device), Do::Nothing, "it is out already");
        assert_eq!(health.probed(false), Do::ProbeAfter(1));
        assert_eq!(health.probed(true), Do::Up);
        assert_eq!(health, Health::default());
    }

    #[test]
    fn the_fault_of_a_job_is_not_that_of_the_device() {
        let mut health = Health::default();
        for _ in 0..100 {
            assert_eq!(health.failed(Blame::Job), Do::Nothing);
        }
    }

    #[test]
    fn a_device_that_stays_wrong_is_given_up() {
        let mut health = Health::default();
        assert_eq!(health.lost(), Do::Probe);
        assert_eq!(health.lost(), Do::Nothing);
        let mut waits = Vec::new();
        loop {
            match health.probed(false) {
                Do::ProbeAfter(seconds) => waits.push(seconds),
                Do::GiveUp => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(waits, [1, 2, 4, 8, 16]);
    }
}
