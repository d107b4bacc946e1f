//! Shapes: what makes entries alike for the units (semantics, section 4).

use crate::error::{AddError, Table};
use crate::id::NONE;
use crate::scheduler::Scheduler;
use crate::slot::{LaneSlot, ShapeSlot, UnitSlot};
use crate::spec::{Fallback, JobSpec, Kind, Needs, Place};

const CUDA: u8 = 1 << Place::Cuda as u8;
const VULKAN: u8 = 1 << Place::Vulkan as u8;
const CPU: u8 = 1 << Place::Cpu as u8;

impl ShapeSlot {
    fn new(spec: &JobSpec, weights: u64) -> Self {
        ShapeSlot {
            memory: spec.memory,
            weights,
            gpus: spec.gpus,
            model: spec.model.map_or(NONE, |model| model.0),
            stream: spec.stream.map_or(NONE, |stream| stream.0),
            profile: spec.profile.map_or(NONE, |profile| profile.0),
            places: places(spec.needs),
            fallback: spec.fallback == Fallback::Allow,
            ..ShapeSlot::EMPTY
        }
    }

    fn is_like(&self, other: &ShapeSlot) -> bool {
        self.memory == other.memory
            && self.gpus == other.gpus
            && self.model == other.model
            && self.stream == other.stream
            && self.profile == other.profile
            && self.places == other.places
            && self.fallback == other.fallback
    }

    /// Mixes what `is_like` compares; any spread will do, no order comes of it.
    fn hash(&self) -> u64 {
        let fields = [
            self.memory,
            u64::from(self.gpus) << 32 | u64::from(self.model),
            u64::from(self.stream) << 32 | u64::from(self.profile),
            u64::from(self.places) << 1 | u64::from(self.fallback),
        ];
        let mix = |hash: u64, field: u64| {
            let mixed = (hash ^ field).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 29
        };
        fields.into_iter().fold(0, mix)
    }

    /// While too few units are up that match what it needs, it matches CPU places instead.
    #[inline]
    pub(crate) fn falls_back(&self) -> bool {
        self.may_fall_back() && self.up < self.gpus
    }

    /// A job that asks for a profile, or would run on the CPU anyway, never falls back.
    #[inline]
    pub(crate) fn may_fall_back(&self) -> bool {
        self.fallback && self.places & CPU == 0 && self.profile == NONE
    }

    /// Units that are up and match.
    pub(crate) fn candidates(&self) -> u32 {
        if self.falls_back() { self.cpus } else { self.up }
    }

    /// Could this unit hold such a job alone, whatever its state?
    pub(crate) fn matches(&self, unit: &UnitSlot) -> bool {
        self.suits(unit, self.falls_back()) && self.fits_alone(unit)
    }

    #[inline]
    pub(crate) fn matches_needs(&self, unit: &UnitSlot) -> bool {
        self.suits(unit, false) && self.fits_alone(unit)
    }

    /// Is this unit of a place and a profile that will do? `instead`: the shape falls back.
    #[inline]
    pub(crate) fn suits(&self, unit: &UnitSlot, instead: bool) -> bool {
        if instead {
            return self.may_fall_back() && unit.place == Place::Cpu;
        }
        self.places & place_bit(unit.place) != 0
            && (self.profile == NONE || self.profile == unit.profile)
    }

    #[inline]
    pub(crate) fn matches_instead(&self, unit: &UnitSlot) -> bool {
        self.suits(unit, true) && self.fits_alone(unit)
    }

    #[inline]
    pub(crate) fn fits_alone(&self, unit: &UnitSlot) -> bool {
        self.memory.checked_add(self.weights).is_some_and(|need| need <= unit.budget)
    }
}

impl Scheduler<'_> {
    /// Could a set of the units there are, in whatever state, ever hold such a job?
    /// O(units). A job without images needs none.
    pub fn fits(&self, spec: &JobSpec) -> bool {
        let model = spec.model.map(|model| self.tables.models.get(model.0 as usize));
        let weights = model.flatten().map_or(0, |model| model.weights);
        let shape = ShapeSlot::new(spec, weights);
        let units = &self.tables.units[..self.used.units as usize];
        let enough = |count: usize| count as u64 >= u64::from(spec.gpus);
        spec.images == 0
            || enough(units.iter().filter(|unit| shape.matches_needs(unit)).count())
            || enough(units.iter().filter(|unit| shape.matches_instead(unit)).count())
    }

    /// The lane for jobs like this one; makes it, and its shape, if there is none yet.
    /// O(log shapes); O(units) for a new shape, O(shapes) where a full table has to be cleared.
    pub(crate) fn lane_for(&mut self, spec: &JobSpec) -> Result<u32, AddError> {
        let weights = spec.model.map_or(0, |model| self.tables.models[model.0 as usize].weights);
        let shape = ShapeSlot::new(spec, weights);
        let group = self.group(spec);
        if let Some(lane) = self.find_shape(&shape).and_then(|found| self.find_lane(found, group)) {
            return Ok(lane);
        }
        let full = |used: u32, len: usize| used as usize >= len;
        if full(self.used.lanes, self.tables.lanes.len())
            || full(self.used.shapes, self.tables.shapes.len())
        {
            self.forget_unused();
        }
        let slot = self.free_lane().ok_or(AddError::Full(Table::Lanes))?;
        let shape = match self.find_shape(&shape) {
            Some(found) => found,
            None => self.add_shape(shape).ok_or(AddError::Full(Table::Shapes))?,
        };
        let next = self.shape(shape).first_lane;
        self.tables.lanes[slot as usize] = LaneSlot { shape, group, next, ..LaneSlot::EMPTY };
        self.tables.shapes[shape as usize].first_lane = slot;
        self.used.lanes = self.used.lanes.max(slot + 1);
        Ok(slot)
    }

    /// What comes before rank and ticket in the order of the queue; 0 is for overdue entries.
    fn group(&self, spec: &JobSpec) -> u16 {
        let priority = (i16::from(i8::MAX) - i16::from(spec.priority)) as u16;
        let legacy = spec.kind == Kind::Legacy && self.order_by_kind();
        1 + priority * 2 + u16::from(legacy)
    }

    fn find_lane(&self, shape: u32, group: u16) -> Option<u32> {
        let mut lane = self.shape(shape).first_lane;
        while lane != NONE && self.tables.lanes[lane as usize].group != group {
            lane = self.tables.lanes[lane as usize].next;
        }
        (lane != NONE).then_some(lane)
    }

    fn find_shape(&self, shape: &ShapeSlot) -> Option<u32> {
        let mut at = self.root_shape;
        // Most often there is one shape.
        if at == NONE || self.shape(at).is_like(shape) {
            return (at != NONE).then_some(at);
        }
        let mut hash = shape.hash();
        while at != NONE && !self.shape(at).is_like(shape) {
            at = self.shape(at).children[(hash & 1) as usize];
            hash >>= 1;
        }
        (at != NONE).then_some(at)
    }

    fn add_shape(&mut self, mut shape: ShapeSlot) -> Option<u32> {
        let slot = self.free_shape()?;
        for unit in &self.tables.units[..self.used.units as usize] {
            if unit.state == crate::UnitState::Up {
                shape.up += u32::from(shape.matches_needs(unit));
                shape.cpus += u32::from(shape.matches_instead(unit));
            }
        }
        self.tables.shapes[slot as usize] = shape;
        self.used.shapes = self.used.shapes.max(slot + 1);
        self.link_shape(slot);
        Some(slot)
    }

    /// Hangs a shape into the trie, one bit of its hash a level.
    fn link_shape(&mut self, slot: u32) {
        let mut hash = self.shape(slot).hash();
        let mut link = &mut self.root_shape;
        while *link != NONE {
            link = &mut self.tables.shapes[*link as usize].children[(hash & 1) as usize];
            hash >>= 1;
        }
        *link = slot;
    }

    fn free_lane(&self) -> Option<u32> {
        let unused = self.used.lanes as usize;
        let lanes = &self.tables.lanes;
        if unused < lanes.len() {
            return Some(unused as u32);
        }
        lanes.iter().position(|lane| lane.shape == NONE).map(|at| at as u32)
    }

    fn free_shape(&self) -> Option<u32> {
        let unused = self.used.shapes as usize;
        let shapes = &self.tables.shapes;
        if unused < shapes.len() {
            return Some(unused as u32);
        }
        shapes.iter().position(|shape| shape.first_lane == NONE).map(|at| at as u32)
    }

    /// Forgets lanes without jobs, and shapes without lanes. Such a shape has no entries, so its
    /// count of overtakings would be 0 before it is next looked at.
    fn forget_unused(&mut self) {
        for slot in &mut self.tables.shapes[..self.used.shapes as usize] {
            slot.first_lane = NONE;
            slot.children = [NONE; 2];
        }
        for at in 0..self.used.lanes {
            let LaneSlot { jobs, shape, .. } = self.tables.lanes[at as usize];
            if jobs == 0 || shape == NONE {
                self.tables.lanes[at as usize] = LaneSlot::EMPTY;
            } else {
                let first = &mut self.tables.shapes[shape as usize].first_lane;
                self.tables.lanes[at as usize].next = *first;
                *first = at;
            }
        }
        self.root_shape = NONE;
        for slot in 0..self.used.shapes {
            if self.shape(slot).first_lane != NONE {
                self.link_shape(slot);
            }
        }
    }
}

fn places(needs: Needs) -> u8 {
    match needs {
        Needs::Gpu => CUDA | VULKAN,
        Needs::Cuda => CUDA,
        Needs::Vulkan => VULKAN,
        Needs::Cpu => CPU,
        Needs::Any => CUDA | VULKAN | CPU,
    }
}

#[inline]
fn place_bit(place: Place) -> u8 {
    1 << place as u8
}
