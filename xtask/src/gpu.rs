//! What has to do with GPUs: Vulkan on a software driver, the PTX of our kernels, a real GPU.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::command::{Fault, cargo, root, run};
use crate::need::{self, Install};

/// Which GPU.
#[derive(Args)]
pub(crate) struct Options {
    /// Through which library
    #[arg(value_enum, default_value = "cuda")]
    api: Api,
}

#[derive(Clone, Copy, ValueEnum)]
enum Api {
    Cuda,
    Vulkan,
}

/// Whether PTX is made anew.
#[derive(Args)]
pub(crate) struct PtxOptions {
    /// Write down what NVRTC makes, rather than compare it
    #[arg(long)]
    bless: bool,
}

/// The conformance suite, on the real GPU of this machine, and what it takes there.
pub(crate) fn gpu(options: &Options) -> Result<(), Fault> {
    let name = match options.api {
        Api::Cuda => "cuda",
        Api::Vulkan => "vulkan",
    };
    let lineside = ["run", "--release", "--quiet", "-p", "lineside", "--"];
    cargo(&[&lineside[..], &["devices"]].concat())?;
    // The tests say what they skip: faults need the stand-in.
    std::env::var_os("LINESIDE_TEST_GPU")
        .map_or(Ok(()), |_| Err(Fault::Failed("LINESIDE_TEST_GPU is set already".into())))?;
    let tests = ["test", "--release", "-p", "lineside", "--test", "gpus", "--", "--nocapture"];
    cargo_with("LINESIDE_TEST_GPU", name, &tests)?;
    feed(name)
}

/// How fast images go through a GPU, beside a raw loop.
pub(crate) fn feeding(options: &Options) -> Result<(), Fault> {
    match options.api {
        Api::Cuda => feed("cuda"),
        Api::Vulkan => feed("vulkan"),
    }
}

fn feed(name: &str) -> Result<(), Fault> {
    Ok(cargo(&["run", "--release", "--quiet", "-p", "lineside-feeding", "--", name])?)
}

fn cargo_with(key: &str, value: &str, arguments: &[&str]) -> Result<(), Fault> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    eprintln!("$ {key}={value} cargo {}", arguments.join(" "));
    let status = Command::new(cargo).args(arguments).env(key, value).current_dir(root()).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Fault::Failed(format!("cargo ended with {status}"))),
        Err(error) => Err(Fault::Failed(error.to_string())),
    }
}

const LAYER: &str = "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json";
const DRIVERS: &str = "/usr/share/vulkan/icd.d";

/// Kernels and lanes on Mesa's software driver, with the validation layer looking on.
pub(crate) fn vulkan_layer(install: Install) -> Result<(), Fault> {
    let drivers = fs::read_dir(DRIVERS).into_iter().flatten().flatten();
    let software =
        drivers.map(|it| it.file_name()).any(|it| it.to_string_lossy().starts_with("lvp_icd"));
    if !software || !Path::new(LAYER).exists() {
        let names = ["libvulkan1", "mesa-vulkan-drivers", "vulkan-validationlayers"];
        need::packages("Vulkan", &names, install)?;
    }
    Ok(cargo(&["test", "--quiet", "-p", "lineside-devices", "--features", "cuda,vulkan"])?)
}

/// Each CUDA C file, and the PTX that comes along with it.
const KERNELS: [(&str, &str); 2] = [
    ("devices/src/kernels/pcb.cu", "devices/src/kernels/pcb.ptx"),
    ("examples/kernel/edges.cu", "examples/kernel/edges.ptx"),
];
/// The oldest NVRTC of CUDA 12, so that old drivers take what it makes.
const NVRTC: &str = "nvidia-cuda-nvrtc-cu12==12.0.140";
const PTXAS: &str = "nvidia-cuda-nvcc-cu12==12.9.86";
/// From Turing to Blackwell.
const ARCHITECTURES: [&str; 7] = ["75", "80", "86", "89", "90", "100", "120"];

/// Is the PTX what NVRTC makes of the source, and does ptxas take it for every GPU?
pub(crate) fn cuda_layer(install: Install) -> Result<(), Fault> {
    ptx_with(install, false)
}

/// The same by itself.
pub(crate) fn ptx(options: &PtxOptions) -> Result<(), Fault> {
    ptx_with(Install::Yes, options.bless)
}

fn ptx_with(install: Install, bless: bool) -> Result<(), Fault> {
    let venv = venv(install)?;
    let python = text(&venv.join("bin/python"));
    let made = root().join("target/ptx");
    fs::create_dir_all(&made).map_err(|error| Fault::Failed(error.to_string()))?;
    let ptxas = find(&venv, "ptxas")?;
    make_executable(&ptxas);
    for (source, ptx) in KERNELS {
        let name = Path::new(ptx).file_name().map(PathBuf::from).unwrap_or_default();
        let new = text(&made.join(name));
        run(&python, &["xtask/src/nvrtc.py", source, &new])?;
        let read = |path: &Path| fs::read(path).map_err(|error| Fault::Failed(error.to_string()));
        let (new_bytes, old) = (read(Path::new(&new))?, root().join(ptx));
        if bless {
            fs::write(&old, &new_bytes).map_err(|error| Fault::Failed(error.to_string()))?;
        } else if new_bytes != read(&old)? {
            let help = "`cargo xtask ptx --bless` writes it down";
            return Err(Fault::Failed(format!(
                "{ptx} is not what NVRTC makes of {source}: {help}"
            )));
        }
        for architecture in ARCHITECTURES {
            let (target, out) = (format!("-arch=sm_{architecture}"), text(&made.join("cubin")));
            run(&text(&ptxas), &[&target, &new, "-o", &out])?;
        }
    }
    Ok(())
}

/// A Python environment with NVRTC and ptxas, which need no GPU.
fn venv(install: Install) -> Result<PathBuf, Fault> {
    let is_there =
        |venv: &Path| find(venv, "ptxas").is_ok() && find(venv, "libnvrtc.so.12").is_ok();
    need::python("target/venv", &[NVRTC, PTXAS], is_there, install)
}

/// A file somewhere in a folder.
fn find(folder: &Path, name: &str) -> Result<PathBuf, Fault> {
    let mut open = vec![folder.to_owned()];
    // Links are not followed, so this ends.
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => open.push(entry.path()),
                Ok(_) if entry.file_name() == name => return Ok(entry.path()),
                Ok(_) | Err(_) => {}
            }
        }
    }
    Err(Fault::Failed(format!("there is no {name} in {}", folder.display())))
}

/// Wheels don't always say that a program is one.
fn make_executable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o755));
    }
    let _ = path;
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
