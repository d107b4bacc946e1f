//! Whose fault what is.

use std::collections::BTreeSet;

use lineside_devices::Blame;
use lineside_devices::fault::{CUDA, UNKNOWN, VULKAN, XID, class};

#[test]
fn some_xids_end_the_job_and_some_take_the_device_out() {
    for application in [13, 31, 43, 45, 68, 109] {
        assert_eq!(class(XID, application), (Blame::Job, false), "{application}");
    }
    for lost in [48, 79] {
        assert_eq!(class(XID, lost).0, Blame::Lost, "{lost}");
    }
    assert_eq!(class(XID, 94), (Blame::Device, true), "what runs starts anew");
}

#[test]
fn what_no_table_has_is_the_fault_of_the_device() {
    assert_eq!(UNKNOWN.0, Blame::Device);
    for table in [CUDA, VULKAN, XID] {
        assert_eq!(class(table, 123_456), UNKNOWN);
        let numbers: BTreeSet<i64> = table.iter().map(|row| row.0).collect();
        assert_eq!(numbers.len(), table.len(), "each number stands once");
        for (number, blame, spoils) in table {
            assert!(*blame != Blame::Lost || *spoils, "{number}: a lost device is lost for all");
        }
    }
}
