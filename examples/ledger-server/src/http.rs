//! People that ask by HTTP, and programs that have no need of speed.

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use odeon::{ActorRef, AskError};
use odeon_example_ledger::{Books, Memo, ToLedger, Transfer, Verdict};
use serde::{Deserialize, Serialize};

/// What is asked for in JSON. The memo's text is words here. A field that is not known is a
/// misspelt one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferWords {
    from: u32,
    to: u32,
    amount: u64,
    #[serde(default)]
    client: u64,
    #[serde(default)]
    number: u64,
    #[serde(default)]
    text: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct AccountWords {
    balance: u64,
    client: u64,
    number: u64,
    text: String,
}

/// The routes: `POST /transfers`, `GET /accounts/{number}`, `GET /audit`.
pub fn router(ledger: ActorRef<ToLedger>) -> Router {
    Router::new()
        .route("/transfers", post(transfer))
        .route("/accounts/{number}", get(look))
        .route("/audit", get(audit))
        .with_state(ledger)
}

/// Nothing is known of what the ledger has not answered.
fn unavailable(error: AskError) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, error.to_string())
}

async fn transfer(
    State(ledger): State<ActorRef<ToLedger>>,
    Json(TransferWords { from, to, amount, client, number, text }): Json<TransferWords>,
) -> Result<&'static str, (StatusCode, String)> {
    let mut memo = Memo { client, number, ..Memo::default() };
    let Some(place) = memo.text.get_mut(..text.len()) else {
        let problem = format!("the text has more than {} bytes", memo.text.len());
        return Err((StatusCode::BAD_REQUEST, problem));
    };
    place.copy_from_slice(text.as_bytes());
    let transfer = Transfer { from, to, amount, memo };
    let verdict = ledger.ask(|done| ToLedger::Transfer(transfer, done)).await;
    match verdict.map_err(unavailable)? {
        Verdict::Done => Ok("done"),
        Verdict::NotCovered => Err((StatusCode::CONFLICT, "not covered".to_owned())),
        Verdict::NoAccount => Err(no_account()),
    }
}

fn no_account() -> (StatusCode, String) {
    (StatusCode::NOT_FOUND, "no such account".to_owned())
}

async fn look(
    State(ledger): State<ActorRef<ToLedger>>,
    Path(account): Path<u32>,
) -> Result<Json<AccountWords>, (StatusCode, String)> {
    let state = ledger.ask(|found| ToLedger::Look(account, found)).await.map_err(unavailable)?;
    let state = state.ok_or_else(no_account)?;
    let Memo { client, number, text } = state.memo;
    let text = String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned();
    Ok(Json(AccountWords { balance: state.balance, client, number, text }))
}

async fn audit(
    State(ledger): State<ActorRef<ToLedger>>,
) -> Result<Json<Books>, (StatusCode, String)> {
    ledger.ask(ToLedger::Audit).await.map(Json).map_err(unavailable)
}
