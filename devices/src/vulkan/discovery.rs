//! Which devices Vulkan sees.

use std::ffi::CStr;

use ash::{ext, vk};

use super::instance::Instance;
use crate::identity::{Pci, Uuid};
use crate::seen::{Answer, Kind, Seen, VulkanSeen};

/// Asks Vulkan what is here. That it isn't, is a note.
pub fn ask(seen: &mut Seen) {
    match Instance::new(false).and_then(|instance| instance.devices()) {
        Ok(devices) => seen.vulkan = devices,
        Err(note) => seen.notes.push(note),
    }
}

impl Instance {
    /// The physical devices, in Vulkan's order.
    ///
    /// # Errors
    ///
    /// In words, if Vulkan can't list them.
    pub fn devices(&self) -> Result<Vec<VulkanSeen>, String> {
        let devices = self.physical_devices()?;
        Ok((0..).zip(devices).map(|(index, device)| self.see(index, device)).collect())
    }

    pub(super) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, String> {
        // SAFETY: the instance is alive.
        unsafe { self.raw.enumerate_physical_devices() }
            .map_err(|error| format!("Vulkan can't list its devices ({error})"))
    }

    /// Whether a device has an extension.
    pub(super) fn has(&self, device: vk::PhysicalDevice, name: &CStr) -> bool {
        // SAFETY: the device is one of this instance.
        let all = unsafe { self.raw.enumerate_device_extension_properties(device) };
        let all = all.unwrap_or_default();
        all.iter().any(|it| it.extension_name_as_c_str().is_ok_and(|it| it == name))
    }

    fn see(&self, index: u32, device: vk::PhysicalDevice) -> VulkanSeen {
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut pci = vk::PhysicalDevicePCIBusInfoPropertiesEXT::default();
        let has_pci = self.has(device, ext::pci_bus_info::NAME);
        let mut properties =
            vk::PhysicalDeviceProperties2::default().push_next(&mut ids).push_next(&mut driver);
        if has_pci {
            properties = properties.push_next(&mut pci);
        }
        // SAFETY: the device is one of this instance, and has what the chain asks for.
        unsafe { self.raw.get_physical_device_properties2(device, &mut properties) };
        let properties = properties.properties;
        let text = |text: Result<&CStr, _>| {
            text.map_or_else(
                |_: std::ffi::FromBytesUntilNulError| String::new(),
                |text| text.to_string_lossy().into_owned(),
            )
        };
        let address = || Pci {
            domain: pci.pci_domain,
            bus: pci.pci_bus as u8,
            device: pci.pci_device as u8,
            function: pci.pci_function as u8,
        };
        let (memory, used) = self.memory(device);
        VulkanSeen {
            index,
            name: text(properties.device_name_as_c_str()),
            uuid: Answer::Known(Uuid(ids.device_uuid)),
            pci: if has_pci { Answer::Known(address()) } else { Answer::NotSupported },
            kind: kind(properties.device_type),
            vendor: properties.vendor_id,
            driver: format!(
                "{} {}",
                text(driver.driver_name_as_c_str()),
                text(driver.driver_info_as_c_str())
            )
            .trim()
            .to_owned(),
            // 0x... of the registry: Dozen runs on Direct3D 12, MoltenVK on Metal, Venus on a host.
            layered: matches!(
                driver.driver_id,
                vk::DriverId::MESA_DOZEN | vk::DriverId::MOLTENVK | vk::DriverId::MESA_VENUS
            ),
            memory,
            used,
            lacks: self.lacks(device, &properties),
        }
    }

    /// Bytes in all in memory of the device's own, and in use by anyone.
    fn memory(&self, device: vk::PhysicalDevice) -> (Answer<u64>, Answer<u64>) {
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let has_budget = self.has(device, ext::memory_budget::NAME);
        let mut memory = vk::PhysicalDeviceMemoryProperties2::default();
        if has_budget {
            memory = memory.push_next(&mut budget);
        }
        // SAFETY: as in `see`.
        unsafe { self.raw.get_physical_device_memory_properties2(device, &mut memory) };
        let memory = memory.memory_properties;
        let heaps = memory.memory_heaps.iter().take(memory.memory_heap_count as usize);
        let local: Vec<(usize, u64)> = heaps
            .enumerate()
            .filter(|(_, heap)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|(at, heap)| (at, heap.size))
            .collect();
        let Some(&(at, size)) = local.iter().max_by_key(|(_, size)| *size) else {
            return (Answer::NotSupported, Answer::NotSupported);
        };
        // The budget is what this process could have: what it lacks of the heap, others hold.
        let used = match has_budget {
            true => Answer::Known(size.saturating_sub(budget.heap_budget[at])),
            false => Answer::NotSupported,
        };
        (Answer::Known(size), used)
    }

    /// What a device lacks for our kernels, in words.
    fn lacks(
        &self,
        device: vk::PhysicalDevice,
        properties: &vk::PhysicalDeviceProperties,
    ) -> Option<String> {
        if properties.api_version < vk::API_VERSION_1_2 {
            let version = properties.api_version;
            let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
            return Some(format!("its driver has Vulkan {major}.{minor}, not 1.2"));
        }
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default();
        let mut features = vk::PhysicalDeviceFeatures2::default().push_next(&mut twelve);
        // SAFETY: as in `see`; Vulkan 1.2 knows the chain.
        unsafe { self.raw.get_physical_device_features2(device, &mut features) };
        if twelve.timeline_semaphore == vk::FALSE {
            return Some("its driver has no timeline semaphores".into());
        }
        match self.compute_family(device) {
            Some(_) => None,
            None => Some("it has no queue for compute".into()),
        }
    }

    /// The queue family for compute: rather one that draws nothing.
    pub(super) fn compute_family(&self, device: vk::PhysicalDevice) -> Option<u32> {
        // SAFETY: the device is one of this instance.
        let families = unsafe { self.raw.get_physical_device_queue_family_properties(device) };
        let compute = (0..).zip(&families).filter(|(_, family)| {
            family.queue_flags.contains(vk::QueueFlags::COMPUTE) && family.queue_count > 0
        });
        compute
            .min_by_key(|(at, family)| (family.queue_flags.contains(vk::QueueFlags::GRAPHICS), *at))
            .map(|(at, _)| at)
    }
}

fn kind(kind: vk::PhysicalDeviceType) -> Kind {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => Kind::Discrete,
        vk::PhysicalDeviceType::INTEGRATED_GPU => Kind::Integrated,
        vk::PhysicalDeviceType::VIRTUAL_GPU => Kind::Virtual,
        vk::PhysicalDeviceType::CPU => Kind::Software,
        _ => Kind::Other,
    }
}
