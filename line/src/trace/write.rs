//! Writing traces.

use std::fmt::{self, Write};

use crate::line::Line;

use super::{End, Event, Extra, ExtraValue, Images, What};

/// Writes an event of a line as one JSON object, without the end of the line.
///
/// # Errors
///
/// Those of `out`.
///
/// # Panics
///
/// If an index of the event is not in the line.
pub fn write_event(
    out: &mut impl Write,
    line: &Line,
    event: &Event<'_>,
    extras: &[Extra<'_>],
) -> fmt::Result {
    let mut object = Object { out, line };
    object.raw("{\"t\":")?;
    object.decimal(event.t)?;
    object.raw(",\"ev\":\"")?;
    object.what(&event.what)?;
    for Extra { key, value } in extras {
        object.raw(",")?;
        write_text(object.out, key)?;
        object.raw(":")?;
        match value {
            ExtraValue::Text(text) => write_text(object.out, text)?,
            ExtraValue::Number(number) => object.decimal(*number)?,
            ExtraValue::Flag(flag) => object.raw(if *flag { "true" } else { "false" })?,
        }
    }
    object.raw("}")
}

/// Writes a text as a JSON string in which nothing is escaped but `"`, `\` and control characters.
///
/// # Errors
///
/// Those of `out`.
///
/// ```
/// let mut out = String::new();
/// lineside_line::trace::write_text(&mut out, "检测 \"1\"\n\u{1}/").unwrap();
/// assert_eq!(out, r#""检测 \"1\"\n\u0001/""#);
/// ```
pub fn write_text(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
            continue;
        }
        // Escaped bytes are ASCII: they never stand inside another character.
        out.write_str(&text[plain..at])?;
        plain = at + 1;
        match byte {
            b'"' => out.write_str("\\\"")?,
            b'\\' => out.write_str("\\\\")?,
            0x08 => out.write_str("\\b")?,
            0x0c => out.write_str("\\f")?,
            b'\n' => out.write_str("\\n")?,
            b'\r' => out.write_str("\\r")?,
            b'\t' => out.write_str("\\t")?,
            control => write!(out, "\\u{control:04x}")?,
        }
    }
    out.write_str(&text[plain..])?;
    out.write_char('"')
}

/// An object being written, after the name of its event.
struct Object<'o, W> {
    out: &'o mut W,
    line: &'o Line,
}

impl<W: Write> Object<'_, W> {
    fn what(&mut self, what: &What<'_>) -> fmt::Result {
        match what {
            What::Ready { job, ticket } => {
                self.raw("ready\"")?;
                self.job(*job)?;
                self.number(",\"ticket\":", *ticket)
            }
            What::Evict { unit, model } => {
                self.raw("evict\"")?;
                self.unit(*unit)?;
                self.raw(",\"model\":")?;
                let line = self.line;
                write_text(self.out, &line.models[*model as usize].name)
            }
            What::Grant { job, lease, units, ticket, cold, fallback } => {
                self.raw("grant\"")?;
                self.job(*job)?;
                self.number(",\"lease\":", *lease)?;
                self.units(units)?;
                self.number(",\"ticket\":", *ticket)?;
                self.raw(if *cold { ",\"cold\":true" } else { ",\"cold\":false" })?;
                self.raw(if *fallback { ",\"fallback\":true" } else { ",\"fallback\":false" })
            }
            What::Start(images) => self.images("start\"", images),
            What::Done(images) => self.images("done\"", images),
            What::Fail(images) => self.images("fail\"", images),
            What::Revoke { job, lease, cause } => {
                self.raw("revoke\"")?;
                self.job(*job)?;
                self.number(",\"lease\":", *lease)?;
                self.raw(",\"cause\":\"")?;
                self.raw(cause.name())?;
                self.raw("\"")
            }
            What::Release { job, lease, units } => {
                self.raw("release\"")?;
                self.job(*job)?;
                self.number(",\"lease\":", *lease)?;
                self.units(units)
            }
            What::End { job, end } => self.end(*job, *end),
            What::Unit { unit, state } => {
                self.raw("unit\"")?;
                self.unit(*unit)?;
                self.raw(",\"state\":\"")?;
                self.raw(state.name())?;
                self.raw("\"")
            }
        }
    }

    fn images(&mut self, name: &str, images: &Images) -> fmt::Result {
        self.raw(name)?;
        self.job(images.job)?;
        self.number(",\"lease\":", images.lease)?;
        self.number(",\"first\":", u64::from(images.first))?;
        self.number(",\"count\":", u64::from(images.count))
    }

    fn end(&mut self, job: u32, end: End) -> fmt::Result {
        self.raw("end\"")?;
        self.job(job)?;
        self.raw(",\"state\":\"")?;
        self.raw(end.state())?;
        self.raw("\",\"cause\":")?;
        let line = self.line;
        match end {
            End::Done => self.raw("null"),
            End::Failed(cause) => write_text(self.out, cause.name()),
            End::Cancelled => self.raw("\"cancel\""),
            End::Skipped { upstream } => write_text(self.out, &line.jobs[upstream as usize].name),
        }
    }

    fn job(&mut self, job: u32) -> fmt::Result {
        self.raw(",\"job\":")?;
        let line = self.line;
        write_text(self.out, &line.jobs[job as usize].name)
    }

    fn unit(&mut self, unit: u32) -> fmt::Result {
        self.raw(",\"unit\":")?;
        let line = self.line;
        write_text(self.out, &line.units[unit as usize].name)
    }

    fn units(&mut self, units: &[u32]) -> fmt::Result {
        self.raw(",\"units\":[")?;
        let line = self.line;
        for (index, unit) in units.iter().enumerate() {
            if index > 0 {
                self.raw(",")?;
            }
            write_text(self.out, &line.units[*unit as usize].name)?;
        }
        self.raw("]")
    }

    fn number(&mut self, key: &str, number: u64) -> fmt::Result {
        self.raw(key)?;
        self.decimal(number)
    }

    fn raw(&mut self, text: &str) -> fmt::Result {
        self.out.write_str(text)
    }

    /// Without the detour over `format_args!`, which costs more than all the rest of a line.
    fn decimal(&mut self, number: u64) -> fmt::Result {
        let mut digits = [0_u8; 20];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.raw(std::str::from_utf8(&digits[start..]).unwrap_or("0"))
    }
}
