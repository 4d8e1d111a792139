//! The accounts behind HTTP: each request is a deposit, the response the balance.

use crate::account::{Accounts, failed, theater_of};
use crate::asking::tokio_runtime;
use crate::client;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use odeon_example_run::RunError;
use odeon_example_shared_state::Work;
use tokio::net::TcpListener;

/// TUNE: threads of the server's runtime, and workers of its theater; the client has one thread.
const THREADS: usize = 2;

async fn deposit(
    State((accounts, all)): State<(Accounts, usize)>,
    Path(account): Path<usize>,
) -> Result<String, StatusCode> {
    if account >= all {
        return Err(StatusCode::NOT_FOUND);
    }
    let balance = accounts.deposit_in_task(account).await;
    balance.map(|balance| balance.to_string()).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)
}

/// How many requests a server answers in a second, over so many connections of this machine that
/// are kept open; these are spread over the accounts. The client has a runtime of its own.
///
/// # Errors
/// If the accounts do not come to what was deposited, or something of the network fails.
pub fn requests_per_second(
    keeper: &str,
    accounts: usize,
    work: Work,
    connections: usize,
    requests: u64,
) -> Result<f64, RunError> {
    let (server, clients) = (tokio_runtime(THREADS)?, tokio_runtime(1)?);
    let theater = theater_of(keeper, THREADS, server.handle())?;
    let kept = Accounts::kept(keeper, accounts, work, &theater, server.handle())?;
    let listener = server.block_on(TcpListener::bind("127.0.0.1:0")).map_err(failed)?;
    let address = listener.local_addr().map_err(failed)?;
    let app = Router::new()
        .route("/deposit/{account}", get(deposit))
        .with_state((kept.clone(), accounts));
    server.spawn(async move { axum::serve(listener, app).await });
    let of_each = requests.div_ceil(connections as u64);
    let elapsed = clients.block_on(client::ask_all(address, connections, accounts, of_each))?;
    let all = of_each * connections as u64;
    let balances = (0..accounts).map(|account| kept.deposit(account));
    let sum = balances.sum::<Result<u64, _>>()?;
    if sum != all + accounts as u64 {
        return Err(failed(format!("{all} requests and {accounts} more came to {sum}")));
    }
    Ok(all as f64 / elapsed.as_secs_f64())
}
