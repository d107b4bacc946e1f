//! Directed graphs over jobs: order, components, cycles. All linear, none recursive.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Arcs between nodes 0..n, each with a label, grouped by the node that they leave.
pub(crate) struct Graph {
    /// The arcs of node v are `arcs[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    arcs: Vec<Arc>,
}

/// Where an arc leads, and what the caller calls it.
#[derive(Clone, Copy)]
pub(crate) struct Arc {
    pub(crate) to: u32,
    pub(crate) label: u32,
}

impl Graph {
    /// The arcs (from, to, label) of each node keep the order in which they come.
    pub(crate) fn new(nodes: usize, arcs: impl Iterator<Item = (u32, u32, u32)> + Clone) -> Self {
        let mut starts = vec![0_u32; nodes + 1];
        for (from, _, _) in arcs.clone() {
            starts[from as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut sorted = vec![Arc { to: 0, label: 0 }; starts[nodes] as usize];
        for (from, to, label) in arcs {
            let slot = &mut next[from as usize];
            sorted[*slot as usize] = Arc { to, label };
            *slot += 1;
        }
        Graph { starts, arcs: sorted }
    }

    pub(crate) fn nodes(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn arcs(&self, node: u32) -> &[Arc] {
        let node = node as usize;
        &self.arcs[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The nodes in topological order, at each step the lowest whose predecessors are all placed.
    /// Nodes on cycles, and behind them, are left out.
    pub(crate) fn topological(&self) -> Vec<u32> {
        let mut waits_for = vec![0_u32; self.nodes()];
        for arc in &self.arcs {
            waits_for[arc.to as usize] += 1;
        }
        let free = (0_u32..).zip(&waits_for).filter(|(_, count)| **count == 0);
        let mut ready: BinaryHeap<Reverse<u32>> = free.map(|(node, _)| Reverse(node)).collect();
        let mut order = Vec::with_capacity(self.nodes());
        while let Some(Reverse(node)) = ready.pop() {
            order.push(node);
            for arc in self.arcs(node) {
                let count = &mut waits_for[arc.to as usize];
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(arc.to));
                }
            }
        }
        order
    }

    /// The strongly connected component of each node (Tarjan's algorithm).
    pub(crate) fn components(&self) -> Vec<u32> {
        const UNSEEN: u32 = u32::MAX;
        let mut component = vec![UNSEEN; self.nodes()];
        let mut number = vec![UNSEEN; self.nodes()];
        let mut lowest = vec![UNSEEN; self.nodes()];
        let mut next_number = 0;
        let mut next_component = 0;
        // Nodes seen whose component is not known yet.
        let mut open: Vec<u32> = Vec::new();
        // The path from the root of the search, each with the arcs already followed.
        let mut path: Vec<(u32, usize)> = Vec::new();
        for root in 0..self.nodes() as u32 {
            if number[root as usize] != UNSEEN {
                continue;
            }
            path.push((root, 0));
            while let Some((node, followed)) = path.last_mut() {
                let node = *node;
                let at = node as usize;
                if *followed == 0 && number[at] == UNSEEN {
                    number[at] = next_number;
                    lowest[at] = next_number;
                    next_number += 1;
                    open.push(node);
                }
                if let Some(arc) = self.arcs(node).get(*followed) {
                    *followed += 1;
                    let to = arc.to as usize;
                    if number[to] == UNSEEN {
                        path.push((arc.to, 0));
                    } else if component[to] == UNSEEN {
                        lowest[at] = lowest[at].min(number[to]);
                    }
                    continue;
                }
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    lowest[parent] = lowest[parent].min(lowest[at]);
                }
                if lowest[at] == number[at] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = next_component;
                        if member == node {
                            break;
                        }
                    }
                    next_component += 1;
                }
            }
        }
        component
    }

    /// The labels of a shortest way from a node back to itself, in order, within its component.
    pub(crate) fn cycle(&self, node: u32, component: &[u32]) -> Option<Vec<u32>> {
        let inside = component[node as usize];
        // How each node was reached: from where, by which label.
        let mut reached: std::collections::HashMap<u32, (u32, u32)> = Default::default();
        let mut queue = VecDeque::from([node]);
        while let Some(from) = queue.pop_front() {
            for arc in self.arcs(from) {
                if component[arc.to as usize] != inside || reached.contains_key(&arc.to) {
                    continue;
                }
                reached.insert(arc.to, (from, arc.label));
                if arc.to == node {
                    return Some(labels_back(node, &reached));
                }
                queue.push_back(arc.to);
            }
        }
        None
    }
}

fn labels_back(node: u32, reached: &std::collections::HashMap<u32, (u32, u32)>) -> Vec<u32> {
    let mut labels = Vec::new();
    let mut at = node;
    while let Some((from, label)) = reached.get(&at) {
        labels.push(*label);
        at = *from;
        if at == node {
            break;
        }
    }
    labels.reverse();
    labels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, arcs: &[(u32, u32)]) -> Graph {
        Graph::new(nodes, (0_u32..).zip(arcs).map(|(label, (from, to))| (*from, *to, label)))
    }

    #[test]
    fn order_takes_the_lowest_that_is_free() {
        let graph = graph(5, &[(4, 0), (3, 1), (1, 2)]);
        assert_eq!(graph.topological(), [3, 1, 2, 4, 0]);
    }

    #[test]
    fn nodes_on_and_behind_cycles_have_no_order() {
        let graph = graph(4, &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(graph.topological(), [3]);
    }

    #[test]
    fn components_and_cycles() {
        let graph = graph(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (4, 4), (1, 0)]);
        let component = graph.components();
        assert_eq!(component[0], component[1]);
        assert_eq!(component[0], component[2]);
        assert_ne!(component[0], component[3]);
        assert_eq!(graph.cycle(0, &component), Some(vec![0, 5]));
        assert_eq!(graph.cycle(4, &component), Some(vec![4]));
        assert_eq!(graph.cycle(3, &component), None);
        assert_eq!(graph.cycle(5, &component), None);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let nodes = 1_000_000;
        let chain = (0..nodes - 1).map(|node| (node, node + 1, node));
        let graph = Graph::new(nodes as usize, chain);
        assert_eq!(graph.topological().len(), nodes as usize);
        assert_eq!(graph.components()[0], nodes - 1);
    }
}
