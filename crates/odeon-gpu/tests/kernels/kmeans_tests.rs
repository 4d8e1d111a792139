//! K-means: the nearest centres exactly, where they are clear; sums as close as floats can tell.

use crate::kmeans::Points;
use crate::support::{Numbers, on_each_device};

struct Case {
    dimensions: usize,
    clusters: usize,
    points: Vec<f32>,
    centres: Vec<f32>,
}

fn case(count: usize, dimensions: usize, clusters: usize) -> Case {
    let mut numbers = Numbers(count as u64);
    let mut some = |n: usize| (0..n).map(|_| numbers.unit() * 10.0).collect::<Vec<_>>();
    let (points, centres) = (some(count * dimensions), some(clusters * dimensions));
    Case { dimensions, clusters, points, centres }
}

impl Case {
    fn distance(&self, point: &[f32], cluster: usize) -> f64 {
        let centre = &self.centres[cluster * self.dimensions..][..self.dimensions];
        point.iter().zip(centre).map(|(p, c)| (f64::from(*p) - f64::from(*c)).powi(2)).sum()
    }

    /// That each point has a centre than which none is nearer by more than floats can tell.
    fn check_nearest(&self, nearest: &[u32]) {
        for (point, &chosen) in self.points.chunks(self.dimensions).zip(nearest) {
            let chosen = self.distance(point, chosen as usize);
            let least =
                (0..self.clusters).map(|c| self.distance(point, c)).fold(f64::MAX, f64::min);
            assert!(chosen <= least * (1.0 + 1e-5), "{chosen} is not {least}");
        }
    }

    /// Sums and numbers of points of each cluster, in doubles.
    fn sums(&self, nearest: &[u32]) -> (Vec<f64>, Vec<u32>) {
        let mut sums = vec![0.0; self.clusters * self.dimensions];
        let mut counts = vec![0; self.clusters];
        for (point, &cluster) in self.points.chunks(self.dimensions).zip(nearest) {
            counts[cluster as usize] += 1;
            for (sum, value) in sums[cluster as usize * self.dimensions..].iter_mut().zip(point) {
                *sum += f64::from(*value);
            }
        }
        (sums, counts)
    }
}

#[test]
fn a_step_finds_the_nearest_centres_and_the_sums_of_their_points() {
    on_each_device("a step of k-means", |mut gpu, device| {
        // Whole blocks and broken ones; more and fewer points than a cube has units.
        for (count, dimensions, clusters) in [(4096, 24, 16), (1000, 3, 5), (7, 2, 3), (513, 1, 1)]
        {
            let case = case(count, dimensions, clusters);
            let mut points =
                Points::new(&mut gpu, &case.points, dimensions, clusters).expect("room");
            let step = points.step(&mut gpu, &case.centres).expect("a step");
            let nearest = points.nearest(&mut gpu).expect("the nearest centres");
            case.check_nearest(&nearest);
            let (sums, counts) = case.sums(&nearest);
            assert_eq!(step.counts, counts, "{device}");
            assert_eq!(step.moved as usize, count, "in the first step all points move");
            for (is, should) in step.sums.iter().zip(&sums) {
                // 2,000 additions at most in each chain, each off by 6e-8 of the sum at most; much less as a rule.
                assert!(
                    (f64::from(*is) - should).abs() <= 1e-5 * should.abs() + 1e-6,
                    "{is} {should}"
                );
            }
            let again = points.step(&mut gpu, &case.centres).expect("a second step");
            assert_eq!(again.moved, 0, "with the same centres no point moves");
            assert_eq!((&again.sums, &again.counts), (&step.sums, &step.counts), "to the last bit");
        }
    });
}

#[test]
fn steps_lead_to_clusters_that_are_there() {
    on_each_device("k-means to the end", |mut gpu, _| {
        // Four heaps, far from each other.
        let heaps = [(0.0, 0.0), (100.0, 0.0), (0.0, 100.0), (100.0, 100.0)];
        let mut numbers = Numbers(7);
        let of = |heap: usize| heaps[heap % 4];
        let points: Vec<f32> = (0..2000)
            .flat_map(|n| {
                let (x, y) = of(n);
                [x + numbers.unit(), y + numbers.unit()]
            })
            .collect();
        let mut centres: Vec<f32> = points[..8].to_vec();
        let mut there = Points::new(&mut gpu, &points, 2, 4).expect("room");
        for round in 0.. {
            assert!(round < 20, "it does not come to an end");
            let step = there.step(&mut gpu, &centres).expect("a step");
            for (cluster, &count) in step.counts.iter().enumerate().filter(|(_, count)| **count > 0)
            {
                for dimension in 0..2 {
                    let at = cluster * 2 + dimension;
                    centres[at] = step.sums[at] / count as f32;
                }
            }
            if step.moved == 0 {
                assert_eq!(step.counts, [500; 4]);
                break;
            }
        }
        for (centre, heap) in centres.chunks(2).zip(heaps) {
            assert!(
                (centre[0] - heap.0 - 0.5).abs() < 0.1 && (centre[1] - heap.1 - 0.5).abs() < 0.1
            );
        }
    });
}
