//! Each thing that the other programs do wrong, done right.

use odeon::prelude::*;

#[derive(Message)]
enum Job {
    Urgent,
    #[mailbox(63)]
    #[access(snapshot)]
    Ordinary,
}

struct Worker;

impl Actor for Worker {
    type Msg = Job;
    fn handle(&mut self, msg: Job, ctx: &mut Context<'_, Self>) {
        match msg {
            Job::Urgent => ctx.open(63),
            Job::Ordinary => ctx.close(63),
        }
    }
}

struct Named {
    name: TVar<String>,
}

impl Named {
    fn name<'t>(&'t self, tx: &mut Tx<'t>) -> TxResult<usize> {
        let name = self.name.read(tx)?;
        Ok(name.len())
    }
}

/// As rustc suggests where the lifetimes are left out.
fn double<'a>(account: &'a TVar<u64>, tx: &mut Tx<'a>) -> TxResult {
    let balance = account.get(tx)?;
    account.set(tx, 2 * balance)?;
    Ok(())
}

fn main() {
    let _: Option<ActorRef<Job>> = None;
    let _ = Worker;
    let _ = Named::name;
    let _ = double;
    let _ = Named { name: TVar::new(String::new()) };
    let _ = (Job::Urgent, Job::Ordinary);
}
