//! What is wrong with a line file, where, and what to write instead.

use std::fmt;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::span::Span;

/// One fault of a line file, or one thing that its author would want to know.
///
/// Serialised it is one flat object: `code`, `severity`, `message`, `line`, `column`, `end_line`,
/// `end_column`, `help`.
///
/// ```
/// use lineside_line::{Code, NoFiles, read};
///
/// let problems = read("[policy]\nplacemnt = \"pack\"\n", &NoFiles).unwrap_err();
/// assert_eq!(problems[0].code, Code::UnknownKey);
/// assert_eq!((problems[0].span.line, problems[0].span.column), (2, 1));
/// assert_eq!(problems[0].help.as_deref(), Some("write `placement`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What kind of fault it is.
    pub code: Code,
    /// Whether the file is refused for it.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that have to do with it.
    pub related: Vec<Related>,
    /// What to write instead.
    pub help: Option<String>,
}

/// Another place that has to do with a [`Problem`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Related {
    /// Where.
    pub span: Span,
    /// What is there.
    pub message: String,
}

/// Whether a file is refused for a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is taken.
    Warning,
}

impl Severity {
    /// `error` or `warning`.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Problem { code, severity, message, span, .. } = self;
        let severity = severity.name();
        write!(formatter, "{}:{}: {severity}[{code}]: {message}", span.line, span.column)
    }
}

impl Serialize for Problem {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Problem", 8)?;
        object.serialize_field("code", self.code.name())?;
        object.serialize_field("severity", self.severity.name())?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("line", &self.span.line)?;
        object.serialize_field("column", &self.span.column)?;
        object.serialize_field("end_line", &self.span.end_line)?;
        object.serialize_field("end_column", &self.span.end_column)?;
        object.serialize_field("help", &self.help)?;
        object.end()
    }
}

/// Declares [`Code`] with its names in one place, so that neither can lack an entry.
macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal,)+) => {
        /// What kind of fault a [`Problem`] is. The names are stable.
        ///
        /// ```
        /// use lineside_line::Code;
        ///
        /// assert_eq!(Code::NeverFits.to_string(), "never-fits");
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Code {
            /// Every code, errors first.
            pub const ALL: &[Code] = &[$(Code::$variant),+];

            /// The stable name, in kebab case.
            pub fn name(self) -> &'static str {
                match self {
                    $(Code::$variant => $name,)+
                }
            }

            /// What it means, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$variant => concat!($($doc),+).trim_ascii(),)+
                }
            }
        }
    };
}

codes! {
    /// The text is not UTF-8.
    NotUtf8 = "not-utf8",
    /// The text has 4 GiB or more.
    TooLarge = "too-large",
    /// The text is not TOML.
    Syntax = "syntax",
    /// A key or a table is given twice.
    DuplicateKey = "duplicate-key",
    /// A key or table that does not exist.
    UnknownKey = "unknown-key",
    /// A key that must be given is not.
    MissingKey = "missing-key",
    /// A value of the wrong type.
    WrongType = "wrong-type",
    /// A word that is not one of those that a key takes.
    UnknownValue = "unknown-value",
    /// A number, or a duration, outside its bounds.
    OutOfRange = "out-of-range",
    /// A text that is not a duration.
    BadDuration = "bad-duration",
    /// A text that is not an amount of memory.
    BadMemory = "bad-memory",
    /// A list that must not be empty is.
    EmptyList = "empty-list",
    /// A name without a character.
    EmptyName = "empty-name",
    /// Two of a kind with one name.
    DuplicateName = "duplicate-name",
    /// An edge or fault names a job that is not there.
    UnknownJob = "unknown-job",
    /// A job names a model that is not there.
    UnknownModel = "unknown-model",
    /// A job names a stream that is not there.
    UnknownStream = "unknown-stream",
    /// A job names a face that is not there.
    UnknownFace = "unknown-face",
    /// A placeholder names what a face does not say.
    UnknownFaceKey = "unknown-face-key",
    /// A fault names a unit that is not there.
    UnknownUnit = "unknown-unit",
    /// A device names a GPU that is not in the MIG table.
    UnknownGpu = "unknown-gpu",
    /// A MIG profile that is not in the MIG table.
    UnknownProfile = "unknown-profile",
    /// The MIG table does not have the memory of a profile.
    UnknownMemory = "unknown-memory",
    /// `mig` without `gpu`, or elsewhere than on `cuda`.
    MigNeeds = "mig-needs",
    /// `memory` beside `mig`.
    MemoryWithMig = "memory-with-mig",
    /// Slices that do not fit on the GPU together.
    IllegalLayout = "illegal-layout",
    /// Jobs that wait for one another.
    Cycle = "cycle",
    /// A `depth` on a barrier edge.
    DepthOnBarrier = "depth-on-barrier",
    /// A stream edge with `on = "end"`.
    StreamOnEnd = "stream-on-end",
    /// A stream edge between jobs with different numbers of images.
    UnequalImages = "unequal-images",
    /// Depths and barriers that make an image wait for itself.
    Undrainable = "undrainable",
    /// `batch` × `inflight` beyond the window of 64 images.
    Window = "window",
    /// A fault injected in an image that the job does not have.
    InjectBeyondImages = "inject-beyond-images",
    /// A glob that matches no file, or cannot be looked up.
    NoFiles = "no-files",
    /// A placeholder that does not exist, or that has nothing to stand for here.
    BadPlaceholder = "bad-placeholder",
    /// A variable of the environment that can't be set.
    BadVariable = "bad-variable",
    /// More than one of `run`, `worker` and `kernel`.
    TwoActions = "two-actions",
    /// The tool of a `kernel` does not take it.
    Kernel = "kernel",
    /// A fault with both or neither of `unit` and `job`, or with an event that its target lacks.
    FaultTarget = "fault-target",
    /// A job that no set of the file's units could ever hold.
    NeverFits = "never-fits",
    /// A job that may hold what a neighbour over a stream edge needs: circles are broken, slowly.
    Circle = "circle",
    /// A model or stream that no job names.
    Unused = "unused",
    /// A key that changes nothing here.
    NoEffect = "no-effect",
    /// A `timeout` shorter than the first start.
    AlwaysTimesOut = "always-times-out",
    /// A device without memory, where jobs need some.
    NoMemory = "no-memory",
    /// Two edges between the same two jobs.
    DuplicateEdge = "duplicate-edge",
    /// A line without jobs.
    NoJobs = "no-jobs",
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_codes_are_unique_and_in_kebab_case() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
        for name in names {
            let kebab = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
            assert!(name.bytes().all(kebab), "{name}");
        }
    }
}
