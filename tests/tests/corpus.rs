//! The corpus of the fuzz targets, replayed without a fuzzer, and a few inputs by chance.

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use lineside_tests::fuzz::TARGETS;
use lineside_tests::generate::Random;
use lineside_tests::seeds;
use lineside_tests::tally::tally;

#[test]
fn every_target_takes_its_corpus() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, target) in TARGETS {
        let folder = corpus.join(name);
        let files =
            fs::read_dir(&folder).unwrap_or_else(|_| panic!("{} is there", folder.display()));
        let mut count = 0;
        for file in files {
            let path = file.expect("an entry").path();
            let bytes = fs::read(&path).expect("a file");
            let taken = catch_unwind(|| target(&bytes));
            assert!(taken.is_ok(), "{name}: {}", path.display());
            count += 1;
        }
        assert!(count >= 20, "only {count} files in {}", folder.display());
        tally(&format!("fuzz target {name}"), &format!("corpus of {count} inputs replayed"));
    }
}

/// What a fuzzer begins with, so that a target that is broken is seen without one.
#[test]
fn every_target_takes_bytes_by_chance() {
    let range = seeds::range(0..400);
    println!("seeds {}..{}", range.start, range.end);
    for seed in range {
        let mut random = Random::new(seed, 0xf022);
        let length = random.within(1, 400);
        let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
        for (name, target) in TARGETS {
            let taken = catch_unwind(|| target(&bytes));
            assert!(taken.is_ok(), "{name}, seed {seed}");
        }
    }
}
