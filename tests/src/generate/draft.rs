//! A line file, table by table; `jobs.rs` writes the jobs.

use super::features::Features;
use super::random::Random;

/// A file that is being written.
pub(super) struct Draft<'a> {
    pub(super) features: Features,
    pub(super) random: &'a mut Random,
    pub(super) text: String,
    /// What names begin with.
    pub(super) prefix: &'static str,
    /// What a fault's `unit` can name.
    unit_names: Vec<String>,
    /// Profiles of slices.
    pub(super) profiles: Vec<&'static str>,
}

/// GPUs, and profiles of each that make legal lists often enough.
const GPUS: [(&str, &[&str]); 3] = [
    ("A30-24GB", &["1g.6gb", "2g.12gb", "1g.6gb+me"]),
    ("A100-40GB", &["1g.5gb", "1g.10gb", "2g.10gb", "3g.20gb", "1g.5gb+me"]),
    ("H100-80GB", &["1g.10gb", "2g.20gb", "3g.40gb", "1g.10gb+me"]),
];

impl<'a> Draft<'a> {
    pub(super) fn new(features: Features, random: &'a mut Random) -> Draft<'a> {
        let prefix = match random.chance(features.odd_names) {
            true => random.pick(&["\u{1}\u{7f}", "\"\\", "é\t", "\u{1f4f7}\n"]),
            false => "",
        };
        let (unit_names, profiles) = (Vec::new(), Vec::new());
        Draft { features, random, text: String::new(), prefix, unit_names, profiles }
    }

    /// The text of the whole file.
    pub(super) fn write(mut self) -> String {
        self.write_policy();
        self.write_devices();
        self.write_models();
        self.write_streams();
        let jobs = self.write_jobs();
        self.write_faults(jobs);
        self.text
    }

    fn write_policy(&mut self) {
        self.begin("[policy]");
        if self.random.chance(70) {
            let orders = ["standard-first", "fifo", "oldest-image", "critical-path"];
            let order = self.random.pick(&orders);
            self.put_text("order", order);
        }
        if self.random.chance(70) {
            let placement = self.random.pick(&["fit", "balance", "rotate", "pack"]);
            self.put_text("placement", placement);
        }
        if let Some(overtake) = self.features.overtake {
            self.put("overtake", overtake);
        }
        if let Some(patience) = self.features.patience_ms {
            let patience = self.duration(patience);
            self.put("patience", patience);
        }
        if self.random.chance(self.features.fallback / 2) {
            self.put_text("fallback", "allow");
        }
        if self.random.chance(30) {
            let pool = self.random.pick(&["keep", "free"]);
            self.put_text("pool", pool);
        }
        if self.random.chance(40) {
            let headroom = self.random.pick(&[0, 0, 7, 50]);
            self.put("headroom", headroom);
        }
    }

    fn write_devices(&mut self) {
        let Features { cuda, vulkan, cpu, sliced, .. } = self.features;
        let mut places: Vec<&str> = Vec::new();
        for (place, count) in [("cuda", cuda), ("vulkan", vulkan), ("cpu", cpu), ("mig", sliced)] {
            places.extend((0..count).map(|_| place));
        }
        // Slices make whole GPUs less of a need.
        if sliced > 0 && self.random.chance(50) {
            places.retain(|place| *place != "cuda");
        }
        self.random.shuffle(&mut places);
        for (index, place) in places.into_iter().enumerate() {
            let name = format!("{}d{index}", self.prefix);
            self.begin("[[device]]");
            self.put_text("name", &name);
            match place {
                "mig" => self.write_slices(&name),
                place => self.write_whole_device(&name, place),
            }
            if self.random.chance(70) {
                let slots = self.random.within(1, self.features.slots_max);
                self.put("slots", slots);
            }
        }
    }

    fn write_whole_device(&mut self, name: &str, place: &str) {
        if place != "cuda" || self.random.chance(30) {
            self.put_text("place", place);
        }
        if place == "cuda" && self.random.chance(5) {
            let (gpu, _) = self.random.pick(&GPUS);
            self.put_text("gpu", gpu);
        } else {
            let gibibytes =
                self.random.within(self.features.memory_max / 2, self.features.memory_max);
            let memory = self.memory(gibibytes * 4);
            self.put("memory", memory);
        }
        self.unit_names.push(name.to_string());
    }

    fn write_slices(&mut self, name: &str) {
        let (gpu, profiles) = self.random.pick(&GPUS);
        self.put_text("gpu", gpu);
        let count = self.random.within(1, 3);
        let mig: Vec<&str> = (0..count).map(|_| self.random.pick(profiles)).collect();
        self.put("mig", format!("{mig:?}"));
        self.profiles.extend(&mig);
        self.unit_names.push(name.to_string());
        self.unit_names.extend((0..count).map(|slice| format!("{name}/{slice}")));
    }

    fn write_models(&mut self) {
        for index in 0..self.features.models {
            self.begin("[[model]]");
            self.put_text("name", &format!("{}m{index}", self.prefix));
            if self.random.chance(85) {
                let most = self.features.memory_max * 2;
                let quarters = self.random.pick(&[0, most / 2, most * 2 / 3, most]);
                let weights = self.memory(quarters);
                self.put("weights", weights);
            }
            if self.random.chance(70) {
                self.put_time("cold");
            }
        }
    }

    fn write_streams(&mut self) {
        for index in 0..self.features.streams {
            self.begin("[[stream]]");
            self.put_text("name", &format!("{}s{index}", self.prefix));
            if self.random.chance(self.features.limited) {
                let limit = self.random.pick(&[1, 1, 2]);
                self.put("limit", limit);
            }
        }
    }

    fn write_faults(&mut self, jobs: u64) {
        let Features { images, time_max, .. } = self.features;
        let horizon = (3 + self.features.jobs * images * time_max / 2).min(60);
        let mut faults: Vec<(u64, &str, String)> = Vec::new();
        for _ in 0..self.features.unit_faults {
            let event = self.random.pick(&["down", "down", "up", "up", "drain"]);
            let unit = self.unit_name();
            faults.push((self.random.below(horizon), event, unit));
        }
        if self.features.bursts > 0 {
            let unit = self.unit_name();
            let mut at = self.random.below(horizon.min(10));
            for _ in 0..self.features.bursts {
                for event in ["down", "up"] {
                    faults.push((at, event, unit.clone()));
                    at += self.random.within(0, 3);
                }
            }
        }
        for _ in 0..self.features.cancels {
            let job = self.random.below(jobs);
            faults.push((self.random.below(horizon), "cancel", self.job_name(job)));
        }
        // A burst keeps its order where it has one instant.
        if self.features.bursts == 0 {
            self.random.shuffle(&mut faults);
        }
        for (at, event, target) in faults {
            self.begin("[[fault]]");
            let at = self.duration(at);
            self.put("at", at);
            self.put_text("event", event);
            let key = if event == "cancel" { "job" } else { "unit" };
            self.put_text(key, &target);
        }
    }

    fn unit_name(&mut self) -> String {
        let index = self.random.below(self.unit_names.len() as u64);
        self.unit_names[index as usize].clone()
    }

    pub(super) fn job_name(&self, job: u64) -> String {
        format!("{}j{job}", self.prefix)
    }

    /// Some time, down to none at all.
    pub(super) fn time(&mut self) -> String {
        let milliseconds = self.random.within(0, self.features.time_max);
        self.duration(milliseconds)
    }

    pub(super) fn put_time(&mut self, key: &str) {
        let time = self.time();
        self.put(key, time);
    }

    /// Milliseconds, as a duration is written: in one way or another.
    pub(super) fn duration(&mut self, milliseconds: u64) -> String {
        match self.random.below(12) {
            0 => format!("\"{}us\"", milliseconds * 1000),
            1 => format!("\"0s{milliseconds}ms\""),
            2 => format!("\"{milliseconds}ms500us\""),
            _ => format!("\"{milliseconds}ms\""),
        }
    }

    /// Quarters of a GiB, as memory is written: in one way or another.
    pub(super) fn memory(&mut self, quarters: u64) -> String {
        match self.random.below(8) {
            0 => format!("{}", quarters << 28),
            1 if quarters.is_multiple_of(4) => format!("\"{}GiB\"", quarters / 4),
            // Just beside what fills a unit to the last byte.
            2 if quarters > 0 => format!("{}", (quarters << 28) - 1),
            _ => format!("\"{}MiB\"", quarters << 8),
        }
    }

    pub(super) fn begin(&mut self, table: &str) {
        self.text.push_str(table);
        self.text.push('\n');
    }

    pub(super) fn put(&mut self, key: &str, value: impl std::fmt::Display) {
        self.text.push_str(&format!("{key} = {value}\n"));
    }

    pub(super) fn put_text(&mut self, key: &str, value: &str) {
        self.put(key, quoted(value));
    }
}

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            '\0'..='\u{1f}' | '\u{7f}' => {
                quoted.push_str(&format!("\\u{:04x}", character as u32));
            }
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
