//! A device that has been opened: its queue, its kernels, its tracks.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use super::instance::Instance;
use super::module::Pipeline;
use super::track::VulkanTrack;
use crate::device::VulkanAddress;
use crate::fault::{self, Blame, Fault};
use crate::gpu::{Budget, Gpu, Kernel, Module, Track};
use crate::identity::Uuid;

/// How a device is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Bytes that its tracks may hold together.
    pub budget: u64,
    /// Copies through memory of the host even where the device shares it.
    pub staged: bool,
}

/// A device of Vulkan, with one queue for compute.
pub struct VulkanGpu {
    shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) device: ash::Device,
    pub(super) queue: Mutex<vk::Queue>,
    pub(super) family: u32,
    pub(super) memory_types: vk::PhysicalDeviceMemoryProperties,
    pub(super) budget: Budget,
    pub(super) staged: bool,
    pub(super) lost: AtomicBool,
    limits: vk::PhysicalDeviceLimits,
    kernels: Mutex<Kernels>,
    /// Goes after the device.
    _instance: Arc<Instance>,
}

#[derive(Default)]
struct Kernels {
    known: HashMap<Module, usize>,
    pipelines: Vec<Arc<Pipeline>>,
}

impl VulkanGpu {
    /// Opens a device, if it is still the one that was found.
    ///
    /// # Errors
    ///
    /// It is not there, or does not start.
    pub fn open(
        instance: &Arc<Instance>,
        address: VulkanAddress,
        options: Options,
    ) -> Result<Self, Fault> {
        let gone = |text: String| Fault::new(Blame::Lost, text);
        let devices = instance.physical_devices().map_err(gone)?;
        let physical = devices.get(address.index as usize).copied();
        let physical = physical.ok_or_else(|| gone("the device is not there any more".into()))?;
        // Numbers may have shifted; the UUID has not.
        if address.uuid.is_some_and(|uuid| uuid != instance.uuid(physical)) {
            return Err(gone("another device has taken its number".into()));
        }
        let family = instance.compute_family(physical);
        let family = family.ok_or_else(|| gone("it has no queue for compute".into()))?;
        let priorities = [1.0];
        let queues = [vk::DeviceQueueCreateInfo::default()
            .queue_family_index(family)
            .queue_priorities(&priorities)];
        let mut twelve = vk::PhysicalDeviceVulkan12Features::default().timeline_semaphore(true);
        let info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).push_next(&mut twelve);
        // SAFETY: here and below all that is passed lives until the calls return.
        let device = unsafe { instance.raw.create_device(physical, &info, None) };
        let device = device.map_err(|result| of(result, "the device does not start"))?;
        let queue = unsafe { device.get_device_queue(family, 0) };
        let memory_types = unsafe { instance.raw.get_physical_device_memory_properties(physical) };
        let properties = unsafe { instance.raw.get_physical_device_properties(physical) };
        let shared = Shared {
            device,
            queue: Mutex::new(queue),
            family,
            memory_types,
            budget: Budget::new(options.budget),
            staged: options.staged,
            lost: AtomicBool::new(false),
            limits: properties.limits,
            kernels: Mutex::default(),
            _instance: instance.clone(),
        };
        Ok(VulkanGpu { shared: Arc::new(shared) })
    }
}

impl Gpu for VulkanGpu {
    fn kernel(&self, module: &Module) -> Result<Kernel, Fault> {
        let mut kernels = locked(&self.shared.kernels);
        let index = match kernels.known.get(module) {
            Some(&index) => index,
            None => {
                let pipeline = Arc::new(Pipeline::new(&self.shared, module)?);
                kernels.pipelines.push(pipeline);
                let index = kernels.pipelines.len() - 1;
                kernels.known.insert(module.clone(), index);
                index
            }
        };
        Ok(Kernel { index, workgroup: kernels.pipelines[index].workgroup })
    }

    fn track(&self) -> Result<Box<dyn Track>, Fault> {
        Ok(Box::new(VulkanTrack::new(&self.shared)?))
    }

    fn held(&self) -> u64 {
        self.shared.budget.held()
    }

    fn probe(&self) -> Result<(), Fault> {
        if self.is_lost() {
            return Err(Fault::new(Blame::Lost, "the device is lost"));
        }
        crate::probe::probe(self, crate::probe::WGSL)
    }

    fn is_lost(&self) -> bool {
        self.shared.lost.load(Ordering::SeqCst)
    }
}

impl Shared {
    pub(super) fn pipeline(&self, kernel: &Kernel) -> Option<Arc<Pipeline>> {
        locked(&self.kernels).pipelines.get(kernel.index).cloned()
    }

    pub(super) fn check_workgroup(&self, file: &str, workgroup: [u32; 3]) -> Result<(), Fault> {
        let most = self.limits.max_compute_work_group_size;
        let all: u64 = workgroup.iter().map(|&threads| u64::from(threads)).product();
        let each = workgroup.iter().zip(&most).all(|(threads, most)| threads <= most);
        let total = u64::from(self.limits.max_compute_work_group_invocations);
        if each && (1..=total).contains(&all) {
            return Ok(());
        }
        let text = format!(
            "{file}: a workgroup of {workgroup:?} threads; this device takes {most:?}, and {total} \
             in all"
        );
        Err(Fault::new(Blame::Job, text))
    }

    pub(super) fn check_groups(&self, groups: [u32; 3]) -> Result<(), Fault> {
        let most = self.limits.max_compute_work_group_count;
        if groups.iter().zip(&most).all(|(groups, most)| (1..=*most).contains(groups)) {
            return Ok(());
        }
        let text = format!("{groups:?} workgroups; this device takes 1 to {most:?}");
        Err(Fault::new(Blame::Job, text))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let kernels = self.kernels.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: tracks hold the device, so none is left, and nothing runs.
        unsafe {
            let _ = self.device.device_wait_idle();
            kernels.pipelines.iter().for_each(|pipeline| pipeline.destroy(&self.device));
            self.device.destroy_device(None);
        }
    }
}

impl Instance {
    fn uuid(&self, device: vk::PhysicalDevice) -> Uuid {
        let mut ids = vk::PhysicalDeviceIDProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut ids);
        // SAFETY: the device is one of this instance.
        unsafe { self.raw.get_physical_device_properties2(device, &mut properties) };
        Uuid(ids.device_uuid)
    }
}

/// A result as a fault; that the device is lost is noted.
pub(super) fn fault(shared: &Shared, result: vk::Result, what: &str) -> Fault {
    let fault = of(result, what);
    if fault.blame == Blame::Lost {
        shared.lost.store(true, Ordering::SeqCst);
    }
    fault
}

fn of(result: vk::Result, what: &str) -> Fault {
    let (blame, spoils) = fault::class(fault::VULKAN, i64::from(result.as_raw()));
    Fault { blame, spoils, text: format!("{what}: {result} ({})", result.as_raw()) }
}

pub(super) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
