//! Parameters of workloads as data: the command line, the ranges in its messages, the JSON `params`
//! and the defaults all come from the same table.

use serde::ser::{Serialize, Serializer};
use std::fmt;

/// One parameter of a workload.
#[derive(Debug, Clone, Copy)]
pub struct Parameter {
    /// Name in JSON; the option is the same with `-` for `_`.
    pub name: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
    /// What it may be, and what it is when not given.
    pub domain: Domain,
    /// Whether the floor does different work for another value.
    pub in_floor: bool,
    /// Whether peers know it; otherwise they are compared at its default only.
    pub in_peers: bool,
    /// The words that peers know; `None` for all. With another word there is no comparison.
    pub peers_words: Option<&'static [&'static str]>,
}

/// The values a parameter may take.
#[derive(Debug, Clone, Copy)]
pub enum Domain {
    /// A whole number.
    Number {
        /// The smallest.
        min: u64,
        /// The largest.
        max: u64,
        /// When not given.
        default: u64,
    },
    /// One of a few words.
    Word {
        /// All of them.
        allowed: &'static [&'static str],
        /// When not given.
        default: &'static str,
    },
    /// A file, or a word that stands for none.
    File {
        /// When not given.
        default: &'static str,
    },
}

impl Parameter {
    /// A number in `min..=max`.
    pub const fn number(
        name: &'static str,
        about: &'static str,
        min: u64,
        max: u64,
        default: u64,
    ) -> Self {
        let domain = Domain::Number { min, max, default };
        Self { name, about, domain, in_floor: true, in_peers: true, peers_words: None }
    }

    /// One of a few words; the first is the default.
    pub const fn word(
        name: &'static str,
        about: &'static str,
        allowed: &'static [&'static str],
    ) -> Self {
        let domain = Domain::Word { allowed, default: allowed[0] };
        Self { name, about, domain, in_floor: true, in_peers: true, peers_words: None }
    }

    /// The path of a file; `default` is a word for what is taken instead of one.
    pub const fn file(name: &'static str, about: &'static str, default: &'static str) -> Self {
        let domain = Domain::File { default };
        Self { name, about, domain, in_floor: true, in_peers: true, peers_words: None }
    }

    /// The floor's work does not depend on it.
    pub const fn outside_floor(mut self) -> Self {
        self.in_floor = false;
        self
    }

    /// Peers have nothing like it.
    pub const fn odeon_only(mut self) -> Self {
        self.in_peers = false;
        self
    }

    /// Peers know these words only.
    pub const fn peers_know(mut self, words: &'static [&'static str]) -> Self {
        self.peers_words = Some(words);
        self
    }

    /// Whether peers can do the same at this value.
    fn is_comparable(&self, value: Option<Value>) -> bool {
        match (self.peers_words, value) {
            (Some(words), Some(Value::Word(word))) => words.contains(&word),
            _ => self.in_peers || value == Some(self.default_value()),
        }
    }

    /// The option on the command line, with its dashes.
    pub fn option(&self) -> String {
        format!("--{}", self.long())
    }

    /// The option on the command line, without its dashes.
    pub fn long(&self) -> String {
        self.name.replace('_', "-")
    }

    /// What it is when not given.
    pub fn default_value(&self) -> Value {
        match self.domain {
            Domain::Number { default, .. } => Value::Number(default),
            Domain::Word { default, .. } | Domain::File { default } => Value::Word(default),
        }
    }

    /// Reads one value; the message of a refusal names the option and its range.
    pub fn parse(&self, text: &str) -> Result<Value, String> {
        let refused = || format!("{} takes {}, not '{text}'", self.option(), self.domain);
        match self.domain {
            Domain::Number { min, max, .. } => {
                let number: u64 = text.parse().map_err(|_| refused())?;
                (min..=max).contains(&number).then_some(Value::Number(number)).ok_or_else(refused)
            }
            Domain::Word { allowed, .. } => {
                let word = allowed.iter().find(|word| **word == text);
                word.map(|word| Value::Word(word)).ok_or_else(refused)
            }
            Domain::File { .. } if text.is_empty() => Err(refused()),
            Domain::File { default } if text == default => Ok(Value::Word(default)),
            // WHY leaked: values are words that live as long as the program, and a command line
            // names few files.
            Domain::File { .. } => Ok(Value::Word(String::leak(text.to_owned()))),
        }
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { min, max: u64::MAX, .. } => {
                write!(f, "whole numbers from {min} to 2^64-1")
            }
            Self::Number { min, max, .. } => write!(f, "whole numbers from {min} to {max}"),
            Self::Word { allowed, .. } => f.write_str(&allowed.join(", ")),
            Self::File { default } => write!(f, "a file, or '{default}'"),
        }
    }
}

/// A parameter and its value.
pub type Setting = (&'static str, Value);

/// The value of one parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// Of a parameter that counts.
    Number(u64),
    /// Of a parameter that chooses.
    Word(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serializer.serialize_u64(*number),
            Self::Word(word) => serializer.serialize_str(word),
        }
    }
}

/// The parameters of one run, in the order in which the workload declares them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Params(Vec<(&'static str, Value)>);

impl Params {
    /// Every parameter at its default.
    pub fn defaults(parameters: &[Parameter]) -> Self {
        Self(parameters.iter().map(|p| (p.name, p.default_value())).collect())
    }

    /// The same parameters with one of them replaced.
    ///
    /// # Panics
    /// When the workload declares no such parameter.
    #[track_caller]
    pub fn with(mut self, name: &str, value: Value) -> Self {
        let entry = self.0.iter_mut().find(|(known, _)| *known == name);
        entry.unwrap_or_else(|| panic!("no parameter is called {name}")).1 = value;
        self
    }

    /// The same parameters with all of these replaced.
    ///
    /// # Panics
    /// When the workload declares one of them not.
    #[track_caller]
    pub(crate) fn with_all(self, settings: &[Setting]) -> Self {
        settings.iter().fold(self, |params, (name, value)| params.with(name, *value))
    }

    /// # Panics
    /// When the workload declares no number of that name.
    #[track_caller]
    pub fn number(&self, name: &str) -> u64 {
        match self.get(name) {
            Some(Value::Number(number)) => number,
            _ => panic!("no number is called {name}"),
        }
    }

    /// A number that counts things in memory.
    #[track_caller]
    pub fn count(&self, name: &str) -> usize {
        usize::try_from(self.number(name)).expect("ranges of counts fit the address space")
    }

    /// # Panics
    /// When the workload declares no word of that name.
    #[track_caller]
    pub fn word(&self, name: &str) -> &'static str {
        match self.get(name) {
            Some(Value::Word(word)) => word,
            _ => panic!("no word is called {name}"),
        }
    }

    /// A value by its parameter's name.
    pub fn get(&self, name: &str) -> Option<Value> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// Names and values, in the workload's order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Value)> + '_ {
        self.0.iter().copied()
    }

    /// What the floor of these parameters depends on: equal results mean one floor for both.
    pub fn for_floor(&self, parameters: &[Parameter]) -> Self {
        self.kept(parameters, |p| p.in_floor)
    }

    /// What peers are told; `None` when the run uses something they do not have.
    pub fn for_peers(&self, parameters: &[Parameter]) -> Option<Self> {
        let comparable = |p: &Parameter| p.is_comparable(self.get(p.name));
        parameters.iter().all(comparable).then(|| self.kept(parameters, |p| p.in_peers))
    }

    /// Those of these names.
    pub fn only(&self, names: &[&str]) -> Self {
        Self(self.iter().filter(|(name, _)| names.contains(name)).collect())
    }

    fn kept(&self, parameters: &[Parameter], keep: impl Fn(&Parameter) -> bool) -> Self {
        let kept = parameters.iter().filter(|p| keep(p));
        Self(kept.filter_map(|p| self.get(p.name).map(|value| (p.name, value))).collect())
    }
}

impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> =
            self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        f.write_str(&words.join(" "))
    }
}
