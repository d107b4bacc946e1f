//! `[[model]]` and `[[stream]]`.

use crate::fields::{Fields, Given};
use crate::line::{Model, Stream};
use crate::report::Report;
use crate::tree::Bytes;
use crate::vocabulary;

use super::names::Names;

/// What jobs name besides units: models and streams.
pub(crate) struct Things<'t> {
    pub(crate) models: Vec<Model>,
    pub(crate) model_names: Names<'t>,
    /// Models whose weights have been refused.
    pub(crate) weights_unknown: Vec<bool>,
    pub(crate) streams: Vec<Stream>,
    pub(crate) stream_names: Names<'t>,
    /// Where each model stands.
    pub(crate) model_places: Vec<Bytes>,
    /// Where each stream stands.
    pub(crate) stream_places: Vec<Bytes>,
}

impl<'t> Things<'t> {
    pub(crate) fn read(root: &Fields<'_, 't>, report: &mut Report) -> Self {
        let (models, streams) = (root.tables("model", report), root.tables("stream", report));
        let mut things = Things {
            models: Vec::new(),
            model_names: Names::new("model", models.len()),
            weights_unknown: Vec::new(),
            streams: Vec::new(),
            stream_names: Names::new("stream", streams.len()),
            model_places: Vec::new(),
            stream_places: Vec::new(),
        };
        for table in models {
            let fields = Fields::new(table, &vocabulary::MODEL, report);
            let name = fields.name(report);
            let weights = fields.memory("weights", report);
            let cold = fields.duration("cold", 0, report);
            let file = fields.text("file", report);
            things.model_names.add(&name, things.models.len(), report);
            things.model_places.push(name.at().unwrap_or(fields.at()));
            things.weights_unknown.push(weights.is_bad());
            things.models.push(Model {
                name: name.good().map(|name| name.to_string()).unwrap_or_default(),
                weights: weights.or(0).unwrap_or(0),
                cold: cold.or(0).unwrap_or(0),
                file: file.good().map(|file| file.to_string()),
            });
        }
        for table in streams {
            let fields = Fields::new(table, &vocabulary::STREAM, report);
            let name = fields.name(report);
            let limit = match fields.count("limit", 1, report) {
                Given::Good(limit, _) => Some(limit),
                Given::Absent | Given::Bad => None,
            };
            things.stream_names.add(&name, things.streams.len(), report);
            things.stream_places.push(name.at().unwrap_or(fields.at()));
            things.streams.push(Stream {
                name: name.good().map(|name| name.to_string()).unwrap_or_default(),
                limit,
            });
        }
        things
    }
}
