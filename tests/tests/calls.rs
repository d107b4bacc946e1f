//! Calls against the core and the reference model.

use std::panic;

use lineside_tests::calls::{
    Left, Played, Script, What, differs, play, script, shrink, tiny_alphabet, tiny_script,
};
use lineside_tests::seeds;
use lineside_tests::tally::tally;

/// Plays a script, or tells of the difference by the least script that shows it.
fn played(what: &str, script: &Script) -> Played {
    if let Ok(Ok(played)) = panic::catch_unwind(|| play(script)) {
        return played;
    }
    // Each script that is tried may panic as the first one did.
    panic::set_hook(Box::new(|_| {}));
    let least = shrink(script);
    let difference = differs(&least).expect("it still differs");
    drop(panic::take_hook());
    let (call, text) = (difference.call, difference.text);
    panic!("{what}, call {call}: {text}\nThe least script that shows it:\n\n{least}");
}

#[test]
fn random_calls_have_the_same_answers_and_events() {
    let range = seeds::range(0..20_000);
    println!("seeds {}..{}", range.start, range.end);
    let (mut scripts, mut events) = (0, 0);
    for seed in seeds::past("calls").into_iter().chain(range) {
        events += played(&format!("seed {seed}"), &script(seed)).events.len();
        scripts += 1;
    }
    tally("random calls against the model", &format!("{scripts} seeds, {events} events"));
    assert!(events > 0);
}

/// Counters that drift stall others in the end:
/// https://github.com/triton-inference-server/server/issues/8870
#[test]
fn nothing_is_left_once_every_job_is_cancelled_and_every_lease_given_back() {
    let range = seeds::range(0..3_000);
    println!("seeds {}..{}", range.start, range.end);
    let seeds = range.end.saturating_sub(range.start);
    for seed in range {
        let mut script = script(seed);
        let jobs = script.calls.iter().filter(|call| matches!(call.what, What::Submit(..)));
        let cancels = (0..jobs.count()).map(What::Cancel);
        script.say(u64::MAX, cancels.chain([What::GiveAllBack]));
        let left = played(&format!("seed {seed}"), &script).left;
        assert_eq!(left, Left::default(), "seed {seed}\n{script}");
    }
    tally("calls that end with everything given back", &format!("{seeds} seeds"));
}

/// Every sequence of so many calls.
fn all_sequences(length: u32, image_grain: bool) -> u64 {
    let alphabet = tiny_alphabet();
    let letters = alphabet.len() as u64;
    let count = letters.pow(length);
    for number in 0..count {
        let letter = |at: u32| alphabet[(number / letters.pow(at) % letters) as usize].clone();
        let calls: Vec<What> = (0..length).map(letter).collect();
        played(&format!("sequence {number}"), &tiny_script(image_grain, &calls));
    }
    count
}

#[test]
fn all_sequences_of_calls_to_a_tiny_machine_have_the_same_answers() {
    // Longer ones hold all shorter ones as their beginnings.
    let length = if cfg!(debug_assertions) { 4 } else { 6 };
    let count = all_sequences(length, true) + all_sequences(length, false);
    tally("calls to a tiny machine", &format!("all {count} sequences of {length} calls"));
    assert!(count > 20_000);
}
