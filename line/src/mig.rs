//! MIG: into which slices a GPU can be cut, and what each of them has.
//!
//! The table is `mig-profiles.csv`, with its sources. A layout is a list of profiles; it is legal
//! if each slice can be given a start of its own (see [`Gpu::place`]).

mod commands;
mod layouts;

use std::fmt;
use std::sync::OnceLock;

pub use commands::{Commands, commands};
pub use layouts::{Kinds, Layout};

/// A GPU that can be cut into slices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gpu {
    /// The name that a line file uses: `A100-40GB`.
    pub name: &'static str,
    /// `Ampere`, `Hopper`, `Blackwell`.
    pub architecture: &'static str,
    /// Slices of compute in all.
    pub compute_slices: u8,
    /// Slices of memory in all.
    pub memory_slices: u8,
    /// In the order of the table: small ones first.
    pub profiles: Vec<Profile>,
}

/// One kind of slice of a [`Gpu`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    /// The driver's name: `3g.20gb`.
    pub name: &'static str,
    /// The driver's number for it.
    pub id: u8,
    /// Slices of compute.
    pub compute: u8,
    /// Slices of memory.
    pub size: u8,
    /// Memory slices at which it may begin; ascending.
    pub starts: Vec<u8>,
    /// How many there can be.
    pub max_count: u8,
    /// Bytes, where the table has them.
    pub memory: Option<u64>,
    /// Multiprocessors, where the table has them.
    pub multiprocessors: Option<u16>,
}

impl Profile {
    /// Whether it comes with the media engines: at most one slice of a GPU does.
    pub fn has_media_extensions(&self) -> bool {
        self.name.ends_with("+me")
    }
}

impl Gpu {
    /// The profile of that name.
    pub fn profile(&self, name: &str) -> Option<&Profile> {
        self.profiles.iter().find(|profile| profile.name == name)
    }

    /// The profile that takes most of the GPU.
    pub fn largest(&self) -> &Profile {
        let largest = self.profiles.iter().max_by_key(|profile| (profile.size, profile.compute));
        largest.expect("a GPU of the table comes with the profile of its first row")
    }

    /// Finds a start for each slice of a layout, or says why there is none.
    ///
    /// The search is exact: the order of the list does not matter to whether there is one.
    ///
    /// ```
    /// use lineside_line::mig;
    ///
    /// let gpu = mig::gpu("A100-40GB").unwrap();
    /// let layout = |names: &[&str]| -> Vec<&mig::Profile> {
    ///     names.iter().map(|name| gpu.profile(name).unwrap()).collect()
    /// };
    /// let cut = gpu.place(&layout(&["1g.5gb", "1g.5gb", "2g.10gb", "3g.20gb"])).unwrap();
    /// assert_eq!(cut, [0, 1, 2, 4]);
    ///
    /// let misfit = gpu.place(&layout(&["4g.20gb", "4g.20gb"])).unwrap_err();
    /// assert_eq!(misfit.to_string(), "2 × 4g.20gb need 8 compute slices; A100-40GB has 7");
    /// ```
    pub fn place(&self, layout: &[&Profile]) -> Result<Vec<u8>, Misfit> {
        let wanted: Vec<Wanted<'_>> =
            layout.iter().map(|profile| Wanted { profile, start: None }).collect();
        self.arrange(&wanted)
    }

    /// As [`place`](Gpu::place), where some slices have a start already: those that are there.
    ///
    /// ```
    /// use lineside_line::mig::{self, Wanted};
    ///
    /// let gpu = mig::gpu("A100-40GB").unwrap();
    /// let slice = |name, start| Wanted { profile: gpu.profile(name).unwrap(), start };
    /// let held = [slice("2g.10gb", Some(2)), slice("1g.5gb", Some(4))];
    /// let misfit = gpu.arrange(&[&held[..], &[slice("3g.20gb", None)]].concat()).unwrap_err();
    /// assert_eq!(
    ///     misfit.to_string(),
    ///     "5 memory slices are free (0, 1, 5, 6, 7), but no start for 3g.20gb: it takes 4 in \
    ///      a row from 0 or 4"
    /// );
    /// ```
    pub fn arrange(&self, layout: &[Wanted<'_>]) -> Result<Vec<u8>, Misfit> {
        let profiles: Vec<&Profile> = layout.iter().map(|wanted| wanted.profile).collect();
        self.check_sums(&profiles)?;
        for (entry, wanted) in layout.iter().enumerate() {
            if let Some(start) = wanted.start.filter(|start| !wanted.profile.starts.contains(start))
            {
                let (name, starts) = (wanted.profile.name, list(&wanted.profile.starts, "or"));
                let reason = format!("{name} can't start at {start}: it may start at {starts}");
                return Err(Misfit { entry: Some(entry), reason });
            }
        }
        search(layout, self.memory_slices).ok_or_else(|| self.no_start(layout))
    }

    /// What holds wherever the slices begin.
    fn check_sums(&self, layout: &[&Profile]) -> Result<(), Misfit> {
        let misfit = |entry, reason| Err(Misfit { entry, reason });
        let mut with_media = layout.iter().enumerate().filter(|(_, p)| p.has_media_extensions());
        if let Some((entry, _)) = with_media.nth(1) {
            return misfit(Some(entry), "at most one slice has +me".into());
        }
        let compute: usize = layout.iter().map(|profile| usize::from(profile.compute)).sum();
        if compute > usize::from(self.compute_slices) {
            let (slices, gpu, has) = (counted(layout), self.name, self.compute_slices);
            let reason = format!("{slices} need {compute} compute slices; {gpu} has {has}");
            return misfit(None, reason);
        }
        for (entry, profile) in layout.iter().enumerate() {
            let before = layout[..entry].iter().filter(|other| other.name == profile.name).count();
            if before >= usize::from(profile.max_count) {
                let (name, max) = (profile.name, profile.max_count);
                return misfit(Some(entry), format!("{} has at most {max} × {name}", self.name));
            }
        }
        let size: usize = layout.iter().map(|profile| usize::from(profile.size)).sum();
        if size > usize::from(self.memory_slices) {
            let (slices, gpu, has) = (counted(layout), self.name, self.memory_slices);
            return misfit(None, format!("{slices} need {size} memory slices; {gpu} has {has}"));
        }
        Ok(())
    }

    /// Names the first slice that cannot join those before it, and what is free there.
    fn no_start(&self, layout: &[Wanted<'_>]) -> Misfit {
        let arranged = |length: &usize| search(&layout[..*length], self.memory_slices);
        let placed = (1..layout.len()).take_while(|length| arranged(length).is_some()).count();
        let Wanted { profile, start } = layout[placed];
        let before = arranged(&placed).unwrap_or_default();
        let taken = layout
            .iter()
            .zip(&before)
            .fold(0, |taken, (wanted, start)| taken | range(*start, wanted.profile.size));
        let free: Vec<u8> = (0..self.memory_slices).filter(|at| taken & 1 << at == 0).collect();
        if let Some(start) = start {
            let other = layout.iter().zip(&before).find(|(other, at)| {
                range(**at, other.profile.size) & range(start, profile.size) != 0
            });
            let other = other.map_or(String::new(), |(other, at)| {
                format!(": {} at {at} is there", other.profile.name)
            });
            let reason = format!("no room for {} at {start}{other}", profile.name);
            return Misfit { entry: Some(placed), reason };
        }
        // Without fixed starts, which slices are free is a matter of how the others were put.
        let which = match layout[..placed].iter().all(|wanted| wanted.start.is_some()) {
            true => format!(" ({})", list(&free, ",")),
            false => String::new(),
        };
        let (name, size, starts) = (profile.name, profile.size, list(&profile.starts, "or"));
        let are = if free.len() == 1 { "slice is" } else { "slices are" };
        let reason = format!(
            "{} memory {are} free{which}, but no start for {name}: it takes {size} in a row \
             from {starts}",
            free.len()
        );
        Misfit { entry: Some(placed), reason }
    }
}

/// A slice that a layout is to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted<'p> {
    /// Its profile.
    pub profile: &'p Profile,
    /// Where it begins, if that is settled.
    pub start: Option<u8>,
}

impl Wanted<'_> {
    fn starts(&self) -> &[u8] {
        self.start.as_ref().map_or(&self.profile.starts, std::slice::from_ref)
    }
}

/// `0, 2 or 4`.
fn list(numbers: &[u8], last: &str) -> String {
    let texts: Vec<String> = numbers.iter().map(u8::to_string).collect();
    match texts.split_last() {
        Some((end, rest)) if !rest.is_empty() && last != "," => {
            format!("{} {last} {end}", rest.join(", "))
        }
        Some(_) | None => texts.join(", "),
    }
}

/// Why a layout is not legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// The entry of the list that is one too many, if it is one.
    pub entry: Option<usize>,
    reason: String,
}

impl fmt::Display for Misfit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

/// All GPUs of the table.
///
/// ```
/// assert!(lineside_line::mig::gpus().iter().any(|gpu| gpu.name == "H100-80GB"));
/// ```
pub fn gpus() -> &'static [Gpu] {
    static GPUS: OnceLock<Vec<Gpu>> = OnceLock::new();
    GPUS.get_or_init(|| parse(include_str!("mig-profiles.csv")))
}

/// The GPU of that name.
pub fn gpu(name: &str) -> Option<&'static Gpu> {
    gpus().iter().find(|gpu| gpu.name == name)
}

/// `2 × 4g.20gb, 1 × 1g.5gb`, in the order of first mention.
fn counted(layout: &[&Profile]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for profile in layout {
        match counts.iter_mut().find(|(name, _)| *name == profile.name) {
            Some((_, count)) => *count += 1,
            None => counts.push((profile.name, 1)),
        }
    }
    let counts: Vec<String> =
        counts.iter().map(|(name, count)| format!("{count} × {name}")).collect();
    counts.join(", ")
}

/// A start for each slice, the lowest first, by trying all of them. The sizes have been summed:
/// there are no more slices than memory slices, and no GPU has many of those.
fn search(layout: &[Wanted<'_>], memory_slices: u8) -> Option<Vec<u8>> {
    let mut starts: Vec<u8> = Vec::with_capacity(layout.len());
    let mut taken: u32 = 0;
    // The choices of the slice at `starts.len()` before this one have been tried.
    let mut choice = 0;
    while let Some(wanted) = layout.get(starts.len()) {
        let size = wanted.profile.size;
        let free = |start: &u8| start + size <= memory_slices && taken & range(*start, size) == 0;
        match wanted.starts().iter().skip(choice).position(free) {
            Some(skipped) => {
                let start = wanted.starts()[choice + skipped];
                taken |= range(start, size);
                starts.push(start);
                choice = 0;
            }
            None => {
                let last = starts.pop()?;
                let wanted = layout[starts.len()];
                taken &= !range(last, wanted.profile.size);
                choice = 1 + wanted.starts().iter().position(|start| *start == last)?;
            }
        }
    }
    Some(starts)
}

/// The memory slices of a slice, as bits.
fn range(start: u8, size: u8) -> u32 {
    ((1 << size) - 1) << start
}

fn parse(table: &'static str) -> Vec<Gpu> {
    let mut gpus: Vec<Gpu> = Vec::new();
    for row in table.lines().skip(1) {
        // The last column is free text.
        let columns: Vec<&str> = row.splitn(15, ',').collect();
        let [name, architecture, compute_slices, memory_slices, profile, id, compute, size, ..] =
            columns[..]
        else {
            continue;
        };
        let memory = columns.get(11).and_then(|mebibytes| mebibytes.parse::<u64>().ok());
        let profile = Profile {
            name: profile,
            id: number(id),
            compute: number(compute),
            size: number(size),
            starts: columns.get(8).map_or(Vec::new(), |s| s.split('|').map(number).collect()),
            max_count: columns.get(9).map_or(0, |count| number(count)),
            memory: memory.map(|mebibytes| mebibytes << 20),
            multiprocessors: columns.get(12).and_then(|count| count.parse().ok()),
        };
        match gpus.last_mut() {
            Some(gpu) if gpu.name == name => gpu.profiles.push(profile),
            Some(_) | None => gpus.push(Gpu {
                name,
                architecture,
                compute_slices: number(compute_slices),
                memory_slices: number(memory_slices),
                profiles: vec![profile],
            }),
        }
    }
    gpus
}

/// A number of the table, which is ours and tested.
fn number(text: &str) -> u8 {
    text.parse().expect("the columns of mig-profiles.csv that every row has are numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_whole() {
        assert_eq!(gpus().len(), 7);
        assert_eq!(gpus().iter().map(|gpu| gpu.profiles.len()).sum::<usize>(), 47);
        for gpu in gpus() {
            assert!(gpu.memory_slices <= 8 && gpu.compute_slices <= 8);
            assert_eq!(gpu.largest().compute, gpu.compute_slices);
            for profile in &gpu.profiles {
                assert!(profile.starts.is_sorted() && !profile.starts.is_empty());
                // Whatever there may be several of fits that often.
                let many = vec![profile; usize::from(profile.max_count)];
                assert_eq!(gpu.place(&many).map(|starts| starts.len()), Ok(many.len()));
            }
        }
    }

    #[test]
    fn the_search_agrees_with_trying_every_start() {
        for gpu in gpus() {
            let profiles: Vec<&Profile> = gpu.profiles.iter().collect();
            let count = profiles.len();
            for code in 0..count.pow(4) {
                let layout: Vec<&Profile> =
                    (0..4).map(|place| profiles[code / count.pow(place) % count]).collect();
                assert_eq!(gpu.place(&layout).is_ok(), naive(gpu, &layout), "{layout:?}");
            }
        }
    }

    /// Tries every combination of starts.
    fn naive(gpu: &Gpu, layout: &[&Profile]) -> bool {
        let combinations: usize = layout.iter().map(|profile| profile.starts.len()).product();
        let count = |name| layout.iter().filter(|profile| profile.name == name).count();
        let placed = (0..combinations).any(|mut code| {
            let mut taken = [false; 8];
            layout.iter().all(|profile| {
                let start = profile.starts[code % profile.starts.len()];
                code /= profile.starts.len();
                (start..start + profile.size).all(|slice| match taken.get_mut(usize::from(slice)) {
                    Some(slot) if slice < gpu.memory_slices => !std::mem::replace(slot, true),
                    Some(_) | None => false,
                })
            })
        });
        placed
            && layout.iter().map(|profile| profile.compute).sum::<u8>() <= gpu.compute_slices
            && layout.iter().filter(|profile| profile.has_media_extensions()).count() <= 1
            && layout.iter().all(|profile| count(profile.name) <= usize::from(profile.max_count))
    }

    #[test]
    fn sums_may_fit_where_no_start_is_free() {
        let profile = |name, starts: &[u8]| Profile {
            name,
            id: 0,
            compute: 1,
            size: 2,
            starts: starts.to_vec(),
            max_count: 4,
            memory: None,
            multiprocessors: None,
        };
        let profiles = vec![profile("odd", &[1, 3]), profile("even", &[0, 2, 4])];
        let (architecture, compute_slices, memory_slices) = ("none", 8, 6);
        let gpu = Gpu { name: "g", architecture, compute_slices, memory_slices, profiles };
        let [odd, even] = [&gpu.profiles[0], &gpu.profiles[1]];
        assert_eq!(gpu.place(&[even, odd]), Ok(vec![0, 3]));
        let misfit = gpu.place(&[even, odd, even]).unwrap_err();
        assert_eq!(misfit.entry, Some(2));
        let reason = misfit.to_string();
        assert!(reason.starts_with("2 memory slices are free, but no start for even"), "{reason}");
    }

    #[test]
    fn a_misfit_names_the_slice_that_is_one_too_many() {
        let gpu = gpu("A100-40GB").unwrap();
        let layout: Vec<&Profile> =
            ["2g.10gb", "3g.20gb", "1g.10gb"].map(|name| gpu.profile(name).unwrap()).into();
        assert!(gpu.place(&layout).is_ok());
        let media: Vec<&Profile> =
            ["1g.5gb+me", "2g.10gb", "1g.5gb+me"].map(|name| gpu.profile(name).unwrap()).into();
        assert_eq!(gpu.place(&media).unwrap_err().entry, Some(2));
    }

    #[test]
    fn a_start_that_is_settled_is_kept_and_what_overlaps_is_named() {
        let gpu = gpu("A100-40GB").unwrap();
        let slice = |name, start| Wanted { profile: gpu.profile(name).unwrap(), start };
        let small = slice("1g.5gb", Some(5));
        assert_eq!(gpu.arrange(&[slice("3g.20gb", None), small]), Ok(vec![0, 5]));
        let misfit = gpu.arrange(&[small, slice("3g.20gb", Some(4))]).unwrap_err();
        assert_eq!((misfit.entry, misfit.to_string().contains("1g.5gb at 5")), (Some(1), true));
        let misfit = gpu.arrange(&[slice("2g.10gb", Some(6))]).unwrap_err();
        assert!(misfit.to_string().contains("0, 2 or 4"), "{misfit}");
    }
}
