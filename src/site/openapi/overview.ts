/** What all operations have in common, in Markdown. */
export const overview = `
Partners read a catalog of games and order products: top-ups of a player, or keys. An order spends the account's
balance and goes to a supplier. It is \`processing\` at first and becomes \`completed\` or \`failed\` seconds or
minutes later. The result comes as a signed webhook, and \`GET /b2b/orders/{code}\` returns it.

**Authentication.** Send the API key in \`X-Api-Key\` with every request. \`Authorization: Bearer\` is ignored.
There is no sandbox: a key that begins with \`svc_test_\` spends real money too.

**Answers.** JSON in UTF-8. Success is \`{"success": true, "data": …}\`. An error is \`{"success": false, "error",
"code"}\`, with \`details\` if fields are at fault. Two kinds of errors differ: authentication errors (401, and the
403 of the key checks) are \`{"error", "message"}\`, and the origin check's 403 is \`{"success": false, "error"}\`.
Branch on the status, then on \`code\`.

**Money** is a JSON number in the account's currency, with two decimals. **Times** are ISO 8601, UTC, with
milliseconds. The service may add fields, codes and headers: ignore those that you do not know.

**Limits.** 500 requests per minute and client address, unless the operators agree to more. Every answer shows the
rest of the budget, except the origin check's 403, a 503, an answer of the HTTP parser, \`/livez\`, \`/readyz\` and
the answer to a valid push of a supplier. A body has at most 64 KiB, the headers at most 16 KiB.

**Retries.** After a 5xx, or without an answer, the outcome of the request is unknown: repeat it. An order that is
repeated with the same idempotency key is never charged twice.

**Methods.** HEAD works wherever GET does.

**Versions.** Changes only add. A breaking change would get a new path prefix, announced by \`Deprecation\` and
\`Sunset\` headers.
`.trim()
