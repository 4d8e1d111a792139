//! One thread, and a `Vec` of boards of which the last is taken first.

use super::QueensSetup;
use super::board::Finding;
use odeon_example_run::RunError;
use odeon_example_run::Timed;

pub(super) fn run(setup: &QueensSetup) -> Result<Timed, RunError> {
    let plan = QueensSetup { solvers: 1, priorities: 1, ..*setup };
    let (timed, found) = Timed::of(plan.wanted(), || {
        let (mut found, mut tasks) = (0, vec![plan.first_task()]);
        while let Some(task) = tasks.pop() {
            task.run(&plan, |finding| match finding {
                Finding::Solution => found += 1,
                Finding::Task(task) => tasks.push(task),
            });
            if found >= plan.limit {
                break;
            }
        }
        found
    });
    plan.check(found).map(|()| timed).map_err(RunError::WrongResult)
}
