//! MIG: into which slices a GPU can be cut, and what each of them has.
//!
//! The table is `mig-profiles.csv`, with its sources. A layout is a list of profiles; it is legal
//! if each slice can be given a start of its own (see [`Gpu::place`]).

use std::fmt;
use std::sync::OnceLock;

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
        let misfit = |entry, reason| Err(Misfit { entry, reason });
        let mut with_media = layout.iter().enumerate().filter(|(_, p)| p.has_media_extensions());
        if let Some((entry, _)) = with_media.nth(1) {
            return misfit(Some(entry), "at most one slice has +me".into());
        }
        let compute: usize = layout.iter().map(|profile| usize::from(profile.compute)).sum();
        if compute > usize::from(self.compute_slices) {
            let (slices, gpu, has) = (counted(layout), self.name, self.compute_slices);
            return misfit(
                None,
                format!("{slices} need {compute} compute slices; {gpu} has {has}"),
            );
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
        match search(layout, self.memory_slices) {
            Some(starts) => Ok(starts),
            None => Err(self.no_start(layout)),
        }
    }

    /// Names the first slice that cannot join those before it.
    fn no_start(&self, layout: &[&Profile]) -> Misfit {
        let placed = (1..=layout.len())
            .take_while(|length| search(&layout[..*length], self.memory_slices).is_some())
            .count();
        let profile = layout[placed.min(layout.len() - 1)];
        let before = layout[..placed].iter().filter(|other| other.name == profile.name).count();
        let which = match before {
            0 => "",
            1 => "second ",
            2 => "third ",
            _ => "next ",
        };
        let starts: Vec<String> = profile.starts.iter().map(u8::to_string).collect();
        let reason = format!(
            "no free start for the {which}{}: it may start at {}",
            profile.name,
            starts.join(" or ")
        );
        Misfit { entry: Some(placed), reason }
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
fn search(layout: &[&Profile], memory_slices: u8) -> Option<Vec<u8>> {
    let mut starts: Vec<u8> = Vec::with_capacity(layout.len());
    let mut taken: u32 = 0;
    // The choices of the slice at `starts.len()` before this one have been tried.
    let mut choice = 0;
    while let Some(profile) = layout.get(starts.len()) {
        let free = |start: &u8| {
            start + profile.size <= memory_slices && taken & range(*start, profile.size) == 0
        };
        match profile.starts.iter().skip(choice).position(free) {
            Some(skipped) => {
                let start = profile.starts[choice + skipped];
                taken |= range(start, profile.size);
                starts.push(start);
                choice = 0;
            }
            None => {
                let last = starts.pop()?;
                let profile = layout[starts.len()];
                taken &= !range(last, profile.size);
                choice = 1 + profile.starts.iter().position(|start| *start == last)?;
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
        assert_eq!(
            misfit.to_string(),
            "no free start for the second even: it may start at 0 or 2 or 4"
        );
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
}
