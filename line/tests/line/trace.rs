//! The trace, written and read back.

use std::fs;
use std::path::Path;

use lineside_line::trace::{
    Event, Extra, ExtraValue, Names, Record, TraceError, What, write_event,
};
use lineside_line::{NoFiles, read};

/// Reads every line of every case and writes it again.
#[test]
fn the_traces_of_all_cases_are_written_as_they_were_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cases");
    let mut lines = 0;
    for folder in [folder.clone(), folder.join("random")] {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let line = read(&fs::read_to_string(&path).unwrap(), &NoFiles).unwrap().line;
            let trace = fs::read_to_string(path.with_extension("jsonl")).unwrap();
            let names = Names::new(&line);
            let mut units = Vec::new();
            let mut written = String::new();
            for text in trace.lines() {
                let event = Record::parse(text).unwrap().event(&names, &mut units).unwrap();
                write_event(&mut written, &line, &event, &[]).unwrap();
                written.push('\n');
                lines += 1;
            }
            assert!(written == trace, "{}", path.display());
        }
    }
    assert!(lines > 1_000);
}

#[test]
fn further_keys_stand_at_the_end_and_are_passed_over() {
    let line =
        read("[[device]]\nname=\"g\"\n[[job]]\nname=\"a \\\"1\\\"\"\n", &NoFiles).unwrap().line;
    let event = Event { t: u64::MAX, what: What::Ready { job: 0, ticket: 0 } };
    let extras = [
        Extra { key: "why", value: ExtraValue::Text("it\tmay") },
        Extra { key: "n", value: ExtraValue::Number(0) },
        Extra { key: "late", value: ExtraValue::Flag(true) },
    ];
    let mut text = String::new();
    write_event(&mut text, &line, &event, &extras).unwrap();
    let start = r#"{"t":18446744073709551615,"ev":"ready","job":"a \"1\"","ticket":0"#;
    assert_eq!(text, start.to_owned() + r#","why":"it\tmay","n":0,"late":true}"#);
    let record = Record::parse(&text).unwrap();
    assert_eq!(record.event(&Names::new(&line), &mut Vec::new()), Ok(event));
}

#[test]
fn what_is_not_a_trace_is_an_error() {
    let line = read("[[device]]\nname=\"g\"\n[[job]]\nname=\"a\"\n", &NoFiles).unwrap().line;
    let names = Names::new(&line);
    let error = |text| {
        let record = Record::parse(text)?;
        record.event(&names, &mut Vec::new()).map(|_| ())
    };
    for text in ["", "{}", "[]", "{\"t\":-1,\"ev\":\"ready\"}", "{\"t\":1,\"ev\":2}", "{\"t\":1"] {
        assert!(matches!(error(text), Err(TraceError::Malformed(_))), "{text}");
    }
    let missing = error(r#"{"t":1,"ev":"ready","job":"a"}"#);
    assert_eq!(missing, Err(TraceError::MissingKey("ticket")));
    let name = error(r#"{"t":1,"ev":"ready","job":"b","ticket":1}"#);
    assert_eq!(name, Err(TraceError::UnknownName("b".into())));
    let word = error(r#"{"t":1,"ev":"unit","unit":"g","state":"asleep"}"#);
    assert_eq!(word, Err(TraceError::UnknownWord("asleep".into())));
    let event = error(r#"{"t":1,"ev":"nap"}"#);
    assert_eq!(event, Err(TraceError::UnknownWord("nap".into())));
}
