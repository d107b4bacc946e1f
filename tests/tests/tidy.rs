//! The sizes that STYLE.md asks for, in every file of the repository.

use std::fs;
use std::path::{Path, PathBuf};

const LINES_A_FILE: usize = 500;
const LINES_A_FUNCTION: usize = 70;
const COLUMNS: usize = 100;
const ENDINGS: [&str; 6] = ["rs", "ts", "tsx", "js", "mjs", "css"];

#[test]
fn files_functions_and_lines_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut faults = Vec::new();
    let files = source_files(root);
    for file in &files {
        let text = fs::read_to_string(file).expect("source is UTF-8");
        let name = file.strip_prefix(root).expect("inside the workspace").display();
        faults.extend(faults_of(&text).into_iter().map(|fault| format!("{name}{fault}")));
    }
    assert!(files.len() > 30, "only {} files were looked at", files.len());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Files that we write, not what tools make.
fn source_files(root: &Path) -> Vec<PathBuf> {
    let skipped = ["target", "node_modules", "dist", ".git", ".venv", "lineside-runs", "pkg"];
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let is_source = path.extension().is_some_and(|it| ENDINGS.iter().any(|e| it == *e));
            if path.is_dir() && !skipped.iter().any(|skip| name == *skip) {
                folders.push(path);
            } else if path.is_file() && is_source {
                files.push(path);
            }
        }
    }
    files
}

fn faults_of(text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let count = text.lines().count();
    if count > LINES_A_FILE {
        faults.push(format!(": {count} lines, more than {LINES_A_FILE}"));
    }
    let mut open: Option<(usize, usize)> = None;
    for (at, line) in text.lines().enumerate() {
        let columns = line.chars().count();
        if columns > COLUMNS && !line.contains("http") {
            faults.push(format!(":{}: {columns} columns, more than {COLUMNS}", at + 1));
        }
        let indent = line.len() - line.trim_start().len();
        // The formatter puts the closing brace below the first letter of the function.
        if open.is_none() && begins_function(line.trim_start()) {
            open = Some((at, indent));
        }
        let Some((from, column)) = open else { continue };
        let closes = indent == column && line.trim_start().starts_with('}');
        let is_whole = at == from && line.trim_end().ends_with(['}', ';']);
        if closes || is_whole || (indent == column && line.trim_end().ends_with(';')) {
            let length = at - from + 1;
            if length > LINES_A_FUNCTION {
                let from = from + 1;
                faults.push(format!(":{from}: {length} lines, more than {LINES_A_FUNCTION}"));
            }
            open = None;
        }
    }
    faults
}

fn begins_function(line: &str) -> bool {
    let mut words = line.split_whitespace().map(|word| word.split('(').next().unwrap_or(word));
    words.by_ref().find(|word| !["pub", "const", "unsafe", "extern", "\"C\""].contains(word))
        == Some("fn")
        || line.starts_with("function ")
        || line.starts_with("export function ")
}

#[test]
fn a_long_function_is_seen() {
    let body = "    step();\n".repeat(LINES_A_FUNCTION);
    let faults = faults_of(&format!("pub fn long() {{\n{body}}}\n"));
    assert_eq!(faults, [":1: 72 lines, more than 70"]);
    assert!(faults_of("fn short() {\n}\n").is_empty());
}
