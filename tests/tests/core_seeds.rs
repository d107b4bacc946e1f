//! The product against the reference model, on generated lines.

use std::panic;

use lineside_tests::compare::{Reader, differs};
use lineside_tests::generate::generate;
use lineside_tests::seeds;
use lineside_tests::shrink::shrink;
use lineside_tests::tally::tally;

#[test]
fn product_and_model_come_to_the_same_trace() {
    let range = seeds::range(0..2_000);
    println!("seeds {}..{}", range.start, range.end);
    let mut lines = 0;
    for seed in seeds::past("line").into_iter().chain(range) {
        lines += 1;
        let text = generate(seed);
        if let Some(difference) = differs(&text, Reader::Product) {
            // Each file that is tried may panic as the first one did.
            panic::set_hook(Box::new(|_| {}));
            let least = shrink(&text, |text| differs(text, Reader::Product).is_some());
            let shown = differs(&least, Reader::Product).unwrap_or(difference);
            let reads_alike = differs(&least, Reader::Model).is_some();
            drop(panic::take_hook());
            let who = if reads_alike { "the core, driver or simulator" } else { "the reader" };
            panic!("seed {seed}, {who}, {shown}\nThe least file that shows it:\n\n{least}");
        }
    }
    tally("generated lines against the model", &format!("{lines} seeds"));
}
