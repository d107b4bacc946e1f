//! How good the line is, on boards that nothing was tuned to.

use lineside_vision::boards::Series;
use lineside_vision::detect::Golden;
use lineside_vision::inspect;
use lineside_vision::score::{Quality, mistakes};

/// Inspects the first boards of a series and holds the result against the truth.
fn quality(seed: u64, boards: u32) -> Quality {
    let series = Series::new(seed);
    let golden = Golden::new(series.golden().grey());
    let (mut found, mut truth) = (Vec::new(), Vec::new());
    for number in 1..=boards {
        let board = series.board(number);
        let defects = inspect(&golden, &board.image, &board.shot.grey());
        found.extend(defects.expect("a board of the series is like its golden picture"));
        truth.extend(board.truth);
    }
    let quality = Quality::of(&found, &truth);
    println!("seed {seed}: {quality}");
    for (real, given, count) in mistakes(&found, &truth) {
        println!("  {count} × {real} taken for {given}");
    }
    quality
}

#[test]
fn boards_of_other_seeds_are_inspected_as_well() {
    for seed in [101, 202, 303] {
        let quality = quality(seed, 12);
        assert!(quality.there >= 20, "too few faults to say anything: {quality}");
        assert!(quality.recall() >= 970, "{quality}");
        assert!(quality.precision() >= 970, "{quality}");
        assert!(quality.accuracy() >= 950, "{quality}");
    }
}

/// `cargo test --release -p lineside-vision --test quality -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes; run it after a change of the detector, the classifier or the boards"]
fn a_hundred_series_of_boards_are_inspected_well() {
    let all: Vec<Quality> = (1000..1100).map(|seed| quality(seed, 24)).collect();
    for (what, part) in [
        ("recall", Quality::recall as fn(&Quality) -> u32),
        ("precision", Quality::precision),
        ("class right", Quality::accuracy),
    ] {
        let values: Vec<u32> = all.iter().map(part).collect();
        let (least, sum) = (values.iter().min(), values.iter().sum::<u32>());
        println!("{what}: least {least:?}, mean {} thousandths", sum / values.len() as u32);
        assert!(least >= Some(&950), "{what}");
    }
}
