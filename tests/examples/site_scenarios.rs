//! Random lines and the hashes of their traces as this machine plans them: the playground's test
//! compares its own with them. Writes `scenarios.json` into a folder.

use std::{env, fs, path::Path};

use lineside_golden::{encode, plan};
use lineside_line::{NoFiles, read};
use lineside_tests::generate::generate;
use sha2::{Digest, Sha256};

const SEEDS: u64 = 1000;

fn main() {
    let folder = env::args().nth(1).expect("a folder is given");
    let scenarios: Vec<_> = (0..SEEDS).map(scenario).collect();
    fs::create_dir_all(&folder).expect("the folder can be made");
    let json = serde_json::to_string(&scenarios).expect("texts can be written");
    fs::write(Path::new(&folder).join("scenarios.json"), json).expect("the file can be written");
}

/// The text of a line and the SHA-256 of its trace.
fn scenario(seed: u64) -> (String, String) {
    let text = generate(seed);
    let line = read(&text, &NoFiles).expect("generated lines are legal").line;
    let mut trace = String::new();
    plan(&encode(&line), &mut trace).expect("an encoded line can be planned");
    let hash = Sha256::digest(trace.as_bytes());
    (text, hash.iter().map(|byte| format!("{byte:02x}")).collect())
}
