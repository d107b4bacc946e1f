//! A kernel of the user's own: what `kernel = { module = "..." }` declares.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use std::fs;
use std::path::Path;

use lineside_devices::kernels::Form;
use lineside_devices::{Code, Module};
use lineside_line::{KernelFault, Place, Setting, quantity};

/// The name under which a `kernel` with a `module` is known.
pub(crate) const MODULE: &str = "module";

const KEYS: [&str; 6] = ["module", "entry", "buffers", "arguments", "workgroup", "threads"];
/// What Vulkan promises for push constants.
const ARGUMENTS_MAX: usize = 32;
const BUFFERS_MAX: usize = 16;

/// A kernel as it is declared, with its code.
#[derive(Debug, Clone)]
pub(super) struct Declared {
    /// The forms that there are: for Vulkan, and for CUDA.
    pub(super) forms: Vec<(Form, Module)>,
    pub(super) buffers: Vec<Slot>,
    pub(super) arguments: Vec<Argument>,
    pub(super) threads: Threads,
}

/// What a buffer of a kernel is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Slot {
    /// What a job in `after` made of the image.
    From(String),
    /// A picture of the size of the first that comes in: the product.
    ToPicture,
    /// So many bytes: the product.
    ToBytes(u64),
    /// The bytes of a file.
    File(Vec<u8>),
    /// So many bytes of zeros.
    Zeros(u64),
}

/// An argument of 32 bits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Argument {
    Width,
    Height,
    Image,
    Word(u32),
}

/// How many threads there are in all.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Threads {
    /// One for each pixel.
    Pixels,
    /// One for each four pixels.
    Words,
    /// So many.
    Count(u64),
}

/// For which place the code in a file is.
pub(crate) fn place_of(path: &str) -> Option<Place> {
    match Path::new(path).extension()?.to_str()? {
        "wgsl" | "spv" => Some(Place::Vulkan),
        "cu" | "ptx" => Some(Place::Cuda),
        _ => None,
    }
}

/// The files of a kernel.
pub(crate) fn files(settings: &BTreeMap<String, Setting>) -> Vec<&str> {
    match settings.get("module") {
        Some(Setting::Text(path)) => Vec::from([path.as_str()]),
        Some(Setting::List(paths)) => paths
            .iter()
            .filter_map(|path| match path {
                Setting::Text(path) => Some(path.as_str()),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// What is wrong with a kernel of the user's own.
pub(crate) fn faults(settings: &BTreeMap<String, Setting>, folder: &Path) -> Vec<KernelFault> {
    declared(settings, folder).err().unwrap_or_default()
}

/// Reads a kernel as it is declared.
pub(super) fn declared(
    settings: &BTreeMap<String, Setting>,
    folder: &Path,
) -> Result<Declared, Vec<KernelFault>> {
    let mut reader = Reader { settings, folder, faults: Vec::new() };
    reader.check_keys();
    let buffers = reader.buffers();
    let arguments = reader.arguments();
    let workgroup = reader.workgroup();
    let threads = reader.threads();
    let forms = reader.forms(buffers.len(), arguments.len(), workgroup);
    match reader.faults.is_empty() {
        true => Ok(Declared { forms, buffers, arguments, threads }),
        false => Err(reader.faults),
    }
}

struct Reader<'r> {
    settings: &'r BTreeMap<String, Setting>,
    folder: &'r Path,
    faults: Vec<KernelFault>,
}

impl Reader<'_> {
    fn fault(&mut self, key: &str, message: impl Into<String>, help: &str) {
        let help = (!help.is_empty()).then(|| help.to_string());
        let setting = Some(key.to_string());
        self.faults.push(KernelFault { setting, message: message.into(), help });
    }

    fn check_keys(&mut self) {
        for key in self.settings.keys().filter(|key| !KEYS.contains(&key.as_str())) {
            let known: Vec<String> = KEYS.iter().map(|key| format!("`{key}`")).collect();
            let help = format!("it knows {}", known.join(", "));
            self.fault(key, format!("a module has no setting `{key}`"), &help);
        }
    }

    fn buffers(&mut self) -> Vec<Slot> {
        const HELP: &str = "write `buffers = [{ from = \"a job\" }, { to = \"picture\" }]`; also \
                            `{ to = \"4KiB\" }`, `{ file = \"a file\" }`, `{ zeros = \"4KiB\" }`";
        let list = match self.settings.get("buffers") {
            Some(Setting::List(list)) => list.clone(),
            _ => {
                self.fault("buffers", "a module needs a list of `buffers`", HELP);
                return Vec::new();
            }
        };
        if list.len() > BUFFERS_MAX {
            self.fault("buffers", format!("more than {BUFFERS_MAX} buffers"), "take fewer");
        }
        let mut slots = Vec::new();
        for (at, item) in list.iter().enumerate() {
            match self.slot(item) {
                Ok(slot) => slots.push(slot),
                Err(why) => self.fault("buffers", format!("buffer {at}: {why}"), HELP),
            }
        }
        let products =
            slots.iter().filter(|slot| matches!(slot, Slot::ToPicture | Slot::ToBytes(_)));
        if slots.len() == list.len() && products.count() != 1 {
            let message = "exactly one buffer must be the product";
            self.fault("buffers", message, "write `{ to = \"picture\" }` for the one that is");
        }
        let inputs = slots.iter().any(|slot| matches!(slot, Slot::From(_)));
        if slots.contains(&Slot::ToPicture) && !inputs {
            let message = "a picture as large as none: nothing comes in";
            self.fault("buffers", message, "write `{ from = \"a job\" }` for what comes in");
        }
        slots
    }

    fn slot(&self, item: &Setting) -> Result<Slot, String> {
        let Setting::Table(table) = item else { return Err("not a table".into()) };
        let mut entries = table.iter();
        let (Some((key, value)), None) = (entries.next(), entries.next()) else {
            return Err("must have one key".into());
        };
        let Setting::Text(text) = value else {
            return Err(format!("`{key}` must be text"));
        };
        let bytes = |text: &str| match quantity::memory(text) {
            Ok(bytes @ 1..=0xffff_ffff) => Ok(bytes),
            Ok(_) => Err(format!("`{text}` is nothing, or 4 GiB and more")),
            Err(_) => Err(format!("`{text}` is no memory, like \"4KiB\"")),
        };
        Ok(match key.as_str() {
            "from" => Slot::From(text.clone()),
            "to" if text == "picture" => Slot::ToPicture,
            "to" => Slot::ToBytes(bytes(text)?),
            "zeros" => Slot::Zeros(bytes(text)?),
            "file" => Slot::File(read(&self.folder.join(text))?),
            _ => return Err(format!("there is no `{key}`")),
        })
    }

    fn arguments(&mut self) -> Vec<Argument> {
        const HELP: &str = "write numbers of 32 bits, or \"width\", \"height\", \"image\"";
        let list = match self.settings.get("arguments") {
            None => return Vec::new(),
            Some(Setting::List(list)) if list.len() <= ARGUMENTS_MAX => list.clone(),
            Some(_) => {
                let message = format!("`arguments` must be a list of {ARGUMENTS_MAX} at most");
                self.fault("arguments", message, HELP);
                return Vec::new();
            }
        };
        let mut arguments = Vec::new();
        for (at, item) in list.iter().enumerate() {
            match argument(item) {
                Some(argument) => arguments.push(argument),
                None => {
                    self.fault("arguments", format!("argument {at} is none that is known"), HELP);
                }
            }
        }
        arguments
    }

    fn workgroup(&mut self) -> [u32; 3] {
        let Some(setting) = self.settings.get("workgroup") else { return [256, 1, 1] };
        let number = |setting: &Setting| match setting {
            Setting::Int(number @ 1..=1024) => Some(*number as u32),
            _ => None,
        };
        let sizes: Option<Vec<u32>> = match setting {
            Setting::List(list) => list.iter().map(number).collect(),
            one => number(one).map(|one| Vec::from([one])),
        };
        match sizes.as_deref() {
            Some([x]) => [*x, 1, 1],
            Some([x, y]) => [*x, *y, 1],
            Some([x, y, z]) => [*x, *y, *z],
            _ => {
                let message = "`workgroup` must be one to three numbers from 1 to 1024";
                self.fault("workgroup", message, "write `workgroup = [256]`");
                [1, 1, 1]
            }
        }
    }

    fn threads(&mut self) -> Threads {
        match self.settings.get("threads") {
            None => Threads::Pixels,
            Some(Setting::Text(word)) if word == "pixels" => Threads::Pixels,
            Some(Setting::Text(word)) if word == "words" => Threads::Words,
            Some(Setting::Int(count @ 1..=0xffff_ffff)) => Threads::Count(*count as u64),
            Some(_) => {
                let message = "`threads` must be \"pixels\", \"words\" or a number from 1 on";
                self.fault("threads", message, "");
                Threads::Pixels
            }
        }
    }

    fn forms(
        &mut self,
        buffers: usize,
        arguments: usize,
        workgroup: [u32; 3],
    ) -> Vec<(Form, Module)> {
        let entry = match self.settings.get("entry") {
            None => "main".to_string(),
            Some(Setting::Text(entry)) => entry.clone(),
            Some(_) => {
                self.fault("entry", "`entry` must be text", "write the name of the function");
                return Vec::new();
            }
        };
        let paths = files(self.settings);
        if paths.is_empty() {
            self.fault("module", "`module` names no file", "write `module = \"my.wgsl\"`");
        }
        let mut forms: Vec<(Form, Module)> = Vec::new();
        for path in paths {
            let place = place_of(path);
            let form = if place == Some(Place::Cuda) { Form::Ptx } else { Form::Wgsl };
            if place.is_some() && forms.iter().any(|(other, _)| *other == form) {
                self.fault("module", "two files for the same place", "leave one of them out");
                continue;
            }
            match code(path, &self.folder.join(path)) {
                Ok(code) => forms.push((
                    form,
                    Module {
                        file: path.to_string(),
                        code,
                        entry: entry.clone(),
                        buffers: buffers as u32,
                        arguments: arguments as u32,
                        workgroup,
                        trusted: false,
                    },
                )),
                Err(message) => {
                    self.fault("module", message, "name a .wgsl, .spv, .cu or .ptx file");
                }
            }
        }
        // Which bindings it declares is known only if those are right.
        if self.faults.is_empty() {
            let wrong =
                forms.iter().filter_map(|(_, module)| lineside_devices::module_fault(module));
            for message in wrong.collect::<Vec<_>>() {
                self.fault("module", message, "");
            }
        }
        forms
    }
}

fn argument(setting: &Setting) -> Option<Argument> {
    Some(match setting {
        Setting::Text(word) => match word.as_str() {
            "width" => Argument::Width,
            "height" => Argument::Height,
            "image" => Argument::Image,
            _ => return None,
        },
        Setting::Int(number @ -0x8000_0000..=0xffff_ffff) => Argument::Word(*number as u32),
        Setting::Float(number) => Argument::Word((*number as f32).to_bits()),
        Setting::Bool(flag) => Argument::Word(u32::from(*flag)),
        Setting::Int(_) | Setting::List(_) | Setting::Table(_) => return None,
    })
}

fn read(path: &Path) -> Result<Vec<u8>, String> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn code(name: &str, path: &Path) -> Result<Code, String> {
    let bytes = read(path)?;
    let text = || String::from_utf8(bytes.clone()).map_err(|_| format!("{name}: no text at all"));
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("wgsl") => Ok(Code::Wgsl(text()?)),
        Some("cu") => Ok(Code::CudaC(text()?)),
        Some("ptx") => Ok(Code::Ptx(text()?)),
        Some("spv") if bytes.len() % 4 == 0 => {
            let words = bytes.chunks_exact(4);
            let words = words.map(|it| u32::from_le_bytes([it[0], it[1], it[2], it[3]]));
            Ok(Code::Spirv(words.collect()))
        }
        Some("spv") => Err(format!("{name}: not whole words")),
        _ => Err(format!("{name}: what language it is in is not known")),
    }
}
