//! Calls against the core and the reference model.

use lineside_tests::calls::{What, play, script, shrink, tiny_alphabet, tiny_script};

/// `LINESIDE_SEEDS=from..to` tries others.
fn seeds() -> std::ops::Range<u64> {
    let given = std::env::var("LINESIDE_SEEDS").ok();
    let parse = |text: &str| {
        let (from, to) = text.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    };
    given.map_or(0..20_000, |text| parse(&text).expect("LINESIDE_SEEDS is like 0..2000"))
}

#[test]
fn random_calls_have_the_same_answers_and_events() {
    let seeds = seeds();
    println!("seeds {}..{}", seeds.start, seeds.end);
    let mut events = 0;
    for seed in seeds {
        let script = script(seed);
        match play(&script) {
            Ok(count) => events += count,
            Err(_) => {
                let least = shrink(&script);
                let difference = play(&least).expect_err("it still differs");
                panic!("seed {seed}, call {}: {}\n{least:#?}", difference.call, difference.text);
            }
        }
    }
    println!("{events} events");
    assert!(events > 0);
}

/// Every sequence of so many calls.
fn all_sequences(length: u32, image_grain: bool) -> u64 {
    let alphabet = tiny_alphabet();
    let letters = alphabet.len() as u64;
    let count = letters.pow(length);
    for number in 0..count {
        let letter = |at: u32| alphabet[(number / letters.pow(at) % letters) as usize].clone();
        let calls: Vec<What> = (0..length).map(letter).collect();
        let script = tiny_script(image_grain, &calls);
        if let Err(difference) = play(&script) {
            panic!("{}\n{:#?}", difference.text, shrink(&script));
        }
    }
    count
}

#[test]
fn all_sequences_of_calls_to_a_tiny_machine_have_the_same_answers() {
    // Longer ones hold all shorter ones as their beginnings.
    let length = if cfg!(debug_assertions) { 4 } else { 6 };
    let count = all_sequences(length, true) + all_sequences(length, false);
    println!("{count} sequences of {length} calls");
    assert!(count > 20_000);
}
