//! Rows of figures, as text and as JSON.

use serde_json::{Value, json};

/// One figure of ours, and one of a peer.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    name: String,
    unit: &'static str,
    ours: Option<f64>,
    peer: Option<(String, f64)>,
    /// Ours divided by the peer's, at most.
    bound: Option<f64>,
    /// Ours, at most.
    most: Option<f64>,
    note: Option<String>,
}

impl Row {
    pub(crate) fn new(name: &str, unit: &'static str, ours: f64) -> Self {
        let (name, ours) = (name.to_owned(), Some(ours));
        Row { name, unit, ours, peer: None, bound: None, most: None, note: None }
    }

    pub(crate) fn ns(name: &str, ours: f64) -> Self {
        Row::new(name, "ns", ours)
    }

    /// A row that can't be measured, and why.
    pub(crate) fn missing(name: &str, why: &str) -> Self {
        let (name, note) = (name.to_owned(), Some(why.to_owned()));
        Row { name, unit: "", ours: None, peer: None, bound: None, most: None, note }
    }

    pub(crate) fn beside(mut self, peer: &str, figure: f64, bound: Option<f64>) -> Self {
        self.peer = Some((peer.to_owned(), figure));
        self.bound = bound;
        self
    }

    pub(crate) fn at_most(mut self, most: f64) -> Self {
        self.most = Some(most);
        self
    }

    fn ratio(&self) -> Option<f64> {
        Some(self.ours? / self.peer.as_ref()?.1)
    }

    /// None: there is no bound to hold.
    fn holds(&self) -> Option<bool> {
        let ratio = self.bound.and_then(|bound| Some(self.ratio()? <= bound));
        let most = self.most.and_then(|most| Some(self.ours? <= most));
        ratio.or(most)
    }
}

/// All rows, and where they were measured.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    machine: String,
    rows: Vec<Row>,
}

impl Table {
    pub(crate) fn new(machine: String) -> Self {
        Table { machine, rows: Vec::new() }
    }

    pub(crate) fn add(&mut self, row: Row) {
        eprintln!("{}", line(&row));
        self.rows.push(row);
    }

    pub(crate) fn text(&self) -> String {
        let lines: Vec<String> = self.rows.iter().map(line).collect();
        format!("{}\n\n{}\n", self.machine, lines.join("\n"))
    }

    pub(crate) fn json(&self) -> String {
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "unit": row.unit,
                "ours": row.ours,
                "peer": row.peer.as_ref().map(|peer| peer.0.clone()),
                "peer_figure": row.peer.as_ref().map(|peer| peer.1),
                "ratio": row.ratio(),
                "ratio_at_most": row.bound,
                "at_most": row.most,
                "holds": row.holds(),
                "note": row.note,
            })
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        let all = json!({ "machine": self.machine, "rows": rows });
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }
}

fn line(row: &Row) -> String {
    let Some(ours) = row.ours else {
        return format!("{:<58} not measured: {}", row.name, row.note.as_deref().unwrap_or("?"));
    };
    let mut text = format!("{:<58} {:>12} {}", row.name, figure(ours), row.unit);
    if let (Some((peer, theirs)), Some(ratio)) = (&row.peer, row.ratio()) {
        let times =
            if ratio < 0.1 { format!("1/{:.0}", 1.0 / ratio) } else { format!("×{ratio:.2}") };
        text += &format!("   {peer} {} {}   {times}", figure(*theirs), row.unit);
    }
    let bound = match (row.bound, row.most) {
        (Some(bound), _) => format!("ratio at most {bound}"),
        (None, Some(most)) => format!("at most {}", figure(most)),
        (None, None) => String::new(),
    };
    match row.holds() {
        Some(true) => text + &format!("   ok ({bound})"),
        Some(false) => text + &format!("   MISSED ({bound})"),
        None => text,
    }
}

fn figure(value: f64) -> String {
    if value >= 100.0 { count(value.round() as usize) } else { format!("{value:.1}") }
}

/// A number with commas.
pub(crate) fn count(value: usize) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The middle one.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
