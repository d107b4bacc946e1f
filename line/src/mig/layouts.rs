//! Layouts: which of them are maximal, and how slices are best put.

use std::fmt;

use super::{Gpu, Profile, Wanted, range};

/// A legal layout: slices, each with its start; ascending by start.
///
/// ```
/// use lineside_line::mig::{self, Kinds};
///
/// let gpu = mig::gpu("H100-80GB").unwrap();
/// let layouts = gpu.maximal(Kinds::Standard);
/// assert_eq!(layouts.len(), 19);
/// assert_eq!(layouts[1].to_string(), "4g.40gb@0 3g.40gb@4");
/// assert_eq!(layouts[1].names(), ["4g.40gb", "3g.40gb"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout<'g> {
    slices: Vec<(&'g Profile, u8)>,
}

/// Which profiles layouts are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinds {
    /// For each size of compute the one with least memory: the 19 layouts of NVIDIA's tables.
    Standard,
    /// Those with more memory for their compute as well (`1g.10gb` on a 40 GB card).
    Wide,
}

impl<'g> Layout<'g> {
    /// The slices with their starts, ascending.
    pub fn slices(&self) -> &[(&'g Profile, u8)] {
        &self.slices
    }

    /// The profiles' names, large ones first: what `mig = [...]` of a line file lists.
    pub fn names(&self) -> Vec<&'static str> {
        self.large_first().into_iter().map(|(profile, _)| profile.name).collect()
    }

    /// The slices in the order in which they are best made: large ones first.
    pub fn large_first(&self) -> Vec<(&'g Profile, u8)> {
        let mut slices = self.slices.clone();
        slices.sort_by_key(|(profile, start)| {
            (std::cmp::Reverse((profile.size, profile.compute)), *start)
        });
        slices
    }

    fn taken(&self) -> u32 {
        self.slices.iter().fold(0, |taken, (profile, start)| taken | range(*start, profile.size))
    }
}

impl fmt::Display for Layout<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (profile, start)) in self.slices.iter().enumerate() {
            let apart = if at == 0 { "" } else { " " };
            write!(formatter, "{apart}{}@{start}", profile.name)?;
        }
        Ok(())
    }
}

impl Gpu {
    /// A layout of these slices, put so that most stays possible beside them: as the driver does.
    ///
    /// # Errors
    ///
    /// As [`Gpu::arrange`].
    ///
    /// ```
    /// use lineside_line::mig::{self, Wanted};
    ///
    /// let gpu = mig::gpu("A100-40GB").unwrap();
    /// let wanted = ["1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"]
    ///     .map(|name| Wanted { profile: gpu.profile(name).unwrap(), start: None });
    /// let layout = gpu.layout(&wanted).unwrap();
    /// assert_eq!(layout.to_string(), "2g.10gb@0 1g.5gb@2 1g.5gb@3 3g.20gb@4");
    /// ```
    pub fn layout<'g>(&self, wanted: &[Wanted<'g>]) -> Result<Layout<'g>, super::Misfit> {
        let starts = self.arrange(wanted)?;
        let any = wanted.iter().map(|wanted| wanted.profile).zip(starts).collect();
        let mut slices = self.put(wanted).unwrap_or(any);
        slices.sort_by_key(|(_, start)| *start);
        Ok(Layout { slices })
    }

    /// Puts one slice after the other, large ones first, each where most stays possible; none if
    /// that leads nowhere.
    fn put<'g>(&self, wanted: &[Wanted<'g>]) -> Option<Vec<(&'g Profile, u8)>> {
        let mut order: Vec<&Wanted<'g>> = wanted.iter().collect();
        let size = |wanted: &Wanted<'_>| (wanted.profile.size, wanted.profile.compute);
        order.sort_by_key(|wanted| (wanted.start.is_none(), std::cmp::Reverse(size(wanted))));
        let mut slices = Vec::new();
        let mut taken = 0;
        for wanted in order {
            let room = |start: &&u8| {
                let (start, size) = (**start, wanted.profile.size);
                start + size <= self.memory_slices && taken & range(start, size) == 0
            };
            let best = wanted.starts().iter().filter(room).min_by_key(|start| {
                std::cmp::Reverse(self.choices(taken | range(**start, wanted.profile.size)))
            })?;
            taken |= range(*best, wanted.profile.size);
            slices.push((wanted.profile, *best));
        }
        Some(slices)
    }

    /// How many starts there still are, over all profiles.
    fn choices(&self, taken: u32) -> usize {
        let free = |profile: &Profile| {
            let starts = profile.starts.iter();
            starts.filter(|start| taken & range(**start, profile.size) == 0).count()
        };
        self.profiles.iter().map(free).sum()
    }

    /// Every layout to which no slice can be added, large slices first. Those that differ only in
    /// their starts are listed apart, as in NVIDIA's tables. Slices with `+me` are left out.
    pub fn maximal(&self, kinds: Kinds) -> Vec<Layout<'_>> {
        let mut profiles = self.kinds(kinds);
        profiles.sort_by_key(|profile| (profile.compute, profile.size));
        let mut found = Vec::new();
        // Layouts up to a memory slice; what stands last is gone on with first.
        let mut open = vec![(0, Layout { slices: Vec::new() })];
        while let Some((at, layout)) = open.pop() {
            if at == self.memory_slices {
                if profiles.iter().all(|profile| !self.can_join(&layout, profile)) {
                    found.push(layout);
                }
                continue;
            }
            open.push((at + 1, layout.clone()));
            for &profile in &profiles {
                if profile.starts.contains(&at) && self.joins(&layout, profile, at) {
                    let mut layout = layout.clone();
                    layout.slices.push((profile, at));
                    open.push((at + profile.size, layout));
                }
            }
        }
        found
    }

    /// The profiles of which layouts are made.
    fn kinds(&self, kinds: Kinds) -> Vec<&Profile> {
        let least = |profile: &Profile| {
            let mut others = self.profiles.iter().filter(|it| it.compute == profile.compute);
            others.all(|other| other.size >= profile.size)
        };
        let plain = self.profiles.iter().filter(|profile| !profile.has_media_extensions());
        plain.filter(|profile| kinds == Kinds::Wide || least(profile)).collect()
    }

    fn can_join(&self, layout: &Layout<'_>, profile: &Profile) -> bool {
        profile.starts.iter().any(|start| self.joins(layout, profile, *start))
    }

    /// Whether a slice can be added there.
    fn joins(&self, layout: &Layout<'_>, profile: &Profile, start: u8) -> bool {
        let compute: u8 = layout.slices.iter().map(|(other, _)| other.compute).sum();
        let alike = layout.slices.iter().filter(|(other, _)| other.name == profile.name).count();
        start + profile.size <= self.memory_slices
            && layout.taken() & range(start, profile.size) == 0
            && compute + profile.compute <= self.compute_slices
            && alike < usize::from(profile.max_count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::gpus;
    use super::*;

    #[test]
    fn there_are_19_maximal_layouts_of_seven_slices_and_5_of_four() {
        for gpu in gpus() {
            let expected = if gpu.compute_slices == 7 { 19 } else { 5 };
            assert_eq!(gpu.maximal(Kinds::Standard).len(), expected, "{}", gpu.name);
        }
    }

    #[test]
    fn maximal_layouts_are_legal_and_take_no_further_slice() {
        for gpu in gpus() {
            for kinds in [Kinds::Standard, Kinds::Wide] {
                for layout in gpu.maximal(kinds) {
                    let wanted = |&(profile, start): &(&'static Profile, u8)| Wanted {
                        profile,
                        start: Some(start),
                    };
                    let slices: Vec<Wanted<'_>> = layout.slices().iter().map(wanted).collect();
                    assert!(gpu.arrange(&slices).is_ok(), "{layout}");
                    for profile in gpu.kinds(kinds) {
                        let more = Wanted { profile, start: None };
                        let grown = [&slices[..], &[more]].concat();
                        assert!(gpu.arrange(&grown).is_err(), "{layout} and {}", profile.name);
                    }
                }
            }
        }
    }

    #[test]
    fn slices_are_put_alike_in_whatever_order_they_are_named() {
        let gpu = super::super::gpu("A100-40GB").unwrap();
        let names = ["1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"];
        for turn in 0..24 {
            let mut left = names.to_vec();
            let order = [turn / 6, turn / 2 % 3, turn % 2, 0].map(|at: usize| left.remove(at));
            let wanted =
                order.map(|name| Wanted { profile: gpu.profile(name).unwrap(), start: None });
            let layout = gpu.layout(&wanted).unwrap();
            assert_eq!(layout.to_string(), "2g.10gb@0 1g.5gb@2 1g.5gb@3 3g.20gb@4");
        }
    }
}
