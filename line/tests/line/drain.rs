//! Lines that could never be drained, against a graph of single images.

use std::fmt::Write;

use lineside_line::{Code, Look, NoFiles, read, render};

use super::random::Random;

#[derive(Clone, Copy)]
struct Edge {
    up: usize,
    down: usize,
    /// The depth of a stream edge; none for a barrier.
    stream: Option<usize>,
}

struct Sketch {
    images: Vec<usize>,
    edges: Vec<Edge>,
}

fn sketch(random: &mut Random) -> Sketch {
    let jobs = 2 + random.below(6);
    let usual = random.below(7);
    let images: Vec<usize> =
        (0..jobs).map(|_| if random.once_in(6) { random.below(4) } else { usual }).collect();
    let mut edges = Vec::new();
    for down in 1..jobs {
        for up in 0..down {
            if random.once_in(2) {
                let stream = images[up] == images[down] && !random.once_in(3);
                let stream = stream.then(|| random.below(5));
                edges.push(Edge { up, down, stream });
            }
        }
    }
    Sketch { images, edges }
}

/// The jobs stand in the file in a random order.
fn text(sketch: &Sketch, random: &mut Random) -> String {
    let mut text = String::from("[[device]]\nname = \"g\"\n");
    let mut order: Vec<usize> = (0..sketch.images.len()).collect();
    for place in (1..order.len()).rev() {
        order.swap(place, random.below(place + 1));
    }
    for job in order {
        let images = sketch.images[job];
        write!(text, "[[job]]\nname = \"j{job}\"\nimages = {images}\nafter = [").unwrap();
        for edge in sketch.edges.iter().filter(|edge| edge.down == job) {
            let up = edge.up;
            match edge.stream {
                Some(depth) => {
                    write!(text, "{{ job = \"j{up}\", mode = \"stream\", depth = {depth} }}, ")
                }
                None => write!(text, "{{ job = \"j{up}\", mode = \"barrier\" }}, "),
            }
            .unwrap();
        }
        text.push_str("]\n");
    }
    text
}

/// Removes images that wait for none that is left, until all wait.
fn drains(sketch: &Sketch) -> bool {
    // A job without images has its end instead.
    let nodes: Vec<usize> = sketch.images.iter().map(|images| (*images).max(1)).collect();
    let mut waits: Vec<((usize, usize), (usize, usize))> = Vec::new();
    for Edge { up, down, stream } in &sketch.edges {
        for image in 0..nodes[*down] {
            let upstream = if stream.is_some() { image } else { nodes[*up] - 1 };
            waits.push(((*down, image), (*up, upstream)));
        }
        if let Some(depth) = stream.filter(|depth| *depth > 0) {
            for image in depth..nodes[*up] {
                waits.push(((*up, image), (*down, image - depth)));
            }
        }
    }
    let mut left: Vec<(usize, usize)> =
        nodes.iter().enumerate().flat_map(|(job, n)| (0..*n).map(move |k| (job, k))).collect();
    loop {
        let before = left.len();
        waits.retain(|(_, other)| left.contains(other));
        left.retain(|image| waits.iter().any(|(waiting, _)| waiting == image));
        if left.len() == before {
            return left.is_empty();
        }
    }
}

#[test]
fn a_line_is_refused_exactly_if_an_image_waits_for_itself() {
    let mut outcomes = [0_usize; 2];
    for seed in 0..6_000 {
        let mut random = Random::new(seed);
        let sketch = sketch(&mut random);
        let text = text(&sketch, &mut random);
        let problems = read(&text, &NoFiles).err().unwrap_or_default();
        let undrainable = problems.iter().any(|problem| problem.code == Code::Undrainable);
        let shown = || render(&problems, &text, "line.toml", Look::default());
        let drains = drains(&sketch);
        assert_eq!(drains, !undrainable, "seed {seed}:\n{text}\n{}", shown());
        assert_eq!(drains, problems.is_empty(), "seed {seed}:\n{text}\n{}", shown());
        outcomes[usize::from(drains)] += 1;
    }
    // Both happen often, or this test would say little.
    assert!(outcomes.iter().all(|count| *count > 500), "{outcomes:?}");
}

/// A chain of stream edges of depth 1, with a barrier from each job to the one `span` later.
fn chain(jobs: usize, images: u64, span: usize) -> String {
    let mut text = String::from("[[device]]\nname = \"g\"\n");
    for job in 0..jobs {
        write!(text, "[[job]]\nname = \"j{job}\"\nimages = {images}\nafter = [").unwrap();
        if let Some(up) = job.checked_sub(1) {
            write!(text, "{{ job = \"j{up}\", mode = \"stream\", depth = 1 }}, ").unwrap();
        }
        if let Some(up) = job.checked_sub(span) {
            write!(text, "{{ job = \"j{up}\", mode = \"barrier\" }}").unwrap();
        }
        text.push_str("]\n");
    }
    text
}

#[test]
fn depths_add_up_along_a_chain() {
    // The last image of j0 waits for j7 at 7 images less.
    assert!(read(&chain(30, 7, 7), &NoFiles).is_ok());
    let problems = read(&chain(30, 8, 7), &NoFiles).unwrap_err();
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].code, Code::Undrainable);
}

#[test]
fn the_largest_numbers_of_images_are_no_different() {
    let problems = read(&chain(9, 4_294_967_295, 2), &NoFiles).unwrap_err();
    assert_eq!(problems[0].code, Code::Undrainable);
    assert!(read(&chain(9, 2, 2), &NoFiles).is_ok());
}

#[test]
fn long_chains_that_drain_are_settled_soon() {
    assert!(read(&chain(20_000, 10, 10), &NoFiles).is_ok());
    assert!(read(&chain(20_000, 10, 9), &NoFiles).is_err());
}
