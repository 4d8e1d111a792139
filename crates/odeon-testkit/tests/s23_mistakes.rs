//! S23: a kit of speculative actors with one typical mistake each, and the right way beside it. The
//! seeds find each mistake, and nothing in the right way. `../MISTAKES.md` tells them.

mod mistakes;
