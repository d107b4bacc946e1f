//! From what each library says to what is here: the same card is one device, however often it is
//! seen. A pure function, so that what drivers get wrong can be tried.

use crate::device::{CudaAddress, Device, Inventory, VulkanAddress};
use crate::identity::{Pci, Uuid};
use crate::seen::{CudaSeen, Kind, NvmlSeen, Seen, SliceSeen, VulkanSeen};

/// Memory above this is no answer of a driver, but a mistake.
const MEMORY_MAX: u64 = 1 << 50;
/// NVIDIA, as Vulkan numbers makers.
const NVIDIA: u32 = 0x10de;

/// What counts as a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wishes {
    /// A software rasteriser counts as a GPU.
    pub allow_software: bool,
}

/// One card, and who has seen it.
#[derive(Default)]
struct Card<'s> {
    uuid: Option<Uuid>,
    pci: Option<Pci>,
    kind: Kind,
    nvml: Option<&'s NvmlSeen>,
    cuda: Option<&'s CudaSeen>,
    /// The best first.
    vulkan: Vec<&'s VulkanSeen>,
}

/// Brings together what was said.
///
/// ```
/// use lineside_devices::{CudaSeen, Seen, Wishes, merge};
/// let cuda = vec![CudaSeen { name: "NVIDIA T4".into(), ..CudaSeen::default() }];
/// let seen = Seen { cuda: Some(cuda), ..Seen::default() };
/// assert_eq!(merge(&seen, Wishes::default()).devices[0].card, "NVIDIA T4");
/// ```
pub fn merge(seen: &Seen, wishes: Wishes) -> Inventory {
    let mut notes = seen.notes.clone();
    let mut cards = cards(seen, &mut notes);
    // Addresses are an order that stays; what has none keeps the order in which it was seen.
    cards.sort_by_key(|card| card.pci.map_or((1, None), |pci| (0, Some(pci))));
    let mut devices = Vec::new();
    for card in &cards {
        let parent = devices.len();
        devices.push(device(card, seen, wishes));
        let slices = card.nvml.map_or(&[][..], |nvml| &nvml.slices);
        if card.mig() {
            devices.extend(slices.iter().map(|slice| slice_of(card, slice, parent, seen)));
        }
    }
    if wishes == Wishes::default() && cards.iter().any(|card| card.kind == Kind::Software) {
        notes.push("a software rasteriser counts as a GPU only with `--allow-software`".into());
    }
    Inventory { devices, notes }
}

fn cards<'s>(seen: &'s Seen, notes: &mut Vec<String>) -> Vec<Card<'s>> {
    let mut cards: Vec<Card<'s>> = Vec::new();
    for nvml in &seen.nvml {
        let card = Card::new(nvml.uuid.known(), nvml.pci.known(), Kind::Discrete);
        if place(&mut cards, card).nvml.replace(nvml).is_some() {
            notes.push(format!("NVML names {} twice; it counts once", nvml.name));
        }
    }
    for cuda in seen.cuda.iter().flatten() {
        if is_slice(cuda, seen) {
            continue;
        }
        let kind = if cuda.integrated { Kind::Integrated } else { Kind::Discrete };
        let card = place(&mut cards, Card::new(cuda.uuid.known(), cuda.pci.known(), kind));
        if card.cuda.is_some() {
            notes.push(format!("CUDA names {} twice; it counts once", cuda.name));
        } else {
            card.cuda = Some(cuda);
        }
    }
    for vulkan in &seen.vulkan {
        let card = Card::new(vulkan.uuid.known(), vulkan.pci.known(), vulkan.kind);
        let card = place(&mut cards, card);
        card.vulkan.push(vulkan);
        // Stable: of equals the one that Vulkan named first.
        card.vulkan.sort_by_key(|vulkan| (vulkan.lacks.is_some(), vulkan.layered));
        if let Some(second) = card.vulkan.get(1) {
            let (first, name) = (card.vulkan[0], &second.name);
            notes.push(format!(
                "{name} is here through two Vulkan drivers; {} is used, not {}",
                first.driver, second.driver
            ));
        }
    }
    cards
}

/// The card that this is, or a new one.
fn place<'c, 's>(cards: &'c mut Vec<Card<'s>>, card: Card<'s>) -> &'c mut Card<'s> {
    let at = cards.iter().position(|known| known.is(&card)).unwrap_or(cards.len());
    if at == cards.len() {
        cards.push(card);
    } else {
        let known = &mut cards[at];
        known.uuid = known.uuid.or(card.uuid);
        known.pci = known.pci.or(card.pci);
        if card.kind != Kind::Other {
            known.kind = card.kind;
        }
    }
    &mut cards[at]
}

/// CUDA names a slice in the place of its card.
fn is_slice(cuda: &CudaSeen, seen: &Seen) -> bool {
    let Some(uuid) = cuda.uuid.known() else { return false };
    let mut slices = seen.nvml.iter().flat_map(|nvml| &nvml.slices);
    slices.any(|slice| slice.uuid.parse() == Ok(*uuid))
}

impl<'s> Card<'s> {
    fn new(uuid: Option<&Uuid>, pci: Option<&Pci>, kind: Kind) -> Self {
        let uuid = uuid.copied().filter(|uuid| uuid.is_real());
        Card { uuid, pci: pci.copied(), kind, ..Card::default() }
    }

    /// Addresses decide where both are known: drivers give the same UUID to cards that are alike,
    /// and two drivers give two UUIDs to one card. Names and numbers say nothing.
    fn is(&self, other: &Card<'_>) -> bool {
        if (self.kind == Kind::Software) != (other.kind == Kind::Software) {
            return false;
        }
        match (self.pci, other.pci) {
            (Some(one), Some(two)) => one == two,
            _ => self.uuid.is_some() && self.uuid == other.uuid,
        }
    }

    fn mig(&self) -> bool {
        self.nvml.is_some_and(|nvml| nvml.mig.known() == Some(&true))
    }

    fn is_nvidia(&self) -> bool {
        let made = self.vulkan.iter().any(|vulkan| vulkan.vendor == NVIDIA);
        self.nvml.is_some() || self.cuda.is_some() || made
    }

    fn name(&self) -> String {
        let names = [
            self.nvml.map(|nvml| &nvml.name),
            self.cuda.map(|cuda| &cuda.name),
            self.vulkan.first().map(|vulkan| &vulkan.name),
        ];
        let mut names = names.into_iter().flatten().filter(|name| !name.trim().is_empty());
        names.next().map_or_else(|| "a GPU without a name".to_owned(), |name| name.clone())
    }

    /// Bytes in all and in use, from whoever knows.
    fn memory(&self, seen: &Seen) -> (Option<u64>, Option<u64>) {
        let sound = |total: u64| (1..=MEMORY_MAX).contains(&total).then_some(total);
        let nvml = self.nvml.and_then(|nvml| nvml.memory.known().copied());
        let nvml = nvml.and_then(|(total, used)| sound(total).map(|total| (total, used)));
        let vulkan = self.vulkan.first();
        let total = nvml.map(|(total, _)| total);
        let total = total.or(self.cuda.and_then(|cuda| sound(*cuda.memory.known()?)));
        let total = total.or(vulkan.and_then(|vulkan| sound(*vulkan.memory.known()?)));
        let shares = matches!(self.kind, Kind::Integrated | Kind::Software);
        let total = total.or(seen.system_memory.filter(|_| shares).and_then(sound));
        let used = nvml.map(|(_, used)| used);
        let used = used.or(vulkan.and_then(|vulkan| vulkan.used.known().copied()));
        // More in use than there is: all of it is.
        (total, used.zip(total).map(|(used, total)| used.min(total)))
    }

    fn driver(&self) -> String {
        let nvml = self.nvml.filter(|nvml| !nvml.driver.is_empty());
        let nvml = nvml.map(|nvml| format!("NVIDIA {}", nvml.driver));
        let cuda = self
            .cuda
            .filter(|cuda| cuda.version > 0)
            .map(|cuda| format!("CUDA {}.{}", cuda.version / 1000, cuda.version % 1000 / 10));
        let vulkan = self.vulkan.first().map(|vulkan| format!("Vulkan: {}", vulkan.driver));
        [nvml, cuda, vulkan].into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    fn unusable(&self, seen: &Seen, wishes: Wishes) -> Option<String> {
        if self.kind == Kind::Software && !wishes.allow_software {
            return Some("a software rasteriser; `--allow-software` lets it be used".into());
        }
        if self.mig() {
            let slices = self.nvml.is_some_and(|nvml| !nvml.slices.is_empty());
            let why = if slices { "its slices are units" } else { "no slice has been made" };
            return Some(format!("MIG is on, and {why}"));
        }
        if seen.visible.is_some() && seen.cuda.is_some() && self.is_nvidia() && self.cuda.is_none()
        {
            return Some("hidden by CUDA_VISIBLE_DEVICES".into());
        }
        if self.cuda.is_some() {
            return None;
        }
        match self.vulkan.first() {
            Some(vulkan) => vulkan.lacks.clone(),
            None => Some("neither CUDA nor Vulkan reaches it".into()),
        }
    }
}

fn device(card: &Card<'_>, seen: &Seen, wishes: Wishes) -> Device {
    let (memory, used) = card.memory(seen);
    let vulkan = card.vulkan.first().filter(|vulkan| vulkan.lacks.is_none());
    let cuda = card.cuda.filter(|_| !card.mig());
    Device {
        card: card.name(),
        uuid: card.uuid.map(|uuid| match card.is_nvidia() {
            true => format!("GPU-{uuid}"),
            false => uuid.to_string(),
        }),
        pci: card.pci,
        kind: card.kind,
        memory,
        used,
        driver: card.driver(),
        cuda: cuda.map(|cuda| CudaAddress { ordinal: Some(cuda.ordinal) }),
        vulkan: vulkan.map(|vulkan| VulkanAddress {
            index: vulkan.index,
            uuid: vulkan.uuid.known().copied(),
        }),
        profile: None,
        parent: None,
        unusable: card.unusable(seen, wishes),
        stand_in: card.cuda.is_some_and(|cuda| cuda.stand_in),
    }
}

fn slice_of(card: &Card<'_>, slice: &SliceSeen, parent: usize, seen: &Seen) -> Device {
    let reached = seen
        .cuda
        .iter()
        .flatten()
        .find(|cuda| cuda.uuid.known().is_some_and(|uuid| slice.uuid.parse() == Ok(*uuid)));
    let known = slice.memory.known().copied().filter(|(total, _)| *total > 0);
    let known = known.filter(|(total, _)| *total <= MEMORY_MAX);
    let hidden = seen.visible.is_some() && seen.cuda.is_some() && reached.is_none();
    Device {
        card: card.name(),
        uuid: Some(slice.uuid.clone()),
        pci: card.pci,
        kind: card.kind,
        memory: known.map(|(total, _)| total),
        used: known.map(|(total, used)| used.min(total)),
        driver: card.driver(),
        cuda: Some(CudaAddress { ordinal: reached.map(|cuda| cuda.ordinal) }),
        vulkan: None,
        profile: slice.profile.clone(),
        parent: Some(parent),
        unusable: hidden.then(|| "hidden by CUDA_VISIBLE_DEVICES".into()),
        stand_in: reached.is_some_and(|cuda| cuda.stand_in),
    }
}
