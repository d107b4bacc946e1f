//! A line file with other layouts: its text, changed at its devices only.

use lineside_line::mig::{self, Gpu};
use toml_edit::{Array, DocumentMut, Item, TableLike, Value};

use crate::Refusal;
use crate::words::printable;

/// A line file whose devices can be cut otherwise.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    document: DocumentMut,
    /// Those with a `gpu` of the MIG table.
    pub(super) devices: Vec<Device>,
}

/// A device that can be cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Device {
    /// Which `[[device]]` it is, from 0.
    at: usize,
    pub(super) name: String,
    pub(super) gpu: &'static Gpu,
    /// Its `mig`, as it is in the file.
    pub(super) mig: Option<Vec<String>>,
    /// What else the file says of it: devices that agree in that, and in `gpu`, are alike.
    pub(super) rest: Vec<String>,
}

impl Sheet {
    pub(super) fn read(text: &str) -> Result<Sheet, Refusal> {
        let document: DocumentMut =
            text.parse().map_err(|error| Refusal(format!("error: not TOML: {error}")))?;
        let mut sheet = Sheet { document, devices: Vec::new() };
        let mut at = 0;
        while let Some(table) = sheet.table(at) {
            if let Some(device) = device(at, table) {
                sheet.devices.push(device);
            }
            at += 1;
        }
        Ok(sheet)
    }

    /// Leaves this device only.
    pub(super) fn keep(&mut self, name: &str) -> Result<(), Refusal> {
        let known: Vec<String> = self.devices.iter().map(|device| device.name.clone()).collect();
        self.devices.retain(|device| device.name == name);
        if self.devices.is_empty() {
            let (name, known) = (printable(name), known.join(", "));
            return Err(Refusal(format!(
                "error: no device {name} with a `gpu` of the MIG table\nhelp: there are: {known}"
            )));
        }
        Ok(())
    }

    /// Cuts a device, or makes it whole.
    pub(super) fn cut(&mut self, device: usize, profiles: Option<&[&str]>) {
        let at = self.devices[device].at;
        let Some(table) = self.table(at) else { return };
        match profiles {
            Some(profiles) => {
                table.remove("memory");
                let list: Array = profiles.iter().copied().collect();
                table.insert("mig", Item::Value(Value::Array(list)));
            }
            None => {
                table.remove("mig");
            }
        }
    }

    pub(super) fn text(&self) -> String {
        self.document.to_string()
    }

    fn table(&mut self, at: usize) -> Option<&mut dyn TableLike> {
        match self.document.get_mut("device")? {
            Item::ArrayOfTables(tables) => tables.get_mut(at).map(|table| table as _),
            Item::Value(Value::Array(items)) => {
                items.get_mut(at)?.as_inline_table_mut().map(|table| table as _)
            }
            Item::None | Item::Value(_) | Item::Table(_) => None,
        }
    }
}

/// What a device table says, if it can be cut.
fn device(at: usize, table: &dyn TableLike) -> Option<Device> {
    let text = |key| table.get(key).and_then(Item::as_str);
    let gpu = text("gpu").and_then(mig::gpu)?;
    if text("place").is_some_and(|place| place != "cuda") {
        return None;
    }
    let mig = table
        .get("mig")
        .and_then(Item::as_array)
        .map(|items| items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect());
    let others = table.iter().filter(|(key, _)| !["name", "mig", "memory"].contains(key));
    let mut rest: Vec<String> =
        others.map(|(key, item)| format!("{key}={}", item.to_string().trim())).collect();
    rest.sort();
    Some(Device { at, name: text("name").unwrap_or_default().to_owned(), gpu, mig, rest })
}
