//! Names in other people's formats: escaped, cut to a width, and without what could do harm.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Text for XML and HTML, in an element or in a quoted attribute.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' => out.push(c),
            // Not allowed in XML, in any spelling.
            '\u{FFFE}' | '\u{FFFF}' => out.push('\u{FFFD}'),
            c if c.is_control() => out.push('\u{FFFD}'),
            c => out.push(c),
        }
    }
    out
}

/// JSON that is safe inside `<script>`: no `<`, and no line end that old readers trip over.
pub(crate) fn script_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        match c {
            // Outside of strings JSON has none of these, so an escape always stands in a string.
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            c => out.push(c),
        }
    }
    out
}

/// One line for a terminal: what would move the cursor or turn the text around is replaced.
pub(crate) fn one_line(text: &str) -> String {
    let harmful =
        |c: char| c.is_control() || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if harmful(c) { '\u{FFFD}' } else { c }).collect()
}

/// How many columns a text takes in a terminal.
pub(crate) fn columns(text: &str) -> usize {
    text.width()
}

/// The text, cut with an ellipsis to at most `width` columns.
pub(crate) fn cut(text: &str, width: usize) -> String {
    fit(text, width as f64, |c| c.width().unwrap_or(0) as f64, text.width() as f64, 1.0)
}

/// The text, cut or padded on the right to exactly `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let space = width.saturating_sub(columns(&text));
    text + &" ".repeat(space)
}

/// The text, padded on the left to at least `width` columns.
pub(crate) fn pad_left(text: &str, width: usize) -> String {
    " ".repeat(width.saturating_sub(columns(text))) + text
}

/// At least how many pixels a text takes in the sans-serif fonts of systems, at `size` pixels.
///
/// Nobody knows the reader's font here, so this errs on the wide side: text that is said to fit
/// does fit.
pub(crate) fn pixels(text: &str, size: f64) -> f64 {
    text.chars().map(em).sum::<f64>() * size
}

/// The text, cut with an ellipsis to at most `width` pixels.
pub(crate) fn cut_pixels(text: &str, width: f64, size: f64) -> String {
    fit(text, width / size, em, text.chars().map(em).sum(), em('…'))
}

fn em(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '(' | ')' | '/' => 0.4,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' | '—' => 1.0,
        'A'..='Z' | '_' | '&' | '+' | '<' | '>' | '=' | '#' | '~' => 0.8,
        ' '..='~' => 0.64,
        c => match c.width() {
            Some(0) | None => 0.0,
            Some(1) => 0.8,
            Some(_) => 1.1,
        },
    }
}

fn fit(text: &str, width: f64, of: impl Fn(char) -> f64, total: f64, ellipsis: f64) -> String {
    if total <= width {
        return text.to_string();
    }
    let mut out = String::new();
    let mut used = ellipsis;
    for c in text.chars() {
        used += of(c);
        if used > width {
            break;
        }
        out.push(c);
    }
    if ellipsis <= width {
        out.push('…');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_count_twice() {
        assert_eq!(columns("检测"), 4);
        assert_eq!(cut("缺陷检测", 5), "缺陷…");
        assert_eq!(pad("检测", 5), "检测 ");
        assert_eq!(cut("abc", 0), "");
        for width in 0..12 {
            assert!(columns(&cut("缺陷 a 检测 b", width)) <= width);
        }
    }

    #[test]
    fn what_is_cut_fits() {
        for width in [0.0, 5.0, 30.0, 80.0, 400.0] {
            assert!(pixels(&cut_pixels("train 缺陷检测 WWW", width, 12.0), 12.0) <= width);
        }
    }

    #[test]
    fn control_characters_do_no_harm() {
        assert_eq!(xml("a\0<b>\u{1b}"), "a\u{FFFD}&lt;b&gt;\u{FFFD}");
        assert_eq!(one_line("a\u{1b}[2J\n\u{202E}b"), "a\u{FFFD}[2J\u{FFFD}\u{FFFD}b");
        assert_eq!(script_json(r#"["</script>"]"#), r#"["\u003c/script\u003e"]"#);
    }
}
