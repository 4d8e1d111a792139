//! The stage suite of the testkit (S1 to S5, S11) on every kind of stage.

use odeon_testkit::conformance::stages_of_core::{OnDedicated, OnDeterministic, OnPinned, OnPool};
use odeon_testkit::stage_conformance;

stage_conformance!(pool, OnPool);
stage_conformance!(pinned, OnPinned);
stage_conformance!(dedicated, OnDedicated);
stage_conformance!(deterministic, OnDeterministic);
