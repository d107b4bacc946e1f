//! `lineside devices`.

use std::thread;

use crate::arguments::Devices;
use crate::{DONE, Refusal, terminal};

pub(crate) fn devices(arguments: &Devices) -> Result<u8, Refusal> {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let text = if arguments.json {
        let cpu = serde_json::json!({
            "name": "cpu", "place": "cpu", "threads": cpus, "usable": true,
        });
        format!("{}\n", serde_json::json!({ "devices": [cpu] }))
    } else {
        terminal::talk("GPUs are not looked for by this version: GPU jobs need `fallback`\n");
        format!("cpu   {cpus} threads   can be used (place = \"cpu\")\n")
    };
    terminal::print(&text)?;
    Ok(DONE)
}
