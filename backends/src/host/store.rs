//! Products on their way from one job to the next.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use lineside_line::Line;

use super::tool::Product;
use super::work::Upstream;

/// Keeps each product until the last job behind it is done with it.
#[derive(Debug)]
pub(super) struct Store {
    jobs: Vec<Job>,
    products: BTreeMap<(u32, u32), Kept>,
}

#[derive(Debug, Default)]
struct Job {
    images: u32,
    upstreams: Vec<u32>,
    downstreams: Vec<u32>,
    /// It has ended and takes nothing more.
    ended: bool,
}

#[derive(Debug)]
struct Kept {
    product: Product,
    /// Jobs that are not done with it.
    takers: Vec<u32>,
}

impl Store {
    pub(super) fn new(line: &Line) -> Self {
        let mut jobs: Vec<Job> = Vec::with_capacity(line.jobs.len());
        for (at, job) in line.jobs.iter().enumerate() {
            let mut upstreams: Vec<u32> = Vec::new();
            for edge in &job.after {
                if !upstreams.contains(&edge.upstream) {
                    upstreams.push(edge.upstream);
                    jobs[edge.upstream as usize].downstreams.push(at as u32);
                }
            }
            jobs.push(Job { images: job.images, upstreams, ..Job::default() });
        }
        Store { jobs, products: BTreeMap::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.products.len()
    }

    /// What the upstreams made for this image.
    pub(super) fn inputs(&self, job: u32, image: u32) -> Vec<Upstream> {
        let upstreams = self.jobs[job as usize].upstreams.iter();
        let products = |&upstream: &u32| {
            let images = if self.is_one_to_one(upstream, job) {
                (upstream, image)..=(upstream, image)
            } else {
                (upstream, 0)..=(upstream, u32::MAX)
            };
            let products = self.products.range(images).map(|(_, kept)| kept.product.clone());
            Upstream { job: upstream, products: products.collect() }
        };
        upstreams.map(products).collect()
    }

    /// Both have equally many images: image k goes to image k. Otherwise all go to each.
    fn is_one_to_one(&self, upstream: u32, job: u32) -> bool {
        self.jobs[upstream as usize].images == self.jobs[job as usize].images
    }

    /// Keeps what a job made of an image, if anyone behind it will take it.
    pub(super) fn put(&mut self, job: u32, image: u32, product: Product) {
        let downstreams = &self.jobs[job as usize].downstreams;
        let waiting = |&&taker: &&u32| !self.jobs[taker as usize].ended;
        let takers: Vec<u32> = downstreams.iter().filter(waiting).copied().collect();
        if !takers.is_empty() {
            self.products.insert((job, image), Kept { product, takers });
        }
    }

    /// A job is done with these images, and with what was made for them.
    pub(super) fn done(&mut self, job: u32, first: u32, count: u32) {
        for upstream in self.jobs[job as usize].upstreams.clone() {
            if self.is_one_to_one(upstream, job) {
                for image in first..first + count {
                    self.drop_taker((upstream, image), job);
                }
            }
        }
    }

    /// A job is over and takes nothing more.
    pub(super) fn end(&mut self, job: u32) {
        self.jobs[job as usize].ended = true;
        for upstream in self.jobs[job as usize].upstreams.clone() {
            let images = (upstream, 0)..=(upstream, u32::MAX);
            let left: Vec<_> = self.products.range(images).map(|(&key, _)| key).collect();
            for key in left {
                self.drop_taker(key, job);
            }
        }
    }

    fn drop_taker(&mut self, key: (u32, u32), job: u32) {
        let Some(kept) = self.products.get_mut(&key) else { return };
        kept.takers.retain(|&taker| taker != job);
        if kept.takers.is_empty() {
            self.products.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::sync::Arc;

    use lineside_line as line;

    use super::*;

    fn line_of(jobs: &[(u32, &[u32])]) -> Line {
        let job = |(at, &(images, after)): (usize, &(u32, &[u32]))| line::Job {
            name: alloc::format!("job{at}"),
            images,
            after: after
                .iter()
                .map(|&upstream| line::Edge {
                    upstream,
                    mode: line::Mode::Barrier,
                    depth: 0,
                    on: line::On::Success,
                })
                .collect(),
            ..line::Job::default()
        };
        Line { jobs: jobs.iter().enumerate().map(job).collect(), ..Line::default() }
    }

    #[test]
    fn a_product_is_freed_when_the_last_job_behind_it_is_done_with_it() {
        let mut store = Store::new(&line_of(&[(2, &[]), (2, &[0]), (2, &[0])]));
        store.put(0, 0, Arc::new(10u8));
        store.put(0, 1, Arc::new(11u8));
        assert_eq!(store.len(), 2);
        store.done(1, 0, 1);
        assert_eq!(store.len(), 2);
        store.done(2, 0, 1);
        assert_eq!(store.len(), 1);
        store.end(1);
        store.end(2);
        assert_eq!(store.len(), 0);
    }

    #[test]
    fn a_job_with_another_number_of_images_gets_all_of_them_and_keeps_them_to_its_end() {
        let mut store = Store::new(&line_of(&[(3, &[]), (1, &[0])]));
        for image in 0..3u8 {
            store.put(0, image.into(), Arc::new(image));
        }
        assert_eq!(store.inputs(1, 0)[0].products.len(), 3);
        store.done(1, 0, 1);
        assert_eq!(store.len(), 3);
        store.end(1);
        assert_eq!(store.len(), 0);
    }

    #[test]
    fn what_nobody_takes_is_not_kept() {
        let mut store = Store::new(&line_of(&[(1, &[])]));
        store.put(0, 0, Arc::new(0u8));
        assert_eq!(store.len(), 0);
    }
}
