//! Findings as they are made, before lines and columns are known.

use crate::problem::{Code, Problem, Related, Severity};
use crate::span::{Bytes, Places};

/// A [`Problem`] in the making.
#[derive(Debug)]
pub(crate) struct Finding {
    code: Code,
    severity: Severity,
    message: String,
    at: Bytes,
    related: Vec<(Bytes, String)>,
    help: Option<String>,
}

impl Finding {
    pub(crate) fn error(code: Code, at: Bytes, message: impl Into<String>) -> Self {
        Finding {
            code,
            severity: Severity::Error,
            message: message.into(),
            at,
            related: Vec::new(),
            help: None,
        }
    }

    pub(crate) fn warning(code: Code, at: Bytes, message: impl Into<String>) -> Self {
        Finding { severity: Severity::Warning, ..Finding::error(code, at, message) }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, at: Bytes, message: impl Into<String>) -> Self {
        self.related.push((at, message.into()));
        self
    }
}

/// Names compared at most, over all suggestions for one file.
const COMPARISONS_MAX: usize = 250_000;

/// All findings of one file.
#[derive(Debug, Default)]
pub(crate) struct Report {
    findings: Vec<Finding>,
    /// Names compared so far.
    comparisons: usize,
    /// From here on nothing more is taken in.
    muted_from: Option<u32>,
}

impl Report {
    /// Takes in no more findings from an offset on: a bracket that is never closed stands there,
    /// and whatever is behind it is not what it seems.
    #[cfg(feature = "toml")]
    pub(crate) fn mute_from(&mut self, offset: u32) {
        self.muted_from = Some(offset);
    }

    /// Whether a suggestion may still look through so many names.
    pub(crate) fn may_compare(&mut self, names: usize) -> bool {
        self.comparisons = self.comparisons.saturating_add(names);
        self.comparisons <= COMPARISONS_MAX
    }

    pub(crate) fn add(&mut self, finding: Finding) {
        if self.muted_from.is_none_or(|offset| finding.at.start < offset) {
            self.findings.push(finding);
        }
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == Severity::Error)
    }

    /// The findings of one severity, in file order, with their lines and columns.
    pub(crate) fn into_problems(self, text: &str, severity: Severity) -> Vec<Problem> {
        let mut findings = self.findings;
        findings.retain(|finding| finding.severity == severity);
        if findings.is_empty() {
            return Vec::new();
        }
        findings.sort_by_key(|finding| (finding.at.start, finding.code, finding.at.end));
        // Of a pattern of faces each job has the same fault.
        findings.dedup_by(|one, other| {
            one.at == other.at && one.code == other.code && one.message == other.message
        });
        let places = Places::new(text);
        findings.into_iter().map(|finding| problem(finding, &places)).collect()
    }
}

fn problem(finding: Finding, places: &Places<'_>) -> Problem {
    let Finding { code, severity, message, at, related, help } = finding;
    let related = related
        .into_iter()
        .map(|(at, message)| Related { span: places.span(at), message })
        .collect();
    Problem { code, severity, message, span: places.span(at), related, help }
}
