//! The jobs of a draft.

use super::draft::{Draft, quoted};

/// What later jobs must know of a job to be joined to it.
struct Made {
    images: u64,
    is_image_grain: bool,
}

impl Draft<'_> {
    /// Writes the jobs; how many there are.
    pub(super) fn write_jobs(&mut self) -> u64 {
        let mut made: Vec<Made> = Vec::new();
        let mut tables: Vec<String> = Vec::new();
        let before = std::mem::take(&mut self.text);
        for index in 0..self.features.jobs {
            let job = self.write_job(index, &made);
            made.push(job);
            tables.push(std::mem::take(&mut self.text));
        }
        if self.random.chance(self.features.shuffled) {
            self.random.shuffle(&mut tables);
        }
        self.text = before + &tables.concat();
        self.features.jobs
    }

    fn write_job(&mut self, index: u64, earlier: &[Made]) -> Made {
        self.begin("[[job]]");
        self.put_text("name", &self.job_name(index));
        let legacy = self.random.chance(self.features.legacy);
        let train = self.random.chance(self.features.train);
        if legacy {
            self.put_text("kind", "legacy");
        }
        if train {
            self.put_text("phase", "train");
        }
        let is_image_grain = legacy && !train;
        let images = match () {
            () if self.random.chance(self.features.empty) => 0,
            () if self.random.chance(self.features.other_images) => self.random.within(0, 6),
            () => self.features.images,
        };
        let job = Made { images, is_image_grain };
        let inherits = self.write_edges(&job, earlier);
        if !(inherits && self.random.chance(30)) {
            self.put("images", images);
        }
        self.write_demands();
        self.write_parallelism(is_image_grain);
        self.write_times(images);
        self.write_mishaps(images);
        job
    }

    /// Writes `after`; whether the first stream edge would give the job its images.
    fn write_edges(&mut self, job: &Made, earlier: &[Made]) -> bool {
        let mut after: Vec<String> = Vec::new();
        let mut inherits = false;
        let mut candidates: Vec<usize> = (0..earlier.len()).collect();
        self.random.shuffle(&mut candidates);
        candidates.truncate(3);
        for upstream in candidates {
            // The first edge is as likely as the feature says, the others less.
            let edge = self.features.edge / (1 + after.len() as u64);
            if self.random.chance(edge) {
                let (entry, is_stream) = self.edge(upstream as u64, job, &earlier[upstream]);
                after.push(entry);
                inherits |= is_stream;
            }
        }
        if !after.is_empty() || self.random.chance(10) {
            self.put("after", format!("[{}]", after.join(", ")));
        }
        inherits
    }

    /// An entry of `after`, and whether it is a stream edge.
    fn edge(&mut self, index: u64, job: &Made, upstream: &Made) -> (String, bool) {
        let name = quoted(&self.job_name(index));
        let is_equal = job.images == upstream.images;
        let is_stream_by_default = job.is_image_grain && upstream.is_image_grain;
        if is_equal && self.random.chance(self.features.stream_edge) {
            let mode = match is_stream_by_default && self.random.chance(50) {
                true => "",
                false => ", mode = \"stream\"",
            };
            let depth = match self.random.chance(self.features.depth) {
                true => format!(", depth = {}", self.random.pick(&[0, 1, 1, 2, 3])),
                false => String::new(),
            };
            return (format!("{{ job = {name}{mode}{depth} }}"), true);
        }
        if self.random.chance(self.features.on_end) {
            let mode = match self.random.chance(50) {
                true => ", mode = \"barrier\"",
                false => "",
            };
            return (format!("{{ job = {name}{mode}, on = \"end\" }}"), false);
        }
        match is_stream_by_default {
            true if is_equal && self.random.chance(50) => (name, true),
            true => (format!("{{ job = {name}, mode = \"barrier\" }}"), false),
            false => (name, false),
        }
    }

    /// What units the job asks for, and what else it shares with others.
    fn write_demands(&mut self) {
        if self.random.chance(self.features.needs) {
            let needs = self.random.pick(&["gpu", "cuda", "vulkan", "cpu", "any"]);
            self.put_text("needs", needs);
        }
        if !self.profiles.is_empty() && self.random.chance(self.features.profile) {
            let profile = self.random.pick(&self.profiles);
            self.put_text("profile", profile);
        }
        // Few values, so that shapes are shared.
        let quarters = match self.random.chance(self.features.large) {
            true => self.features.memory_max * self.random.pick(&[2, 3]),
            false => self.random.within(0, self.features.job_memory_max).next_multiple_of(4),
        };
        if quarters > 0 {
            let memory = self.memory(quarters);
            self.put("memory", memory);
        }
        if self.features.models > 0 && self.random.chance(self.features.uses_model) {
            let model = self.random.below(self.features.models);
            self.put_text("model", &format!("{}m{model}", self.prefix));
        }
        if self.features.streams > 0 && self.random.chance(self.features.uses_stream) {
            let stream = self.random.below(self.features.streams);
            self.put_text("stream", &format!("{}s{stream}", self.prefix));
        }
        if self.random.chance(self.features.gang) {
            let gpus = self.random.pick(&[2, 2, 3]);
            self.put("gpus", gpus);
        }
        if self.random.chance(self.features.fallback) {
            let fallback = self.random.pick(&["allow", "allow", "forbid"]);
            self.put_text("fallback", fallback);
        }
        if self.random.chance(self.features.priority) {
            let priority = self.random.pick(&["-128", "-1", "0", "1", "1", "127"]);
            self.put("priority", priority);
        }
    }

    fn write_parallelism(&mut self, is_image_grain: bool) {
        let mut batch = 1;
        if self.random.chance(self.features.batched) {
            batch = self.random.pick(&[2, 2, 3, 4, 16]);
            self.put("batch", batch);
        }
        if self.random.chance(self.features.parallel) {
            // Section 1: a start within the window, at most.
            let most = if is_image_grain { 64 / batch } else { 8 };
            let inflight = self.random.pick(&[2, 2, 3, 4, 8]);
            self.put("inflight", inflight.min(most));
        }
        if self.random.chance(self.features.threaded) {
            let threads = self.random.within(2, 4);
            self.put("threads", threads);
        }
    }

    fn write_times(&mut self, images: u64) {
        if images > 64 {
            // One image takes so long that the others run into the end of the window.
            let mut list = vec!["\"1ms\"".to_string(); images as usize];
            let slow = self.random.below(10) as usize;
            list[slow] = "\"120ms\"".to_string();
            self.put("time", format!("[{}]", list.join(", ")));
        } else if self.random.chance(self.features.time_list) {
            let list: Vec<String> = (0..self.random.within(1, 4)).map(|_| self.time()).collect();
            self.put("time", format!("[{}]", list.join(", ")));
        } else if self.random.chance(90) {
            self.put_time("time");
        }
        if self.random.chance(self.features.cpu_time) {
            self.put_time("cpu_time");
        }
        if self.random.chance(self.features.startup) {
            self.put_time("startup");
        }
        if self.random.chance(self.features.arrive) {
            let at = self.random.within(0, self.features.arrive_max);
            let at = self.duration(at);
            self.put("arrive", at);
        }
        if self.random.chance(self.features.every) {
            let every = self.random.within(1, 1 + self.features.time_max);
            let every = self.duration(every);
            self.put("every", every);
        }
    }

    /// What goes wrong in the job, and how often it may.
    fn write_mishaps(&mut self, images: u64) {
        if self.random.chance(self.features.retries) {
            let retries = self.random.within(1, 3);
            self.put("retries", retries);
        }
        if images > 0 && self.random.chance(self.features.inject) {
            let entries: Vec<String> = (0..self.random.within(1, 2))
                .map(|_| match (self.random.below(images), self.random.below(4)) {
                    (image, 0) => format!("{{ image = {image} }}"),
                    (image, times) => format!("{{ image = {image}, times = {times} }}"),
                })
                .collect();
            self.put("inject", format!("[{}]", entries.join(", ")));
        }
        if self.random.chance(self.features.timeout) {
            let timeout = self.random.within(1, 1 + 2 * self.features.time_max);
            let timeout = self.duration(timeout);
            self.put("timeout", timeout);
        }
    }
}
