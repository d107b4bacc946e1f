//! What a seed makes much of, and what it leaves out.

use super::random::Random;

/// The features of one draft. What ends in no noun is a percentage: how often a job, an edge, a
/// unit has it.
#[derive(Debug, Clone)]
pub(super) struct Features {
    pub(super) jobs: u64,
    /// N of most jobs, so that stream edges can join them.
    pub(super) images: u64,
    pub(super) cuda: u64,
    pub(super) vulkan: u64,
    pub(super) cpu: u64,
    /// Devices that are cut into slices.
    pub(super) sliced: u64,
    pub(super) slots_max: u64,
    pub(super) models: u64,
    pub(super) streams: u64,
    pub(super) overtake: Option<u64>,
    pub(super) patience_ms: Option<u64>,
    /// Of units, in GiB.
    pub(super) memory_max: u64,
    /// Of jobs, in quarters of a GiB.
    pub(super) job_memory_max: u64,
    /// Times are 0 to this many milliseconds.
    pub(super) time_max: u64,
    /// Jobs arrive up to this many milliseconds late.
    pub(super) arrive_max: u64,
    pub(super) unit_faults: u64,
    /// How often in a row one unit is lost and comes back.
    pub(super) bursts: u64,
    pub(super) cancels: u64,

    pub(super) legacy: u64,
    pub(super) train: u64,
    pub(super) other_images: u64,
    pub(super) empty: u64,
    pub(super) uses_model: u64,
    pub(super) uses_stream: u64,
    pub(super) limited: u64,
    /// Jobs that leave little room on a unit.
    pub(super) large: u64,
    pub(super) gang: u64,
    pub(super) batched: u64,
    pub(super) parallel: u64,
    pub(super) threaded: u64,
    pub(super) edge: u64,
    pub(super) stream_edge: u64,
    pub(super) depth: u64,
    pub(super) on_end: u64,
    pub(super) retries: u64,
    pub(super) inject: u64,
    pub(super) timeout: u64,
    pub(super) fallback: u64,
    pub(super) cpu_time: u64,
    pub(super) time_list: u64,
    pub(super) startup: u64,
    pub(super) arrive: u64,
    pub(super) every: u64,
    pub(super) priority: u64,
    pub(super) needs: u64,
    pub(super) profile: u64,
    /// Of the file as a whole: jobs stand in another order than that of their index.
    pub(super) shuffled: u64,
    /// Of the file as a whole: names that the trace has to escape.
    pub(super) odd_names: u64,
}

/// What a draft is about. Each sets its own features; all others are left to chance.
#[derive(Debug, Clone, Copy)]
enum Theme {
    Anything,
    Circles,
    Overtaking,
    Shapes,
    Losses,
    Residency,
    Window,
    Fallback,
    Slices,
    Ends,
    Feeds,
}

const THEMES: [Theme; 18] = [
    Theme::Anything,
    Theme::Anything,
    Theme::Circles,
    Theme::Circles,
    Theme::Circles,
    Theme::Overtaking,
    Theme::Overtaking,
    Theme::Overtaking,
    Theme::Shapes,
    Theme::Shapes,
    Theme::Losses,
    Theme::Residency,
    Theme::Window,
    Theme::Fallback,
    Theme::Slices,
    Theme::Ends,
    Theme::Feeds,
    Theme::Feeds,
];

impl Features {
    pub(super) fn draw(random: &mut Random) -> Features {
        let mut features = Features::swarm(random);
        match random.pick(&THEMES) {
            Theme::Anything => {}
            Theme::Circles => features.make_circles(random),
            Theme::Overtaking => features.make_overtaking(random),
            Theme::Shapes => features.make_shapes(random),
            Theme::Losses => features.make_losses(random),
            Theme::Residency => features.make_residency(random),
            Theme::Window => features.make_window(random),
            Theme::Fallback => features.make_fallback(random),
            Theme::Slices => {
                features.sliced = random.within(1, 2);
                features.profile = 40;
                features.memory_max = 30;
            }
            Theme::Ends => features.make_ends(random),
            Theme::Feeds => features.make_feeds(random),
        }
        features
    }

    /// Every feature off, or on at some strength.
    fn swarm(random: &mut Random) -> Features {
        let mut some = |strengths: &[u64]| match random.chance(50) {
            true => random.pick(strengths),
            false => 0,
        };
        let percentages = [10, 30, 60];
        let mut percent = || some(&percentages);
        Features {
            legacy: percent(),
            train: percent(),
            other_images: percent() / 2,
            empty: percent() / 3,
            uses_model: percent(),
            uses_stream: percent(),
            limited: 70,
            large: percent() / 2,
            gang: percent() / 2,
            batched: percent(),
            parallel: percent(),
            threaded: percent(),
            edge: percent(),
            stream_edge: percent(),
            depth: percent(),
            on_end: percent() / 2,
            retries: percent(),
            inject: percent() / 2,
            timeout: percent() / 2,
            fallback: percent(),
            cpu_time: percent(),
            time_list: percent(),
            startup: percent() / 2,
            arrive: percent(),
            every: percent() / 2,
            priority: percent(),
            needs: percent(),
            profile: 15,
            shuffled: percent() / 2,
            odd_names: percent() / 6,
            jobs: random.within(2, 8),
            images: random.within(1, 6),
            cuda: random.within(1, 3),
            vulkan: random.pick(&[0, 0, 0, 1, 2]),
            cpu: random.pick(&[0, 0, 1, 1, 2]),
            sliced: random.pick(&[0, 0, 0, 0, 0, 1]),
            slots_max: random.pick(&[1, 1, 1, 2, 3]),
            models: random.pick(&[0, 1, 2, 4]),
            streams: random.pick(&[0, 1, 1, 2]),
            overtake: random.pick(&[None, Some(0), Some(1), Some(2), Some(16)]),
            patience_ms: random.pick(&[None, None, Some(3), Some(8), Some(20)]),
            memory_max: random.pick(&[4, 8, 12]),
            job_memory_max: random.pick(&[0, 4, 12, 24]),
            time_max: random.pick(&[1, 2, 4, 9]),
            arrive_max: random.pick(&[3, 6, 12, 27]),
            unit_faults: random.pick(&[0, 0, 1, 3]),
            bursts: random.pick(&[0, 0, 0, 0, 3]),
            cancels: random.pick(&[0, 0, 0, 1, 2]),
        }
    }

    /// Few places, and jobs that hold them while they wait for images.
    fn make_circles(&mut self, random: &mut Random) {
        self.cuda = random.pick(&[1, 1, 2]);
        self.vulkan = random.pick(&[0, 0, 1]);
        self.sliced = 0;
        self.slots_max = random.pick(&[1, 2, 2]);
        self.jobs = random.within(3, 7);
        self.images = random.within(2, 5);
        (self.other_images, self.empty) = (0, random.pick(&[0, 0, 20]));
        self.legacy = random.pick(&[10, 50]);
        self.edge = random.pick(&[60, 90]);
        self.stream_edge = 90;
        self.depth = random.pick(&[0, 50, 90]);
        self.streams = random.within(0, 1);
        self.uses_stream = random.pick(&[30, 60, 90]);
        self.limited = 100;
        self.needs = random.pick(&[0, 0, 30, 70]);
        self.gang = random.pick(&[0, 0, 0, 20]);
        self.job_memory_max = random.pick(&[0, 12, 24]);
        self.large = random.pick(&[0, 20, 40]);
        self.overtake = random.pick(&[Some(0), Some(0), Some(1), Some(2), None]);
        (self.unit_faults, self.bursts) = (random.pick(&[0, 0, 2, 4]), 0);
        self.cancels = random.pick(&[0, 0, 1]);
        if random.chance(30) {
            // Jobs that can use both kinds of places, beside jobs that can use only one.
            (self.cuda, self.vulkan, self.fallback) = (random.within(1, 2), 1, 0);
            (self.needs, self.gang) = (70, random.pick(&[0, 30]));
            self.overtake = Some(0);
        }
    }

    /// Large entries that small ones pass, of shapes that differ in little.
    fn make_overtaking(&mut self, random: &mut Random) {
        self.overtake = Some(random.pick(&[0, 1, 1, 2, 3]));
        self.patience_ms = random.pick(&[None, None, Some(3), Some(8)]);
        self.priority = random.pick(&[0, 40]);
        (self.cuda, self.vulkan) = (random.within(1, 3), 0);
        self.sliced = random.pick(&[0, 0, 0, 1]);
        self.profile = 60;
        self.jobs = random.within(5, 9);
        self.images = random.within(3, 10);
        self.legacy = 70;
        self.train = 10;
        self.edge = random.pick(&[0, 0, 20]);
        self.large = random.pick(&[20, 40]);
        self.gang = random.pick(&[0, 30, 50]);
        self.job_memory_max = random.pick(&[0, 4]);
        self.slots_max = random.pick(&[2, 3]);
        self.time_max = random.pick(&[2, 4]);
        self.arrive = 70;
        self.needs = random.pick(&[0, 20]);
        self.fallback = random.pick(&[0, 30]);
        (self.models, self.uses_model) = (2, random.pick(&[0, 30]));
        (self.streams, self.uses_stream) = (2, random.pick(&[0, 0, 30, 60]));
        (self.unit_faults, self.bursts) = (random.pick(&[0, 0, 2]), 0);
        self.cancels = random.pick(&[0, 2, 4]);
    }

    /// Several large entries at once, alike but for one thing or not at all; they come and go,
    /// and come before each other, while many small ones pass.
    fn make_shapes(&mut self, random: &mut Random) {
        self.make_overtaking(random);
        self.overtake = Some(random.within(1, 3));
        (self.cuda, self.vulkan, self.cpu) = random.pick(&[(1, 0, 0), (2, 0, 0), (1, 1, 0)]);
        (self.memory_max, self.slots_max) = (8, 3);
        self.jobs = random.within(6, 9);
        self.images = random.within(8, 12);
        (self.other_images, self.empty) = (0, 0);
        self.legacy = random.pick(&[60, 90]);
        self.parallel = random.pick(&[0, 60]);
        self.threaded = random.pick(&[0, 60]);
        self.large = 50;
        self.arrive_max = 30;
        self.edge = 0;
        self.arrive = 90;
        self.priority = random.pick(&[30, 70]);
        self.time_max = 4;
        // At most some of what a shape is made of.
        self.needs = random.pick(&[0, 0, 50]);
        self.gang = random.pick(&[0, 0, 40]);
        self.fallback = random.pick(&[0, 0, 50]);
        self.uses_model = random.pick(&[0, 0, 50]);
        self.uses_stream = random.pick(&[0, 0, 50]);
        (self.unit_faults, self.bursts) = (0, 0);
    }

    /// Units that are lost under their leases, again and again.
    fn make_losses(&mut self, random: &mut Random) {
        self.unit_faults = random.within(0, 6);
        self.bursts = random.within(2, 6);
        (self.cuda, self.vulkan, self.cpu) = (random.within(1, 2), 0, 0);
        self.slots_max = random.pick(&[1, 2, 6]);
        self.job_memory_max = random.pick(&[0, 4]);
        self.images = random.within(2, 8);
        self.legacy = random.pick(&[30, 90]);
        self.parallel = random.pick(&[0, 60, 100]);
        self.threaded = random.pick(&[0, 60, 100]);
        self.time_max = random.pick(&[4, 9, 20]);
    }

    /// More models than a unit holds.
    fn make_residency(&mut self, random: &mut Random) {
        self.models = random.within(3, 5);
        self.uses_model = random.pick(&[70, 95]);
        self.jobs = random.within(4, 8);
        self.images = random.within(2, 6);
        self.legacy = 80;
        self.train = 0;
        self.cuda = random.within(1, 2);
        self.memory_max = random.pick(&[6, 8, 12]);
        self.job_memory_max = random.pick(&[0, 4, 8]);
        self.slots_max = random.pick(&[1, 2, 3]);
        self.gang = random.pick(&[0, 20, 40]);
        self.bursts = 0;
    }

    /// More images than the window of 64.
    fn make_window(&mut self, random: &mut Random) {
        self.jobs = random.within(1, 2);
        self.images = random.within(65, 100);
        (self.other_images, self.empty) = (0, 0);
        self.legacy = 100;
        self.train = 0;
        self.gang = 0;
        self.every = 0;
        self.slots_max = random.within(2, 4);
        self.batched = random.pick(&[0, 100]);
        self.parallel = 100;
        self.threaded = 100;
        (self.unit_faults, self.bursts) = (0, 0);
    }

    /// GPUs that go away beside CPU places.
    fn make_fallback(&mut self, random: &mut Random) {
        self.cuda = random.within(1, 2);
        self.cpu = random.within(1, 2);
        self.fallback = random.pick(&[60, 90]);
        self.cpu_time = 50;
        self.images = random.within(2, 8);
        self.needs = random.pick(&[0, 30]);
        self.unit_faults = random.within(3, 8);
        self.gang = random.pick(&[0, 30]);
    }

    /// Jobs that end in every way, beside jobs that wait for their end.
    fn make_ends(&mut self, random: &mut Random) {
        self.images = random.within(2, 6);
        self.edge = 80;
        self.stream_edge = random.pick(&[0, 60, 90]);
        self.on_end = random.pick(&[0, 30]);
        self.inject = 40;
        self.retries = random.pick(&[0, 60]);
        self.timeout = 40;
        self.parallel = random.pick(&[0, 60]);
        self.cuda = random.within(2, 3);
        self.cancels = random.within(0, 3);
        self.empty = random.pick(&[0, 20]);
    }

    /// Images that come one by one, in batches that fail, under several leases.
    fn make_feeds(&mut self, random: &mut Random) {
        self.legacy = 90;
        self.train = 0;
        self.images = random.within(4, 9);
        self.every = random.pick(&[30, 80]);
        self.batched = 80;
        self.parallel = 90;
        self.threaded = 80;
        self.slots_max = random.within(2, 4);
        self.job_memory_max = random.pick(&[0, 4]);
        self.edge = random.pick(&[0, 60]);
        self.stream_edge = 90;
        self.depth = random.pick(&[0, 90]);
        self.inject = 50;
        self.retries = 90;
        self.timeout = random.pick(&[0, 40]);
        self.time_list = 80;
    }
}
