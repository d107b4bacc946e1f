//! What `run` and `worker` say: a program, with placeholders in its words.

use std::collections::BTreeMap;

/// A program that is started, for each start or for each unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments; never empty.
    pub command: Vec<Template>,
    /// The first word is a script for the shell, the others are its arguments.
    pub shell: bool,
    /// Where it runs, relative to the line file; none for the folder of the line file.
    pub dir: Option<String>,
    /// What its environment has besides ours.
    pub env: BTreeMap<String, Template>,
    /// Nanoseconds between asking it to end and making it.
    pub grace: u64,
    /// Nanoseconds that a worker may take until it is ready.
    pub ready: u64,
}

impl Default for Program {
    fn default() -> Self {
        Program {
            command: Vec::new(),
            shell: false,
            dir: None,
            env: BTreeMap::new(),
            grace: 5_000_000_000,
            ready: 300_000_000_000,
        }
    }
}

impl Program {
    /// The words of the command and the values of the environment without placeholders: each may
    /// be the name of a file.
    pub fn plain_texts(&self) -> impl Iterator<Item = &str> {
        let templates = self.command.iter().chain(self.env.values());
        templates.filter_map(|template| match template.parts.as_slice() {
            [Part::Text(text)] => Some(text.as_str()),
            _ => None,
        })
    }
}

/// A text with placeholders.
///
/// ```
/// use lineside_line::{Part, Template};
///
/// let template = Template::parse("--out={out}/{index}.json").unwrap();
/// let text = |text: &str| Part::Text(text.to_owned());
/// assert_eq!(
///     template.parts,
///     [text("--out="), Part::Out, text("/"), Part::Index, text(".json")],
/// );
/// // What can't be meant as a placeholder is none; another pair of braces makes sure of it.
/// assert_eq!(Template::parse("{\"a\": 1}").unwrap().parts, [text("{\"a\": 1}")]);
/// assert_eq!(Template::parse("{{unit}}").unwrap().parts, [text("{unit}")]);
/// assert_eq!(Template::parse("{picture}").unwrap_err(), "picture");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Template {
    /// In order; no two texts stand side by side.
    pub parts: Vec<Part>,
}

/// A part of a [`Template`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Text as it stands.
    Text(String),
    /// The file of the first image.
    Image,
    /// The files of all images, a word each.
    Images,
    /// The number of the first image, from 0.
    Index,
    /// The names of the units.
    Unit,
    /// The UUIDs of the units.
    Uuid,
    /// The folder for what the job makes.
    Out,
    /// The folder of what an upstream has made, by its name.
    In(String),
}

/// Every placeholder without a name in it, as it is written.
pub(crate) const PLACEHOLDERS: [(&str, Part); 6] = [
    ("image", Part::Image),
    ("images", Part::Images),
    ("index", Part::Index),
    ("unit", Part::Unit),
    ("uuid", Part::Uuid),
    ("out", Part::Out),
];

impl Template {
    /// Finds the placeholders of a text.
    ///
    /// # Errors
    ///
    /// What stands between braces like a placeholder and is none.
    pub fn parse(text: &str) -> Result<Self, &str> {
        let mut template = Template::default();
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            let (before, braced) = rest.split_at(open);
            template.push_text(before);
            let Some(name) = placeholder(&braced[1..]) else {
                let doubled = braced[1..].strip_prefix('{').and_then(placeholder);
                match doubled.filter(|name| braced[name.len() + 3..].starts_with('}')) {
                    Some(name) => {
                        template.push_text(&braced[1..name.len() + 3]);
                        rest = &braced[name.len() + 4..];
                    }
                    None => {
                        template.push_text("{");
                        rest = &braced[1..];
                    }
                }
                continue;
            };
            let known = PLACEHOLDERS.iter().find(|(known, _)| *known == name);
            let part = match (known, name.strip_prefix("in.")) {
                (Some((_, part)), _) => part.clone(),
                (None, Some(job)) => Part::In(job.to_owned()),
                (None, None) => return Err(name),
            };
            template.parts.push(part);
            rest = &braced[name.len() + 2..];
        }
        template.push_text(rest);
        Ok(template)
    }

    fn push_text(&mut self, text: &str) {
        match self.parts.last_mut() {
            _ if text.is_empty() => {}
            Some(Part::Text(last)) => last.push_str(text),
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }
}

/// What stands before the closing brace, if it looks like a placeholder: a word, or `in.` and the
/// name of a job.
fn placeholder(behind: &str) -> Option<&str> {
    let name = &behind[..behind.find('}')?];
    let is_word = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'_');
    let is_input = name.strip_prefix("in.").is_some_and(|job| !job.is_empty());
    (is_word || is_input).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Part {
        Part::Text(text.to_owned())
    }

    #[test]
    fn braces_that_are_no_placeholder_stay_as_they_are() {
        for braces in
            ["{", "}", "{}", "{{", "}}", "{ image }", "{print $1}", "{{}}", "{{\"a\":{}}}"]
        {
            assert_eq!(Template::parse(braces).unwrap().parts, [text(braces)], "{braces}");
        }
        assert!(Template::parse("").unwrap().parts.is_empty());
    }

    #[test]
    fn an_input_takes_any_name() {
        let parts = Template::parse("{in.read labels 2}/x{in.}").unwrap().parts;
        assert_eq!(parts, [Part::In("read labels 2".into()), text("/x{in.}")]);
    }

    #[test]
    fn doubled_braces_are_text_and_what_is_behind_them_is_looked_at() {
        let parts = Template::parse("{{image}}{image}{{{unit}}}").unwrap().parts;
        assert_eq!(parts, [text("{image}"), Part::Image, text("{{unit}}")]);
    }
}
