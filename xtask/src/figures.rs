//! What the small image takes: bounds, and a snapshot that says when it changes.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use crate::command::{Fault, root};
use crate::golden::read;

/// Bytes, by name.
pub(crate) type Figures = BTreeMap<String, u32>;

const FILE: &str = "firmware/figures.txt";
const HEAD: &str = "\
# What the image `controller` takes, in bytes: eight jobs, two units, sixteen edges.
# `scheduler` and `tables` are the RAM of the core. `flash` is the whole image, `stack` the deepest
# that it was; these two depend on the compiler. Written by `cargo xtask firmware --bless`.
";

/// What no compiler may exceed.
const RAM_MAX: u32 = 4 * 1024;
const FLASH_MAX: u32 = 40 * 1024;

/// Prints the figures; checks them against the bounds and against those that were written down.
pub(crate) fn check(figures: &Figures, compiler: &str, bless: bool) -> Result<(), Fault> {
    let of = |name: &str| {
        let missing = || Fault::Failed(format!("the image does not tell its `{name}`"));
        figures.get(name).copied().ok_or_else(missing)
    };
    let (ram, flash) = (of("scheduler")? + of("tables")?, of("flash")?);
    println!("RAM of the scheduler: {ram} bytes, at most {RAM_MAX}");
    println!("flash of the image: {flash} bytes, at most {FLASH_MAX} ({compiler})");
    println!("stack, at its deepest: {} bytes", of("stack")?);
    for (what, bytes, most) in [("RAM", ram, RAM_MAX), ("flash", flash, FLASH_MAX)] {
        if bytes > most {
            return Err(Fault::Failed(format!("{what}: {bytes} bytes, more than {most}")));
        }
    }
    let path = root().join(FILE);
    let mut rows = rows(&read(&path).unwrap_or_default());
    let mut changed = Vec::new();
    for (name, &bytes) in figures {
        let key = (name.clone(), compiler_of(name, compiler));
        match rows.insert(key, bytes) {
            Some(before) if before != bytes => {
                changed.push(format!("{name}: {bytes} bytes, and {before} in {FILE}"));
            }
            Some(_) => {}
            None if bless => changed.push(format!("{name}: {bytes} bytes")),
            None => println!("no `{name}` of {compiler} in {FILE}: --bless adds it"),
        }
    }
    if bless {
        let written = fs::write(&path, text(&rows));
        return written.map_err(|error| Fault::Failed(format!("{FILE}: {error}")));
    }
    if changed.is_empty() {
        return Ok(());
    }
    Err(Fault::Failed(format!("{}; if it is meant: --bless", changed.join("; "))))
}

/// The sizes of types are the same with every compiler.
fn compiler_of(name: &str, compiler: &str) -> String {
    match name {
        "scheduler" | "tables" => String::new(),
        _ => compiler.to_owned(),
    }
}

type Rows = BTreeMap<(String, String), u32>;

fn rows(text: &str) -> Rows {
    let row = |line: &str| {
        let mut words = line.splitn(3, ' ');
        let (name, bytes) = (words.next()?, words.next()?.parse().ok()?);
        Some(((name.to_owned(), words.next().unwrap_or_default().to_owned()), bytes))
    };
    text.lines().filter_map(row).collect()
}

fn text(rows: &Rows) -> String {
    let mut text = HEAD.to_owned();
    for ((name, compiler), bytes) in rows {
        let line = format!("{name} {bytes} {compiler}");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Bytes of an ELF file that are loaded: what lies in flash.
pub(crate) fn flash_of(elf: &[u8]) -> Result<u32, Fault> {
    loaded(elf).ok_or_else(|| Fault::Failed("the image is not a 32-bit ELF file".to_owned()))
}

fn loaded(elf: &[u8]) -> Option<u32> {
    const LOAD: u32 = 1;
    let half = |at: usize| Some(u16::from_le_bytes(elf.get(at..at + 2)?.try_into().ok()?));
    let word = |at: usize| Some(u32::from_le_bytes(elf.get(at..at + 4)?.try_into().ok()?));
    if elf.get(..6)? != b"\x7fELF\x01\x01" {
        return None;
    }
    let (table, size, count) = (word(28)? as usize, half(42)?.into(), half(44)?.into());
    let mut bytes = 0;
    for header in (table..).step_by(size).take(count) {
        if word(header)? == LOAD {
            bytes += word(header + 16)?;
        }
    }
    Some(bytes)
}
