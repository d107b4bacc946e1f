//! Opens devices that were found.

#[cfg(any(feature = "cuda", feature = "vulkan"))]
use std::sync::Arc;

use crate::device::Device;
use crate::fault::{Blame, Fault};
use crate::gpu::SharedGpu;
use crate::kernels::Form;

/// Through which library a device is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// CUDA.
    Cuda,
    /// Vulkan.
    Vulkan,
}

impl Api {
    /// The form in which it takes the built-in kernels.
    pub fn form(self) -> Form {
        match self {
            Api::Cuda => Form::Ptx,
            Api::Vulkan => Form::Wgsl,
        }
    }
}

/// Opens devices; it keeps what they have in common.
#[derive(Default)]
pub struct Opener {
    #[cfg(feature = "vulkan")]
    instance: std::sync::Mutex<Option<Arc<crate::vulkan::Instance>>>,
    validate: bool,
}

impl Opener {
    /// With the Khronos validation layer, if that is wished: for tests.
    pub fn new(validate: bool) -> Self {
        Opener { validate, ..Opener::default() }
    }

    /// Opens a device, whose tracks may hold so many bytes together.
    ///
    /// # Errors
    ///
    /// It is gone, does not start, or this program was built without that library.
    pub fn open(&self, device: &Device, api: Api, budget: u64) -> Result<SharedGpu, Fault> {
        let unreached = || Fault::new(Blame::Lost, format!("{} is not reached so", device.card));
        match api {
            Api::Cuda => self.open_cuda(device.cuda.ok_or_else(unreached)?, budget),
            Api::Vulkan => self.open_vulkan(device.vulkan.ok_or_else(unreached)?, budget),
        }
    }

    /// What the validation layer had to say; none if it was not asked for.
    pub fn complaints(&self) -> Option<Vec<String>> {
        #[cfg(feature = "vulkan")]
        if let (true, Some(instance)) = (self.validate, &*self.locked()) {
            return instance.validation().map(|validation| validation.messages());
        }
        None
    }
}

#[cfg(feature = "vulkan")]
impl Opener {
    fn locked(&self) -> std::sync::MutexGuard<'_, Option<Arc<crate::vulkan::Instance>>> {
        self.instance.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn open_vulkan(
        &self,
        address: crate::device::VulkanAddress,
        budget: u64,
    ) -> Result<SharedGpu, Fault> {
        let mut instance = self.locked();
        let instance = match &mut *instance {
            Some(instance) => instance.clone(),
            none => {
                let made = crate::vulkan::Instance::new(self.validate);
                let made = made.map_err(|text| Fault::new(Blame::Lost, text))?;
                none.insert(Arc::new(made)).clone()
            }
        };
        let options = crate::vulkan::Options { budget, staged: false };
        Ok(Arc::new(crate::vulkan::VulkanGpu::open(&instance, address, options)?))
    }
}

#[cfg(not(feature = "vulkan"))]
impl Opener {
    fn open_vulkan(&self, _: crate::device::VulkanAddress, _: u64) -> Result<SharedGpu, Fault> {
        Err(Fault::new(Blame::Lost, "this program was built without Vulkan"))
    }
}

impl Opener {
    #[cfg(feature = "cuda")]
    fn open_cuda(
        &self,
        address: crate::device::CudaAddress,
        budget: u64,
    ) -> Result<SharedGpu, Fault> {
        let ordinal = address
            .ordinal
            .ok_or_else(|| Fault::new(Blame::Lost, "this process does not see the MIG slice"))?;
        Ok(Arc::new(crate::cuda::CudaGpu::open(ordinal, budget)?))
    }

    #[cfg(not(feature = "cuda"))]
    fn open_cuda(&self, _: crate::device::CudaAddress, _: u64) -> Result<SharedGpu, Fault> {
        Err(Fault::new(Blame::Lost, "this program was built without CUDA"))
    }
}
