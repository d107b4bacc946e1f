//! Reading traces.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Visitor};

use crate::line::Line;

use super::{
    End, Event, FAIL_CAUSES, Images, REVOKE_CAUSES, RevokeCause, UNIT_STATES, UnitState, What,
};

/// A line of a trace as it is written: by name, with the keys that it has. Keys that it does not
/// know are passed over.
///
/// ```
/// use lineside_line::trace::Record;
///
/// let text = r#"{"t":5,"ev":"ready","job":"a","ticket":3,"because":"it may"}"#;
/// let record = Record::parse(text).unwrap();
/// assert_eq!(record.job(), Some("a"));
/// assert_eq!(record.ticket, Some(3));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Record<'r> {
    /// Nanoseconds from the start of the line.
    pub t: u64,
    #[serde(borrow)]
    ev: Text<'r>,
    #[serde(borrow, default)]
    job: Option<Text<'r>>,
    #[serde(borrow, default)]
    unit: Option<Text<'r>>,
    #[serde(borrow, default)]
    model: Option<Text<'r>>,
    #[serde(borrow, default)]
    units: Option<Vec<Text<'r>>>,
    #[serde(borrow, default)]
    state: Option<Text<'r>>,
    #[serde(borrow, default)]
    cause: Option<Text<'r>>,
    /// The ticket of a `ready` or `grant`.
    #[serde(default)]
    pub ticket: Option<u64>,
    /// The lease.
    #[serde(default)]
    pub lease: Option<u64>,
    /// The first image.
    #[serde(default)]
    pub first: Option<u32>,
    /// How many images.
    #[serde(default)]
    pub count: Option<u32>,
    /// Whether a `grant` has to load its model.
    #[serde(default)]
    pub cold: Option<bool>,
    /// Whether a `grant` is on CPU places for lack of GPUs.
    #[serde(default)]
    pub fallback: Option<bool>,
}

/// Text that borrows from the line where it can.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Text<'r>(Cow<'r, str>);

impl<'de: 'r, 'r> Deserialize<'de> for Text<'r> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("text")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

/// Why a text is no line of a trace, or not of this line's.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum TraceError {
    /// It is not a JSON object with a `t` and an `ev`.
    Malformed(String),
    /// Its `ev`, or a word of it, is none that there is.
    UnknownWord(String),
    /// Its event lacks this key.
    MissingKey(&'static str),
    /// It names a unit, job or model that the line does not have.
    UnknownName(String),
}

impl fmt::Display for TraceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TraceError::Malformed(reason) => write!(formatter, "not a line of a trace: {reason}"),
            TraceError::UnknownWord(word) => write!(formatter, "no event says `{word}`"),
            TraceError::MissingKey(key) => write!(formatter, "the event lacks `{key}`"),
            TraceError::UnknownName(name) => write!(formatter, "the line has no `{name}`"),
        }
    }
}

impl std::error::Error for TraceError {}

/// The names of a line, to find what an event speaks of.
#[derive(Debug, Clone)]
pub struct Names<'l> {
    units: HashMap<&'l str, u32>,
    jobs: HashMap<&'l str, u32>,
    models: HashMap<&'l str, u32>,
}

impl<'l> Names<'l> {
    /// The names of a line. Takes time linear in the line.
    pub fn new(line: &'l Line) -> Self {
        Names {
            units: (line.units.iter().map(|unit| unit.name.as_str())).zip(0..).collect(),
            jobs: (line.jobs.iter().map(|job| job.name.as_str())).zip(0..).collect(),
            models: (line.models.iter().map(|model| model.name.as_str())).zip(0..).collect(),
        }
    }
}

impl<'r> Record<'r> {
    /// Reads a line of a trace, with or without its end.
    ///
    /// # Errors
    ///
    /// [`TraceError::Malformed`].
    pub fn parse(text: &'r str) -> Result<Self, TraceError> {
        serde_json::from_str(text).map_err(|error| TraceError::Malformed(error.to_string()))
    }

    /// The name of the event: `grant`.
    pub fn ev(&self) -> &str {
        &self.ev.0
    }

    /// The job.
    pub fn job(&self) -> Option<&str> {
        plain(&self.job)
    }

    /// The unit of an `evict` or `unit`.
    pub fn unit(&self) -> Option<&str> {
        plain(&self.unit)
    }

    /// The model of an `evict`.
    pub fn model(&self) -> Option<&str> {
        plain(&self.model)
    }

    /// The units of a `grant` or `release`.
    pub fn units(&self) -> impl Iterator<Item = &str> {
        self.units.iter().flatten().map(|unit| unit.0.as_ref())
    }

    /// The state in an `end` or `unit`.
    pub fn state(&self) -> Option<&str> {
        plain(&self.state)
    }

    /// The cause of a `revoke` or `end`; none for null.
    pub fn cause(&self) -> Option<&str> {
        plain(&self.cause)
    }

    /// The event, its names resolved. `units` is overwritten, and lent to the event.
    ///
    /// # Errors
    ///
    /// That the event lacks a key, or says or names what there is not.
    ///
    /// ```
    /// use lineside_line::trace::{Names, Record, What};
    /// use lineside_line::{NoFiles, read};
    ///
    /// let text = "[[device]]\nname = \"g\"\n[[job]]\nname = \"a\"\n";
    /// let line = read(text, &NoFiles).unwrap().line;
    /// let record = Record::parse(r#"{"t":5,"ev":"release","job":"a","lease":7,"units":["g"]}"#);
    /// let mut units = Vec::new();
    /// let event = record.unwrap().event(&Names::new(&line), &mut units).unwrap();
    /// assert_eq!(event.what, What::Release { job: 0, lease: 7, units: &[0] });
    /// ```
    pub fn event<'u>(
        &self,
        names: &Names<'_>,
        units: &'u mut Vec<u32>,
    ) -> Result<Event<'u>, TraceError> {
        units.clear();
        let job = || find(&names.jobs, "job", self.job());
        let lease = || present("lease", self.lease);
        let images = || {
            let first = present("first", self.first)?;
            let count = present("count", self.count)?;
            Ok(Images { job: job()?, lease: lease()?, first, count })
        };
        let what = match self.ev() {
            "ready" => What::Ready { job: job()?, ticket: present("ticket", self.ticket)? },
            "evict" => What::Evict {
                unit: find(&names.units, "unit", self.unit())?,
                model: find(&names.models, "model", self.model())?,
            },
            "grant" => What::Grant {
                job: job()?,
                lease: lease()?,
                units: self.resolve_units(names, units)?,
                ticket: present("ticket", self.ticket)?,
                cold: present("cold", self.cold)?,
                fallback: present("fallback", self.fallback)?,
            },
            "start" => What::Start(images()?),
            "done" => What::Done(images()?),
            "fail" => What::Fail(images()?),
            "revoke" => What::Revoke { job: job()?, lease: lease()?, cause: self.revoke_cause()? },
            "release" => What::Release {
                job: job()?,
                lease: lease()?,
                units: self.resolve_units(names, units)?,
            },
            "end" => What::End { job: job()?, end: self.end(names)? },
            "unit" => What::Unit {
                unit: find(&names.units, "unit", self.unit())?,
                state: self.unit_state()?,
            },
            other => return Err(TraceError::UnknownWord(other.to_owned())),
        };
        Ok(Event { t: self.t, what })
    }

    fn resolve_units<'u>(
        &self,
        names: &Names<'_>,
        units: &'u mut Vec<u32>,
    ) -> Result<&'u [u32], TraceError> {
        if self.units.is_none() {
            return Err(TraceError::MissingKey("units"));
        }
        for unit in self.units() {
            units.push(find(&names.units, "units", Some(unit))?);
        }
        Ok(units)
    }

    fn revoke_cause(&self) -> Result<RevokeCause, TraceError> {
        known(REVOKE_CAUSES, "cause", self.cause())
    }

    fn unit_state(&self) -> Result<UnitState, TraceError> {
        known(UNIT_STATES, "state", self.state())
    }

    fn end(&self, names: &Names<'_>) -> Result<End, TraceError> {
        match present("state", self.state())? {
            "done" => Ok(End::Done),
            "failed" => Ok(End::Failed(known(FAIL_CAUSES, "cause", self.cause())?)),
            "cancelled" => Ok(End::Cancelled),
            "skipped" => Ok(End::Skipped { upstream: find(&names.jobs, "cause", self.cause())? }),
            other => Err(TraceError::UnknownWord(other.to_owned())),
        }
    }
}

fn plain<'t>(text: &'t Option<Text<'_>>) -> Option<&'t str> {
    text.as_ref().map(|text| text.0.as_ref())
}

fn present<T>(key: &'static str, value: Option<T>) -> Result<T, TraceError> {
    value.ok_or(TraceError::MissingKey(key))
}

fn find(
    names: &HashMap<&str, u32>,
    key: &'static str,
    name: Option<&str>,
) -> Result<u32, TraceError> {
    let name = present(key, name)?;
    names.get(name).copied().ok_or_else(|| TraceError::UnknownName(name.to_owned()))
}

fn known<T: Copy>(
    words: &[(&str, T)],
    key: &'static str,
    word: Option<&str>,
) -> Result<T, TraceError> {
    let word = present(key, word)?;
    let found = words.iter().find(|(known, _)| *known == word);
    found.map(|(_, value)| *value).ok_or_else(|| TraceError::UnknownWord(word.to_owned()))
}
