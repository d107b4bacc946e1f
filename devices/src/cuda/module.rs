//! From CUDA C or PTX to a function.

use std::ffi::{CString, c_int, c_void};

use cudarc::nvrtc::{self, CompileError, CompileOptions};

use super::dispatch::{Shared, checked};
use super::driver::{Calls, Handle};
use crate::fault::{Blame, Fault};
use crate::gpu::{Code, Module};

/// A compiled kernel.
pub(super) struct Function {
    module: Handle,
    pub(super) function: Handle,
    pub(super) buffers: u32,
    pub(super) arguments: u32,
    pub(super) workgroup: [u32; 3],
}

// SAFETY: handles of the driver may be used from any thread that has the context.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// Options of the driver's compiler, as it numbers them.
const ERROR_LOG: c_int = 5;
const ERROR_LOG_BYTES: c_int = 6;
const LOG_BYTES: usize = 8192;

impl Function {
    /// The context must be entered.
    pub(super) fn new(shared: &Shared, module: &Module) -> Result<Self, Fault> {
        let job = |text: String| Fault::new(Blame::Job, text);
        let ptx = match &module.code {
            Code::Ptx(ptx) => ptx.clone(),
            Code::CudaC(source) => compile(&module.file, source, shared.capability).map_err(job)?,
            Code::Wgsl(_) | Code::Spirv(_) => {
                let text = format!("{} is for Vulkan; CUDA takes .cu or .ptx", module.file);
                return Err(job(text));
            }
        };
        let threads: u64 = module.workgroup.iter().map(|&threads| u64::from(threads)).product();
        if !(1..=1024).contains(&threads) {
            let text = format!("{}: a workgroup of {threads} threads; 1 to 1024 are", module.file);
            return Err(job(text + " taken"));
        }
        let handle = load(shared, module, &ptx)?;
        let name = CString::new(module.entry.as_str()).unwrap_or_default();
        let mut function = std::ptr::null_mut();
        let calls = &shared.driver.calls;
        // SAFETY: the pointers are valid, and the module is loaded.
        let code = unsafe { (calls.function)(&mut function, handle, name.as_ptr()) };
        checked(code).map_err(|code| {
            // SAFETY: nothing uses it.
            unsafe { (calls.module_unload)(handle) };
            let hint = "a kernel has to be `extern \"C\" __global__`";
            shared.fault(code, &format!("{}: no `{}` ({hint})", module.file, module.entry))
        })?;
        let Module { buffers, arguments, workgroup, .. } = *module;
        Ok(Function { module: handle, function, buffers, arguments, workgroup })
    }

    /// SAFETY: the context is current, and nothing of the module runs.
    pub(super) unsafe fn unload(&self, calls: &Calls) {
        // SAFETY: as the caller promises.
        unsafe { (calls.module_unload)(self.module) };
    }
}

fn load(shared: &Shared, module: &Module, ptx: &str) -> Result<Handle, Fault> {
    let text = CString::new(ptx)
        .map_err(|_| Fault::new(Blame::Job, format!("{}: PTX with a zero in it", module.file)))?;
    let mut log = vec![0_u8; LOG_BYTES];
    let mut options = [ERROR_LOG, ERROR_LOG_BYTES];
    let mut values = [log.as_mut_ptr().cast::<c_void>(), LOG_BYTES as *mut c_void];
    let mut handle = std::ptr::null_mut();
    // SAFETY: the text ends with a zero, and the log is as long as is said.
    let code = unsafe {
        (shared.driver.calls.module_load)(
            &mut handle,
            text.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    checked(code).map_err(|code| {
        let log: Vec<u8> = log.into_iter().take_while(|&byte| byte != 0).collect();
        let log = String::from_utf8_lossy(&log).trim().to_owned();
        let mut fault = shared.fault(code, &module.file);
        if !log.is_empty() {
            // `ptxas application ptx input, line 12; error   : ...`
            fault.text += &format!(": {log}");
        }
        fault
    })?;
    Ok(handle)
}

/// PTX of CUDA C.
fn compile(file: &str, source: &str, capability: u32) -> Result<String, String> {
    // SAFETY: opening NVRTC's library runs its own set-up, and nothing else.
    if !unsafe { nvrtc::sys::is_culib_present() } {
        return Err(format!(
            "{file}: NVRTC is not installed, so CUDA C can't be compiled here; compile it to PTX \
             elsewhere, and name the .ptx"
        ));
    }
    let options = CompileOptions {
        name: Some(file.to_owned()),
        options: vec![format!("--gpu-architecture=compute_{capability}")],
        ..CompileOptions::default()
    };
    match nvrtc::compile_ptx_with_opts(source, options) {
        Ok(ptx) => Ok(ptx.to_src()),
        // `my.cu(12): error: ...`: file and line are in it.
        Err(CompileError::CompileError { log, .. }) => {
            Err(log.to_string_lossy().trim().trim_end_matches('\0').trim().to_owned())
        }
        Err(error) => Err(format!("{file}: {error}")),
    }
}
