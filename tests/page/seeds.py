"""Realistic sessions for pictures: plans that wait or are carried out, and calls that were denied. They are stored
through the server."""

DISCOUNT_1 = """# Add a discount to orders

Customers enter a code at checkout. A code lowers the price of an order by a fixed percentage.

## Steps

1. Add `discount_percent` to `Order` in `src/order.rs`, with a migration.
2. Apply the discount in `Order::total`.
3. Show the discount in the cart.

## Tests

- `total_with_discount` for 0, 10 and 100 percent
"""

DISCOUNT_2 = """# Add a discount to orders

Customers enter a code at checkout. A code lowers the price of an order by a fixed percentage, **never below zero**, and works once per customer.

## Steps

1. Add `discount_percent` and `discount_code` to `Order` in `src/order.rs`, with the migration `0042_discounts.sql`.
2. Apply the discount in `Order::total`, before tax:

   ```rust
   let net = self.net() * (100 - self.discount_percent.min(100)) / 100;
   ```

3. Refuse a code that the customer has already used.
4. Show the discount in the cart.

## Prices

| code | percent | valid until |
|:-----|--------:|:------------|
| `WELCOME` | 10 | end of the year |
| `STAFF` | 25 | no end |

## Tests

- [x] `total_with_discount` for 0, 10 and 100 percent
- [ ] `a_code_works_once`
- [ ] `discount_is_applied_before_tax`

> The tax office wants the discount on the invoice, see [their note](https://example.com/invoices#discounts).
"""

KEYS_1 = """# Rotate the API keys

The keys of the payment provider are older than a year.

1. Create new keys in the sandbox and run the contract tests.
2. Store them in the secret store, not in `.env`.
3. Deploy, then revoke the old keys.
"""

KEYS_2 = """# Rotate the API keys

The keys of the payment provider are older than a year. The old keys stay valid for 24 hours, so that running jobs can end.

1. Create new keys in the sandbox and run the contract tests.
2. Store them in the secret store, not in `.env`.
3. Deploy \u202ereverse order\u202c and watch the error rate for an hour.
4. Revoke the old keys.

<script>window.attacked = true</script>

![status](https://tracker.example/status.png) [the runbook](javascript:alert(1)) [provider](https://payments.example/docs/keys)
"""

RETRY = "# Retry requests that time out\n\n1. Add a retry with backoff to `Client::send`.\n2. Count retries in the metrics.\n"

INVOICE = [
    ("Edit", {"file_path": "src/invoice.rs", "old_string": "const DUE_DAYS: i64 = 14;", "new_string": "const DUE_DAYS: i64 = 30;"}),
    ("Bash", {"command": "cargo test -p billing invoice", "description": "Run the invoice tests", "timeout": 120000}),
    ("Write", {"file_path": "docs/terms.md", "content": "# Payment terms\n\nInvoices are due 30 days after they are sent.\nReminders go out after 37 and 44 days.\n"}),
    ("Bash", {"command": "git commit -am 'Invoices are due after 30 days'"}),
]

CODEX, OPENCODE, CLAUDE = "codex:019a8e3e-5b7c-7d10-9f21", "opencode:ses_61f0aa12", "claude-code:7f3c2b9e-4c1d"
WORKING = "codex:019a8d11-90aa-7c02"
CHAT = "web:page-memory-1"


def write(server, session, text):
    server.call(session, "plan_write", {"markdown": text})


def fill_project(server):
    """Stores sessions in a gated project, in which agents write plans."""
    write(server, WORKING, RETRY)
    server.decide(WORKING, "approve")
    server.call(WORKING, "Bash", {"command": "rm -rf .codex"})
    server.command(CODEX, ".plan on")
    server.call(CODEX, "apply_patch", {"command": "*** Begin Patch\n*** Update File: src/order.rs\n@@\n-pub struct Order {\n+pub struct Order { discount_percent: u8,\n*** End Patch"})
    write(server, CODEX, DISCOUNT_1)
    server.decide(CODEX, "approve")
    server.command(CODEX, ".plan on")
    server.call(CODEX, "Bash", {"command": "git push origin main"})
    write(server, CODEX, DISCOUNT_2)
    write(server, OPENCODE, KEYS_1)
    server.decide(OPENCODE, "reject", reason="Running jobs still use the old keys. Keep them valid for a day.")
    write(server, OPENCODE, KEYS_2)
    server.command("claude-code:0d9e11aa-77b2", ".plan on")
    server.command("opencode:ses_5be2c0de", ".plan off")


def record(server, session, steps=INVOICE, summary="Raise the payment term from 14 to 30 days, in code and in the documentation."):
    """Records calls as the steps of a plan that waits."""
    server.call(session, "plan_begin", {})
    for name, args in steps:
        assert server.call(session, name, args)["decision"] == "recorded", name
    server.call(session, "plan_submit", {"summary": summary})
