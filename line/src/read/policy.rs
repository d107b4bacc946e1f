//! `[line]` and `[policy]`.

use std::borrow::Cow;

use crate::fields::{Fields, Given};
use crate::line::{Fallback, Policy};
use crate::report::Report;
use crate::tree::Bytes;
use crate::vocabulary::{self, FALLBACKS, ORDERS, PLACEMENTS, POOLS};

/// `[line]`.
#[derive(Default)]
pub(crate) struct Header {
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) files: Vec<String>,
}

/// `[policy]`, with defaults where it is silent or refused.
pub(crate) struct PolicyDraft {
    pub(crate) policy: Policy,
    /// None if it has been refused.
    pub(crate) headroom: Option<u8>,
    /// None if it has been refused.
    pub(crate) fallback: Option<Fallback>,
    /// Where `fallback = "allow"` stands.
    pub(crate) fallback_at: Option<Bytes>,
}

pub(super) fn line(root: &Fields<'_, '_>, report: &mut Report) -> Header {
    let Some(table) = root.table("line", report) else {
        return Header::default();
    };
    let fields = Fields::new(table, &vocabulary::LINE, report);
    let mut text = |key| match fields.text(key, report) {
        Given::Good(text, _) => Some(text.into_owned()),
        Given::Absent | Given::Bad => None,
    };
    let (name, description) = (text("name"), text("description"));
    let files = match fields.texts("files", report) {
        Given::Good(files, _) => files.into_iter().map(Cow::into_owned).collect(),
        Given::Absent | Given::Bad => Vec::new(),
    };
    Header { name, description, files }
}

pub(super) fn policy(root: &Fields<'_, '_>, report: &mut Report) -> PolicyDraft {
    let silent = Policy::default();
    let Some(table) = root.table("policy", report) else {
        let (headroom, fallback) = match root.find("policy") {
            Some(_) => (None, None),
            None => (Some(silent.headroom), Some(silent.fallback)),
        };
        return PolicyDraft { policy: silent, headroom, fallback, fallback_at: None };
    };
    let fields = Fields::new(table, &vocabulary::POLICY, report);
    let fallback = fields.word("fallback", FALLBACKS, report);
    let headroom = fields.number("headroom", 0, 100, report).map(|percent| percent as u8);
    let patience = match fields.duration("patience", 1, report) {
        Given::Good(patience, _) => Some(patience),
        Given::Absent | Given::Bad => None,
    };
    let policy = Policy {
        order: fields.word("order", ORDERS, report).or(silent.order).unwrap_or(silent.order),
        placement: fields
            .word("placement", PLACEMENTS, report)
            .or(silent.placement)
            .unwrap_or(silent.placement),
        overtake: fields.count("overtake", 0, report).or(silent.overtake).unwrap_or_default(),
        patience,
        fallback: fallback.or(silent.fallback).unwrap_or(silent.fallback),
        pool: fields.word("pool", POOLS, report).or(silent.pool).unwrap_or(silent.pool),
        headroom: headroom.or(silent.headroom).unwrap_or_default(),
    };
    PolicyDraft {
        policy,
        headroom: headroom.or(silent.headroom),
        fallback: fallback.or(silent.fallback),
        fallback_at: fallback.at(),
    }
}
