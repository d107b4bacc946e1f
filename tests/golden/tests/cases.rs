//! Encoded lines give the traces of the cases; what other machines are held to.
#![cfg(feature = "encode")]

use std::fs;
use std::path::Path;

use lineside_backends::{Class, WorkJob, Workload};
use lineside_core::JobSpec;
use lineside_golden::{Encoded, encode, plan};

#[test]
fn an_encoded_line_has_the_trace_and_the_exit_code_of_its_case() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cases");
    let exits = fs::read_to_string(cases.join("EXITS.tsv")).expect("EXITS.tsv");
    let mut run = 0;
    for row in exits.lines().filter(|row| !row.starts_with('#')) {
        let (file, exit) = row.split_once('\t').expect("a file and a code");
        if exit == "2" {
            continue;
        }
        let text = fs::read_to_string(cases.join(file)).expect("the case");
        let line = lineside_line::read(&text, &lineside_line::NoFiles);
        let line = line.expect("the case is legal").line;
        let mut found = String::new();
        let code = plan(&encode(&line), &mut found).expect("a checked line is taken");
        let expected = fs::read_to_string(cases.join(file.replace(".toml", ".jsonl")));
        assert_eq!(found, expected.expect("the trace"), "{file}");
        assert_eq!(code.to_string(), exit, "{file}");
        run += 1;
    }
    assert!(run >= 136, "only {run} cases were run");
}

#[test]
fn names_are_escaped_as_the_product_does() {
    let name = "检\"\\\u{8}\u{c}\n\r\t\u{0}\u{1f}\u{7f}/";
    let mut written = String::new();
    lineside_line::trace::write_text(&mut written, name).expect("a string takes it");
    let mut workload = Workload { jobs: vec![WorkJob::default()], ..Workload::default() };
    workload.classes =
        vec![Class { spec: JobSpec { images: 0, ..JobSpec::default() }, ..Class::default() }];
    let line = Encoded { jobs: vec![name], workload, ..Encoded::default() };
    let mut trace = String::new();
    let code = plan(&postcard::to_allocvec(&line).expect("it can be encoded"), &mut trace);
    assert_eq!(code, Ok(0));
    let end =
        format!("{{\"t\":0,\"ev\":\"end\",\"job\":{written},\"state\":\"done\",\"cause\":null}}\n");
    assert_eq!(trace, end);
}
