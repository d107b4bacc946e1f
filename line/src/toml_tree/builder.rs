//! From the parser's events to tables.

use std::borrow::Cow;
use std::cell::RefCell;

use toml_parser::decoder::{Encoding, ScalarKind};
use toml_parser::parser::EventReceiver;
use toml_parser::{ErrorSink, ParseError, Raw, Source, Span};

use crate::tree::{Bytes, Table, Value};

use super::arena::{Arena, Clash, Held, Key, ROOT};
use super::syntax::Fault;

/// Lists and tables in one another at most. A line file needs four.
const DEPTH_MAX: usize = 64;

/// Keys of one dotted path at most.
const PATH_MAX: usize = 64;

/// Follows the events of one document.
pub(super) struct Builder<'t, 'f> {
    source: Source<'t>,
    arena: Arena<'t>,
    /// The table of the last header.
    current: u32,
    /// The header that is being read.
    header: Option<Header>,
    /// The path that has been read of the next entry, or of the header.
    keys: Vec<Key<'t>>,
    /// After that path there was a `=`.
    equals: bool,
    /// Lists and tables in braces that are open.
    open: Vec<Open<'t>>,
    /// Faults so far; the parser reports into them too.
    faults: &'f RefCell<Vec<Fault>>,
    /// Those of them whose damage has been noted.
    noted: usize,
    /// Tables, or values of any size, may have been lost.
    lost: bool,
}

struct Header {
    start: u32,
    /// `[[...]]`.
    item: bool,
}

struct Open<'t> {
    container: u32,
    list: bool,
    start: u32,
    broken: bool,
    /// The path under which it goes.
    keys: Vec<Key<'t>>,
}

impl<'t, 'f> Builder<'t, 'f> {
    pub(super) fn new(source: Source<'t>, faults: &'f RefCell<Vec<Fault>>) -> Self {
        Builder {
            source,
            arena: Arena::new(),
            current: ROOT,
            header: None,
            keys: Vec::new(),
            equals: false,
            open: Vec::new(),
            faults,
            noted: 0,
            lost: false,
        }
    }

    /// The root table, and whether anything may be missing from it.
    pub(super) fn finish(mut self) -> (Table<'t>, bool) {
        self.end_of_header(self.source.input().len());
        self.end_of_entry();
        self.note_damage();
        if self.lost {
            self.arena.set_broken(ROOT);
        }
        (self.arena.finish(), self.lost)
    }

    /// Notes which table or list the parser's latest faults damage.
    fn note_damage(&mut self) {
        let faults = self.faults.borrow();
        if faults.len() == self.noted {
            return;
        }
        self.lost |= faults[self.noted..].iter().any(Fault::loses_tables);
        self.noted = faults.len();
        drop(faults);
        match self.open.last_mut() {
            Some(open) => {
                open.broken = true;
                self.arena.set_broken(open.container);
            }
            None => self.arena.set_broken(self.current),
        }
    }

    fn fault(&mut self, fault: Fault) {
        self.faults.borrow_mut().push(fault);
        self.noted += 1;
    }

    fn clash(&mut self, clash: Clash, header: bool) {
        self.fault(match clash {
            Clash::Twice { at, first } => Fault::twice(at, first, header),
            Clash::Value { at, first } => Fault::value(at, first),
        });
    }

    fn start_header(&mut self, span: Span, item: bool) {
        self.end_of_header(span.start());
        self.end_of_entry();
        self.note_damage();
        self.header = Some(Header { start: bytes(span).start, item });
    }

    /// Opens the table of the header that has been read, closed or not.
    fn end_of_header(&mut self, end: usize) {
        let Some(Header { start, item }) = self.header.take() else {
            return;
        };
        let at = Bytes { start, end: Bytes::new(end, end).start };
        let path = &self.keys;
        let sound = !path.is_empty() && path.iter().all(|key| !key.broken);
        let opened = match (sound, item) {
            (false, _) => Ok(None),
            (true, false) => self.arena.open_table(path, at).map(Some),
            (true, true) => self.arena.open_item(path, at).map(Some),
        };
        self.keys.clear();
        if let Err(clash) = opened {
            self.clash(clash, true);
        }
        self.current = match opened {
            Ok(Some(table)) => table,
            Ok(None) | Err(_) => {
                self.lost = true;
                self.arena.add_loose_table()
            }
        };
    }

    /// Drops a path that no value came for.
    fn end_of_entry(&mut self) {
        if let Some(key) = self.keys.last() {
            // A thing without its name may be any that is missed elsewhere.
            self.lost |= key.text == "name";
            match self.open.last() {
                Some(open) => self.arena.set_broken(open.container),
                None => self.arena.set_broken(self.current),
            }
        }
        self.keys.clear();
        self.equals = false;
    }

    /// Before anything that is no part of a header.
    fn settle(&mut self, span: Span) {
        self.end_of_header(span.start());
        self.note_damage();
    }

    /// Puts a value where it belongs.
    fn deliver(&mut self, held: Held<'t>, at: Bytes, broken: bool) {
        if let Some(open) = self.open.last().filter(|open| open.list) {
            self.arena.push(open.container, held, at, broken);
            return;
        }
        let table = self.open.last().map_or(self.current, |open| open.container);
        if std::mem::take(&mut self.equals) {
            if self.keys.iter().any(|key| key.broken) {
                self.arena.set_broken(table);
            } else if let Err(clash) = self.arena.put(table, &self.keys, held, at, broken) {
                self.clash(clash, false);
            }
        }
        self.keys.clear();
    }

    fn open(&mut self, span: Span, list: bool) -> bool {
        self.settle(span);
        let start = bytes(span);
        let container = match list {
            true => self.arena.add_list(),
            false => self.arena.add_inline_table(start),
        };
        // What stands in a list has no keys; its own are not to be taken for them.
        let keys = std::mem::take(&mut self.keys);
        let equals = std::mem::take(&mut self.equals);
        let keys = if equals { keys } else { Vec::new() };
        self.open.push(Open { container, list, start: start.start, broken: false, keys });
        let allowed = self.open.len() <= DEPTH_MAX;
        if !allowed {
            self.fault(Fault::too_deep(start));
            self.lost = true;
        }
        allowed
    }

    fn close(&mut self, span: Span, list: bool) {
        self.note_damage();
        if self.open.last().is_none_or(|open| open.list != list) {
            return;
        }
        self.end_of_entry();
        if let Some(Open { container, start, broken, keys, .. }) = self.open.pop() {
            let at = Bytes { start, end: bytes(span).end };
            if !list {
                self.arena.set_place(container, at);
            }
            self.equals = !keys.is_empty();
            self.keys = keys;
            self.deliver(Held::Container(container), at, broken);
        }
    }

    fn raw(&self, span: Span, encoding: Option<Encoding>) -> Option<Raw<'t>> {
        let raw = self.source.input().get(span.start()..span.end())?;
        Some(Raw::new_unchecked(raw, encoding, span))
    }

    /// Decodes with `decode`, which may report faults. Returns whether there were any.
    fn decode(&mut self, at: Bytes, decode: impl FnOnce(&mut dyn ErrorSink)) -> bool {
        let mut first = None;
        decode(&mut |error: ParseError| {
            first.get_or_insert_with(|| Fault::parser(&error));
        });
        match first {
            Some(fault) => {
                self.lost |= fault.loses_tables();
                self.fault(fault.inside(at));
                true
            }
            None => false,
        }
    }
}

impl EventReceiver for Builder<'_, '_> {
    fn std_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.start_header(span, false);
    }

    fn std_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_of_header(span.end());
    }

    fn array_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.start_header(span, true);
    }

    fn array_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_of_header(span.end());
    }

    fn inline_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.open(span, false)
    }

    fn inline_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.close(span, false);
    }

    fn array_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.open(span, true)
    }

    fn array_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.close(span, true);
    }

    fn simple_key(&mut self, span: Span, encoding: Option<Encoding>, _: &mut dyn ErrorSink) {
        if self.header.is_none() {
            self.note_damage();
        }
        let at = bytes(span);
        let Some(raw) = self.raw(span, encoding) else {
            return;
        };
        let mut text = Cow::Borrowed("");
        let mut broken = self.decode(at, |sink| raw.decode_key(&mut text, sink));
        if self.keys.len() == PATH_MAX {
            self.fault(Fault::too_deep(at));
        }
        broken |= self.keys.len() >= PATH_MAX;
        if self.keys.len() <= PATH_MAX {
            self.keys.push(Key { text, at, broken });
        }
    }

    fn key_val_sep(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.settle(span);
        self.equals = true;
    }

    fn scalar(&mut self, span: Span, encoding: Option<Encoding>, _error: &mut dyn ErrorSink) {
        self.settle(span);
        let at = bytes(span);
        let Some(raw) = self.raw(span, encoding) else {
            return;
        };
        let mut text = Cow::Borrowed("");
        let mut kind = ScalarKind::String;
        let broken = self.decode(at, |sink| kind = raw.decode_scalar(&mut text, sink));
        let value = match kind {
            ScalarKind::String => Value::Text(text),
            ScalarKind::Boolean(flag) => Value::Bool(flag),
            ScalarKind::DateTime => Value::Date,
            ScalarKind::Float => Value::Float(text.parse().unwrap_or(f64::NAN)),
            ScalarKind::Integer(radix) => {
                Value::Integer(i128::from_str_radix(&text, radix.value()).ok())
            }
        };
        self.deliver(Held::Leaf(value), at, broken);
    }

    fn value_sep(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.settle(span);
        self.end_of_entry();
    }

    fn comment(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.settle(span);
        if let Some(raw) = self.raw(span, None) {
            self.decode(bytes(span), |sink| raw.decode_comment(sink));
        }
    }

    fn newline(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.settle(span);
        if self.open.is_empty() {
            self.end_of_entry();
        }
        if let Some(raw) = self.raw(span, None) {
            self.decode(bytes(span), |sink| raw.decode_newline(sink));
        }
    }

    fn error(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.settle(span);
    }
}

fn bytes(span: Span) -> Bytes {
    Bytes::new(span.start(), span.end())
}
