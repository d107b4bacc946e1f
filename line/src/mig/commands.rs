//! The commands of `nvidia-smi` that make a layout, and those that undo it.

use super::{Gpu, Layout};

/// Commands, each a program and its arguments, in the order in which they work.
///
/// ```
/// use lineside_line::mig::{self, Kinds};
///
/// let gpu = mig::gpu("A100-40GB").unwrap();
/// let layout = &gpu.maximal(Kinds::Standard)[5];
/// let commands = mig::commands(gpu, layout, "0");
/// assert_eq!(commands.make[1].join(" "), "nvidia-smi mig -i 0 -cgi 9:0,14:4,19:6 -C");
/// assert_eq!(commands.undo[0].join(" "), "nvidia-smi mig -i 0 -dci");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commands {
    /// They make the layout on a GPU without slices.
    pub make: Vec<Vec<String>>,
    /// They take it away again.
    pub undo: Vec<Vec<String>>,
    /// What has to be known before, in words.
    pub notes: Vec<&'static str>,
}

/// The commands for the GPU that `nvidia-smi -i` knows by `id`: its number, UUID or PCI address.
///
/// Large slices are made first, and each at its start: made in another order, or left to the
/// driver, small ones may lie where a large one has to begin. `-C` makes the compute instance of
/// each slice, without which nothing can use it.
pub fn commands(gpu: &Gpu, layout: &Layout<'_>, id: &str) -> Commands {
    let tuples: Vec<String> = layout
        .large_first()
        .iter()
        .map(|(profile, start)| format!("{}:{start}", profile.id))
        .collect();
    let command = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let mut notes = vec!["nothing may run on the GPU while slices are made or taken away"];
    if gpu.architecture == "Ampere" {
        notes.push(
            "on Ampere the first command takes effect with a reset of the GPU: if it says \
             \"pending\", run `nvidia-smi -i ID --gpu-reset`, or restart",
        );
    }
    Commands {
        make: vec![
            command(&["nvidia-smi", "-i", id, "-mig", "1"]),
            command(&["nvidia-smi", "mig", "-i", id, "-cgi", &tuples.join(","), "-C"]),
        ],
        undo: vec![
            command(&["nvidia-smi", "mig", "-i", id, "-dci"]),
            command(&["nvidia-smi", "mig", "-i", id, "-dgi"]),
            command(&["nvidia-smi", "-i", id, "-mig", "0"]),
        ],
        notes,
    }
}
