//! What this machine has, for a run.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::thread;

use lineside_backends::devices::{self, Bound, Gpus};
use lineside_backends::host::HostUnit;
use lineside_devices::{Inventory, Opener, Wishes, discover};
use lineside_line::{DeviceHere, KernelFault, Line, Place, Setting, Surroundings, Wanted};

use crate::arguments::{self, Run};
use crate::lease::{self, Held};
use crate::words::printable;
use crate::{Refusal, devices::listed, hardware, terminal};

/// This machine; it is looked at when somebody asks.
pub(crate) struct Machine {
    wishes: Wishes,
    place: Option<Place>,
    inventory: OnceCell<Inventory>,
}

impl Machine {
    /// As the arguments of a run want it.
    pub(crate) fn new(arguments: &Run) -> Self {
        let place = arguments.place.map(|place| match place {
            arguments::Place::Cpu => Place::Cpu,
            arguments::Place::Cuda => Place::Cuda,
            arguments::Place::Vulkan => Place::Vulkan,
        });
        let wishes = Wishes { allow_software: arguments.allow_software };
        Machine { wishes, place, inventory: OnceCell::new() }
    }

    /// As a run without arguments wants it.
    pub(crate) fn plain() -> Self {
        let wishes = Wishes { allow_software: false };
        Machine { wishes, place: None, inventory: OnceCell::new() }
    }

    /// What this kind of box is called.
    pub(crate) fn name(&self) -> String {
        hardware::name_of(self.inventory())
    }

    fn inventory(&self) -> &Inventory {
        self.inventory.get_or_init(|| discover(self.wishes))
    }

    /// The units of a line without `[[device]]`.
    fn devices(&self) -> Vec<DeviceHere> {
        let cpus = thread::available_parallelism().map_or(1, usize::from);
        let memory = lineside_devices::ask_memory().unwrap_or(0);
        devices::units_here(self.inventory(), cpus as u32, memory)
    }

    /// The memory of a device that is meant.
    fn memory(&self, place: Place, wanted: &Wanted) -> Option<u64> {
        if place == Place::Cpu {
            return lineside_devices::ask_memory();
        }
        let mut usable = self.inventory().devices.iter().filter(|device| device.is_usable());
        usable.find(|device| devices::is_meant(device, wanted))?.free()
    }

    /// Finds a device for each unit of the line.
    pub(crate) fn bind(&self, line: &mut Line) -> Result<Bound, Refusal> {
        if let Some(place) = self.place {
            devices::put_on(line, place);
        }
        let gpus = line.units.iter().any(|unit| unit.place != Place::Cpu);
        if !gpus || self.place == Some(Place::Cpu) {
            let units = HostUnit::of_line(line);
            let none = units.iter().map(|_| None).collect();
            return Ok(Bound { units, gpus: none, notes: Vec::new() });
        }
        let bound = devices::bind(line, self.inventory()).map_err(|faults| {
            let faults: String = faults.iter().map(|fault| format!("error: {fault}\n")).collect();
            self.refusal(&faults)
        })?;
        for note in &bound.notes {
            terminal::talk(&format!("note: {}\n", printable(note)));
        }
        let place = self.place.filter(|_| bound.gpus.iter().all(Option::is_none));
        match place {
            Some(place) => Err(self.refusal(&format!(
                "error: nothing here can be used through {}\n",
                if place == Place::Cuda { "CUDA" } else { "Vulkan" }
            ))),
            None => Ok(bound),
        }
    }

    /// Takes the GPUs that the units of a line stand for from the registry of this machine.
    pub(crate) fn hold(&self, line: &Line, units: &[HostUnit]) -> Result<Option<Held>, Refusal> {
        let gpus = units.iter().filter(|unit| unit.here && unit.place != Place::Cpu);
        let keys: Vec<String> = gpus.filter_map(|unit| unit.uuid.clone()).collect();
        if keys.is_empty() {
            return Ok(None);
        }
        let name = format!("run of {}", line.name.as_deref().unwrap_or("a line"));
        lease::hold(&name, keys, self.inventory())
    }

    /// What is wrong, and what is here.
    fn refusal(&self, faults: &str) -> Refusal {
        let inventory = self.inventory();
        let notes = inventory.notes.iter();
        let notes: String = notes.map(|note| format!("note: {}\n", printable(note))).collect();
        let here = match inventory.devices.is_empty() {
            true => "no GPU at all\n".to_owned(),
            false => listed(inventory),
        };
        Refusal(format!("{faults}{notes}here is, besides the CPU:\n{here}"))
    }
}

/// What lies around a line file, and what this machine has, if that matters.
pub(crate) struct Around<'h> {
    around: &'h dyn Surroundings,
    machine: Option<&'h Machine>,
}

impl<'h> Around<'h> {
    pub(crate) fn new(around: &'h dyn Surroundings, machine: Option<&'h Machine>) -> Self {
        Around { around, machine }
    }
}

impl Surroundings for Around<'_> {
    fn files(&self, glob: &str) -> Result<Vec<String>, String> {
        self.around.files(glob)
    }

    fn devices(&self) -> Vec<DeviceHere> {
        self.machine.map_or_else(Vec::new, Machine::devices)
    }

    fn memory(&self, place: Place, wanted: &Wanted) -> Option<u64> {
        self.machine?.memory(place, wanted)
    }

    fn hardware(&self) -> Option<String> {
        self.machine.map(Machine::name)
    }

    fn kernel_faults(&self, tool: &str, settings: &BTreeMap<String, Setting>) -> Vec<KernelFault> {
        self.around.kernel_faults(tool, settings)
    }
}

/// The devices of a run, not yet opened.
pub(crate) fn gpus(bound: Bound) -> (Vec<HostUnit>, Gpus) {
    let opener = Opener::new(std::env::var_os(VALIDATION).is_some_and(|value| value == "1"));
    (bound.units, Gpus::new(bound.gpus, opener))
}

/// Set to 1, Vulkan's validation layer looks on; for tests.
const VALIDATION: &str = "LINESIDE_VULKAN_VALIDATION";

/// Tells what is left on devices, and what the validation layer had to say.
pub(crate) fn tell(gpus: &Gpus) {
    if let Some(messages) = gpus.complaints() {
        messages.iter().for_each(|message| terminal::talk(&format!("validation: {message}\n")));
        terminal::talk(&format!("the validation layer looked on: {} messages\n", messages.len()));
    }
    let held = gpus.held();
    gpus.close();
    if held > 0 {
        terminal::talk(&format!("note: {held} bytes were still held on devices at the end\n"));
    }
}
