//! The keys of each table and the words that they take.

use crate::line::{Fallback, Kind, Mode, Needs, On, Order, Phase, Place, Placement, Pool};

/// What a kind of table is called, and its keys.
pub(crate) struct Vocabulary {
    /// For people: `a job`.
    pub(crate) people: &'static str,
    /// As it is written: `[[job]]`.
    pub(crate) written: &'static str,
    pub(crate) keys: &'static [&'static str],
    /// Other keys are the tool's own.
    pub(crate) open: bool,
}

/// Keys that people bring from other tools, and ours.
pub(crate) const SYNONYMS: [(&str, &str); 27] = [
    ("args", "run"),
    ("cmd", "run"),
    ("command", "run"),
    ("count", "images"),
    ("cpu", "needs"),
    ("cwd", "dir"),
    ("dependencies", "after"),
    ("depends", "after"),
    ("depends_on", "after"),
    ("deps", "after"),
    ("duration", "time"),
    ("environment", "env"),
    ("exec", "run"),
    ("frames", "images"),
    ("gpu_count", "gpus"),
    ("gpu_memory", "memory"),
    ("id", "name"),
    ("interval", "every"),
    ("num_gpus", "gpus"),
    ("period", "every"),
    ("requires", "after"),
    ("retry", "retries"),
    ("upstream", "after"),
    ("vram", "memory"),
    ("wait_for", "after"),
    ("weight", "weights"),
    ("workdir", "dir"),
];

pub(crate) static ROOT: Vocabulary = Vocabulary {
    people: "a line file",
    written: "the top level",
    keys: &["line", "policy", "device", "model", "stream", "face", "hardware", "job", "fault"],
    open: false,
};

pub(crate) static LINE: Vocabulary = Vocabulary {
    people: "the line",
    written: "[line]",
    keys: &["name", "description", "files"],
    open: false,
};

pub(crate) static POLICY: Vocabulary = Vocabulary {
    people: "the policy",
    written: "[policy]",
    keys: &["order", "placement", "overtake", "patience", "fallback", "pool", "headroom"],
    open: false,
};

pub(crate) static DEVICE: Vocabulary = Vocabulary {
    people: "a device",
    written: "[[device]]",
    keys: &["name", "place", "memory", "slots", "gpu", "mig", "uuid", "pci", "card"],
    open: false,
};

pub(crate) static MODEL: Vocabulary = Vocabulary {
    people: "a model",
    written: "[[model]]",
    keys: &["name", "weights", "cold", "file"],
    open: false,
};

pub(crate) static STREAM: Vocabulary =
    Vocabulary { people: "a stream", written: "[[stream]]", keys: &["name", "limit"], open: false };

pub(crate) static HARDWARE: Vocabulary =
    Vocabulary { people: "hardware", written: "[[hardware]]", keys: &["box", "jobs"], open: false };

pub(crate) static HARDWARE_JOB: Vocabulary = Vocabulary {
    people: "an entry of `jobs`",
    written: "an entry of `jobs`",
    keys: &["job", "batch", "inflight", "threads", "depth", "memory"],
    open: false,
};

pub(crate) static FACE: Vocabulary =
    Vocabulary { people: "a face", written: "[[face]]", keys: &["name", "match"], open: true };

pub(crate) static JOB: Vocabulary = Vocabulary {
    people: "a job",
    written: "[[job]]",
    keys: &[
        "name", "kind", "phase", "images", "batch", "inflight", "threads", "priority", "memory",
        "gpus", "needs", "profile", "model", "stream", "after", "time", "startup", "cpu_time",
        "arrive", "every", "timeout", "retries", "fallback", "inject", "run", "worker", "kernel",
        "shell", "dir", "env", "grace", "ready", "face",
    ],
    open: false,
};

pub(crate) static EDGE: Vocabulary = Vocabulary {
    people: "an entry of `after`",
    written: "an entry of `after`",
    keys: &["job", "mode", "depth", "on"],
    open: false,
};

pub(crate) static INJECT: Vocabulary = Vocabulary {
    people: "an entry of `inject`",
    written: "an entry of `inject`",
    keys: &["image", "times"],
    open: false,
};

pub(crate) static KERNEL: Vocabulary =
    Vocabulary { people: "a kernel", written: "a kernel", keys: &["tool", "module"], open: true };

pub(crate) static FAULT: Vocabulary = Vocabulary {
    people: "a fault",
    written: "[[fault]]",
    keys: &["at", "unit", "job", "event"],
    open: false,
};

/// Every closed vocabulary, to say where a misplaced key belongs.
pub(crate) static CLOSED: [&Vocabulary; 10] =
    [&JOB, &DEVICE, &POLICY, &MODEL, &STREAM, &FAULT, &EDGE, &INJECT, &LINE, &ROOT];

pub(crate) const ORDERS: &[(&str, Order)] = &[
    ("standard-first", Order::StandardFirst),
    ("fifo", Order::Fifo),
    ("oldest-image", Order::OldestImage),
    ("critical-path", Order::CriticalPath),
];

pub(crate) const PLACEMENTS: &[(&str, Placement)] = &[
    ("fit", Placement::Fit),
    ("balance", Placement::Balance),
    ("rotate", Placement::Rotate),
    ("pack", Placement::Pack),
];

pub(crate) const FALLBACKS: &[(&str, Fallback)] =
    &[("forbid", Fallback::Forbid), ("allow", Fallback::Allow)];

pub(crate) const POOLS: &[(&str, Pool)] = &[("keep", Pool::Keep), ("free", Pool::Free)];

pub(crate) const PLACES: &[(&str, Place)] =
    &[("cuda", Place::Cuda), ("vulkan", Place::Vulkan), ("cpu", Place::Cpu)];

pub(crate) const KINDS: &[(&str, Kind)] = &[("standard", Kind::Standard), ("legacy", Kind::Legacy)];

pub(crate) const PHASES: &[(&str, Phase)] = &[("train", Phase::Train), ("process", Phase::Process)];

pub(crate) const NEEDS: &[(&str, Needs)] = &[
    ("gpu", Needs::Gpu),
    ("cuda", Needs::Cuda),
    ("vulkan", Needs::Vulkan),
    ("cpu", Needs::Cpu),
    ("any", Needs::Any),
];

pub(crate) const MODES: &[(&str, Mode)] = &[("barrier", Mode::Barrier), ("stream", Mode::Stream)];

pub(crate) const ONS: &[(&str, On)] = &[("success", On::Success), ("end", On::End)];

/// The word for a value.
pub(crate) fn word<T: Copy + PartialEq>(words: &[(&'static str, T)], value: T) -> &'static str {
    words.iter().find(|(_, other)| *other == value).map_or("", |(word, _)| word)
}
