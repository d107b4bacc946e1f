//! The core against the reference model, on generated lines.

use lineside_tests::bridge::plan;
use lineside_tests::generate::generate;
use lineside_tests::model::{read, simulate, trace};

/// `LINESIDE_SEEDS=from..to` tries others.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("LINESIDE_SEEDS").ok();
    let parse = |text: &str| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    };
    given.map_or(0..2_000, |text| parse(&text).expect("LINESIDE_SEEDS is like 0..2000"))
}

#[test]
fn the_core_and_the_model_come_to_the_same_trace() {
    let seeds = seeds();
    println!("seeds {}..{}", seeds.start, seeds.end);
    for seed in seeds {
        let text = generate(seed);
        let line = read(&text).expect("generated lines are legal");
        let expected = simulate(&line);
        let found = plan(&line);
        let (expected_trace, found_trace) =
            (trace(&line.names, &expected.events), trace(&line.names, &found.events));
        if expected_trace != found_trace {
            let at = expected_trace.lines().zip(found_trace.lines()).position(|(a, b)| a != b);
            let at = at.unwrap_or(expected_trace.lines().count().min(found_trace.lines().count()));
            let nth = |text: &str| text.lines().nth(at).unwrap_or("(ends)").to_owned();
            panic!(
                "seed {seed}, event {at}\nmodel {}\ncore  {}\n{text}",
                nth(&expected_trace),
                nth(&found_trace)
            );
        }
        assert_eq!(found.exit_code, expected.exit_code, "seed {seed}\n{text}");
        assert_eq!(found.stuck, expected.stuck, "seed {seed}\n{text}");
    }
}
