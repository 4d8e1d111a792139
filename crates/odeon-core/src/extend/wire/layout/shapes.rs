//! What has been found out about a type and those in it, and the fingerprint of that.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// TUNE: how many values a trace reads at most, guessed 2026-11: a hundred times what the largest
/// protocols take, a few milliseconds.
const MOST_STEPS: usize = 200_000;

/// As deep as values are read at all.
pub(super) const DEEPEST: usize = 128;

/// So many answers are tried where a type refuses some.
pub(super) const ANSWERS: usize = 4;

/// A type that is traced by itself: the first one, and those that references lead to.
#[derive(Clone, Copy)]
pub(super) struct Root {
    pub(super) of: TypeId,
    /// Reads one value of it. `false`: it is refused.
    pub(super) trace: fn() -> bool,
}

/// What stands where a value is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShapeNode {
    /// Nobody has come so far.
    Unknown,
    /// A value without parts.
    Leaf(&'static str),
    /// One with parts: its number.
    Shape(usize),
    /// A reference to who takes values of this root.
    Reference(&'static str, usize),
}

/// The parts of a struct, list, or variant.
#[derive(Default)]
struct ShapeParts {
    label: String,
    nodes: Vec<ShapeNode>,
}

#[derive(Default)]
struct Variant {
    parts: ShapeParts,
    is_begun: bool,
}

/// A type with parts.
#[derive(Default)]
struct Shape {
    parts: ShapeParts,
    variants: Vec<Variant>,
    /// The first variant of which a value has been made: there is none of the same enum in it.
    ends: Option<usize>,
    /// How many of it are being read, each inside of the one before.
    open: usize,
    /// In the present run it has been read.
    is_seen: bool,
}

/// Whose parts are meant: of a shape, or of a variant of it.
pub(super) type ShapeOrVariant = (usize, Option<usize>);

/// See the module.
struct Trace {
    shapes: Vec<Shape>,
    /// By the type that reads it.
    by_reader: HashMap<&'static str, usize>,
    roots: Vec<(Root, ShapeNode)>,
    /// What has been read last.
    last: ShapeNode,
    depth: usize,
    steps: usize,
    /// Which made-up values are answered.
    answer: usize,
    /// By how many others are answered at places where some have been refused.
    refused: HashMap<(ShapeOrVariant, usize), usize>,
    /// In the present run something has been refused; and others are to be answered there.
    has_failed: bool,
    tries_again: bool,
    /// How often variants have been begun.
    begun: usize,
    /// The shapes from which some are to be reached that have not.
    leads_on: HashSet<usize>,
}

thread_local! {
    static TRACE: RefCell<Option<Trace>> = const { RefCell::new(None) };
}

/// Does something with this thread's trace. `None`: there is none. Users' code does not run in it.
fn with<R>(work: impl FnOnce(&mut Trace) -> R) -> Option<R> {
    TRACE.with_borrow_mut(|trace| trace.as_mut().map(work))
}

/// The fingerprint of a type.
pub(super) fn layout_of(root: Root) -> u64 {
    let trace = Trace {
        shapes: Vec::new(),
        by_reader: HashMap::new(),
        roots: vec![(root, ShapeNode::Unknown)],
        last: ShapeNode::Unknown,
        depth: 0,
        steps: MOST_STEPS,
        answer: 0,
        refused: HashMap::new(),
        has_failed: false,
        tries_again: false,
        begun: 0,
        leads_on: HashSet::new(),
    };
    // One inside of another: a `Deserialize` may ask for a layout.
    let around = TRACE.replace(Some(trace));
    let mut next = 0;
    while let Some(root) = with(|trace| trace.roots.get(next).map(|(root, _)| *root)).flatten() {
        read_all(root, next);
        next += 1;
    }
    let trace = TRACE.replace(around);
    trace.map_or(0, |trace| trace.fingerprint())
}

/// Reads values of a root until nothing new comes.
fn read_all(root: Root, number: usize) {
    let mut answer = 0;
    loop {
        let before = with(|trace| trace.begin(answer)).unwrap_or_default();
        let is_read = (root.trace)();
        let goes_on = with(|trace| {
            let (_, node) = &mut trace.roots[number];
            if *node == ShapeNode::Unknown {
                *node = trace.last;
            }
            if !is_read && !trace.has_failed && answer + 1 < ANSWERS {
                (answer, trace.tries_again) = (answer + 1, true);
            }
            let mut variants = trace.shapes.iter().flat_map(|shape| &shape.variants);
            let is_new = trace.begun > before && variants.any(|variant| !variant.is_begun);
            trace.steps > 0 && (trace.tries_again || is_new)
        });
        if goes_on != Some(true) {
            return;
        }
    }
}

impl Trace {
    /// Another value is read. Answers how often variants have been begun.
    fn begin(&mut self, answer: usize) -> usize {
        (self.answer, self.depth, self.last) = (answer, 0, ShapeNode::Unknown);
        (self.has_failed, self.tries_again) = (false, false);
        for shape in &mut self.shapes {
            (shape.open, shape.is_seen) = (0, false);
        }
        self.find_leads();
        self.begun
    }

    fn find_leads(&mut self) {
        self.leads_on.clear();
        let is_new = |shape: &Shape| shape.variants.iter().any(|variant| !variant.is_begun);
        let all = 0..self.shapes.len();
        self.leads_on.extend(all.clone().filter(|&number| is_new(&self.shapes[number])));
        loop {
            let before = self.leads_on.len();
            for number in all.clone() {
                let shape = &self.shapes[number];
                let variants = shape.variants.iter().map(|variant| &variant.parts);
                if [&shape.parts].into_iter().chain(variants).any(|parts| self.is_lead(parts)) {
                    self.leads_on.insert(number);
                }
            }
            if self.leads_on.len() == before {
                return;
            }
        }
    }

    fn is_lead(&self, parts: &ShapeParts) -> bool {
        let leads =
            |node: &ShapeNode| matches!(node, ShapeNode::Shape(of) if self.leads_on.contains(of));
        parts.nodes.iter().any(leads)
    }

    fn parts(&mut self, (shape, variant): ShapeOrVariant) -> &mut ShapeParts {
        let shape = &mut self.shapes[shape];
        match variant {
            None => &mut shape.parts,
            Some(variant) => &mut shape.variants[variant].parts,
        }
    }

    /// Which variant of an enum is read.
    fn choose(&mut self, number: usize) -> Option<usize> {
        let shape = &self.shapes[number];
        let new = shape.variants.iter().position(|variant| !variant.is_begun);
        let is_inside = shape.open > 1;
        let which = match shape.ends {
            Some(ends) if is_inside => ends,
            ends => {
                let on = || shape.variants.iter().position(|variant| self.is_lead(&variant.parts));
                let on = if is_inside { None } else { on() };
                new.or(on).or(ends)?
            }
        };
        let variant = &mut self.shapes[number].variants[which];
        self.begun += usize::from(!variant.is_begun);
        variant.is_begun = true;
        Some(which)
    }

    /// Each shape's hash is made of those of its parts, again and again: then two are equal that
    /// are equal as deep as values are read.
    fn fingerprint(&self) -> u64 {
        let mut hashes = vec![0; self.shapes.len()];
        for _ in 0..DEEPEST {
            let next: Vec<u64> =
                self.shapes.iter().map(|shape| self.hash(shape, &hashes)).collect();
            if next == hashes {
                break;
            }
            hashes = next;
        }
        let mut hash = Hash::new();
        self.roots.iter().take(1).for_each(|(_, node)| self.add(*node, &hashes, &mut hash));
        hash.0
    }

    fn hash(&self, shape: &Shape, hashes: &[u64]) -> u64 {
        let mut hash = Hash::new();
        let variants = shape.variants.iter().map(|variant| &variant.parts);
        for parts in [&shape.parts].into_iter().chain(variants) {
            hash.add_text(&parts.label);
            hash.add_number(parts.nodes.len() as u64);
            parts.nodes.iter().for_each(|node| self.add(*node, hashes, &mut hash));
        }
        hash.0
    }

    fn add(&self, node: ShapeNode, hashes: &[u64], hash: &mut Hash) {
        match node {
            ShapeNode::Unknown => hash.add_number(0),
            ShapeNode::Leaf(name) => hash.add_text(name),
            ShapeNode::Shape(number) => hash.add_number(hashes[number]),
            ShapeNode::Reference(what, root) => {
                hash.add_text(what);
                match self.roots[root].1 {
                    ShapeNode::Shape(number) => hash.add_number(hashes[number]),
                    // Of a type that refers to itself, and has no parts, there is no end.
                    ShapeNode::Reference(what, _) => hash.add_text(what),
                    node => self.add(node, hashes, hash),
                }
            }
        }
    }
}

/// FNV-1a: the same in all programs, and nobody means harm by it.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn add_number(&mut self, number: u64) {
        self.add(&number.to_le_bytes());
    }

    fn add_text(&mut self, text: &str) {
        self.add_number(text.len() as u64);
        self.add(text.as_bytes());
    }
}

/// A value is read. Answers which made-up ones are answered; `None`: no more are read.
pub(super) fn step() -> Option<usize> {
    with(|trace| {
        trace.steps = trace.steps.checked_sub(1)?;
        Some(trace.answer)
    })
    .flatten()
}

/// A value without parts has been read.
pub(super) fn note_leaf(name: &'static str) {
    with(|trace| trace.last = ShapeNode::Leaf(name));
}

/// What has been read last is a reference.
pub(super) fn note_reference(what: &'static str, root: Root) {
    with(|trace| {
        let known = trace.roots.iter().position(|(known, _)| known.of == root.of);
        let number = known.unwrap_or_else(|| {
            trace.roots.push((root, ShapeNode::Unknown));
            trace.roots.len() - 1
        });
        trace.last = ShapeNode::Reference(what, number);
    });
}

/// A value with parts that is being read, until this is dropped.
pub(super) struct OpenShape {
    pub(super) number: usize,
    /// Whether others of it have been read, or are: then what is in it need not be read.
    pub(super) is_known: bool,
}

impl OpenShape {
    /// `reader`: the type that reads it. `None`: it is too deep.
    pub(super) fn begin(reader: &'static str, label: impl FnOnce() -> String) -> Option<Self> {
        step()?;
        with(|trace| {
            let number = match trace.by_reader.get(reader) {
                Some(&number) => number,
                None => {
                    let parts = ShapeParts { label: label(), nodes: Vec::new() };
                    trace.shapes.push(Shape { parts, ..Shape::default() });
                    trace.by_reader.insert(reader, trace.shapes.len() - 1);
                    trace.shapes.len() - 1
                }
            };
            trace.last = ShapeNode::Shape(number);
            if trace.depth == DEEPEST {
                return None;
            }
            trace.depth += 1;
            let shape = &mut trace.shapes[number];
            shape.open += 1;
            let is_known = std::mem::replace(&mut shape.is_seen, true);
            Some(Self { number, is_known })
        })
        .flatten()
    }

    /// Of an enum with these variants: the one that is to be read.
    pub(super) fn variant(&self, names: &'static [&'static str]) -> Option<usize> {
        with(|trace| {
            let variants = &mut trace.shapes[self.number].variants;
            for name in &names[variants.len().min(names.len())..] {
                let parts = ShapeParts { label: (*name).to_owned(), nodes: Vec::new() };
                variants.push(Variant { parts, is_begun: false });
            }
            trace.choose(self.number)
        })
        .flatten()
    }

    /// A value of this variant has been made, or not.
    pub(super) fn ends_with(&self, variant: usize, is_made: bool) {
        with(|trace| {
            let shape = &mut trace.shapes[self.number];
            if is_made {
                shape.ends.get_or_insert(variant);
            } else if trace.tries_again {
                shape.variants[variant].is_begun = false;
            }
        });
    }
}

impl Drop for OpenShape {
    fn drop(&mut self) {
        with(|trace| {
            trace.depth -= 1;
            trace.shapes[self.number].open -= 1;
            trace.last = ShapeNode::Shape(self.number);
        });
    }
}

/// What kind of variant it is.
pub(super) fn note_variant(place: ShapeOrVariant, kind: impl FnOnce() -> String) {
    with(|trace| {
        let parts = trace.parts(place);
        // The first time.
        if !parts.label.contains(' ') {
            parts.label.push(' ');
            parts.label.push_str(&kind());
        }
    });
}

/// The part at this place is read by `read`.
pub(super) fn part<R, E>(
    place: ShapeOrVariant,
    index: usize,
    read: impl FnOnce() -> Result<R, E>,
) -> Result<R, E> {
    let around = with(|trace| {
        trace.last = ShapeNode::Unknown;
        let refused = trace.refused.get(&(place, index)).copied().unwrap_or_default();
        let answer = (trace.answer + refused) % ANSWERS;
        std::mem::replace(&mut trace.answer, answer)
    });
    let result = read();
    with(|trace| {
        trace.answer = around.unwrap_or_default();
        let last = trace.last;
        let nodes = &mut trace.parts(place).nodes;
        if nodes.len() <= index {
            nodes.resize(index + 1, ShapeNode::Unknown);
        }
        if nodes[index] == ShapeNode::Unknown {
            nodes[index] = last;
        }
        // The innermost is who has refused.
        if result.is_err() && !std::mem::replace(&mut trace.has_failed, true) {
            let refused = trace.refused.entry((place, index)).or_default();
            if *refused + 1 < ANSWERS {
                *refused += 1;
                trace.tries_again = true;
            }
        }
    });
    result
}
