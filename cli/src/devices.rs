//! `lineside devices`.

use std::thread;

use crate::arguments::Devices;
use crate::{DONE, Refusal};

pub(crate) fn devices(arguments: &Devices) -> Result<u8, Refusal> {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    if arguments.json {
        let cpu = serde_json::json!({
            "name": "cpu", "place": "cpu", "threads": cpus, "usable": true,
        });
        println!("{}", serde_json::json!({ "devices": [cpu] }));
    } else {
        println!("cpu   {cpus} threads   can be used (place = \"cpu\")");
        eprintln!("GPUs are not looked for by this version: a line's GPU jobs need `fallback`.");
    }
    Ok(DONE)
}
