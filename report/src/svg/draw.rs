//! SVG, element by element.

use std::fmt::Write;

use crate::text::xml;

/// The elements of a figure so far.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    pub(super) out: String,
}

/// Where a rectangle is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Drawing {
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn rect(&mut self, class: &str, area: Area, radius: f64) {
        let Area { x, y, width, height } = area;
        let (x, y, width, height) = (num(x), num(y), num(width), num(height));
        self.put(format_args!(
            r#"<rect class="{class}" x="{x}" y="{y}" width="{width}" height="{height}""#
        ));
        if radius > 0.0 {
            self.put(format_args!(r#" rx="{}""#, num(radius)));
        }
        self.raw("/>");
    }

    /// Text from `x` on; the caller has cut it to fit.
    pub(super) fn text(&mut self, class: &str, x: f64, y: f64, text: &str) {
        let (x, y, text) = (num(x), num(y), xml(text));
        self.put(format_args!(r#"<text class="{class}" x="{x}" y="{y}">{text}</text>"#));
    }

    pub(super) fn path(&mut self, class: &str, d: &str) {
        self.put(format_args!(r#"<path class="{class}" d="{d}"/>"#));
    }

    /// Uses a symbol of the style, with a tooltip.
    pub(super) fn mark(&mut self, symbol: &str, x: f64, y: f64, title: &str) {
        let (x, y, title) = (num(x), num(y), xml(title));
        self.put(format_args!(
            r##"<use href="#g-{symbol}" x="{x}" y="{y}"><title>{title}</title></use>"##
        ));
    }

    /// Opens a group with a tooltip.
    pub(super) fn open(&mut self, title: &str) {
        self.put(format_args!("<g><title>{}</title>", xml(title)));
    }

    pub(super) fn close(&mut self) {
        self.raw("</g>\n");
    }

    pub(super) fn put(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing into a `String` cannot fail.
        let _ = self.out.write_fmt(arguments);
    }
}

/// A coordinate with at most two decimals.
pub(super) fn num(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_string() } else { text.to_string() }
}
