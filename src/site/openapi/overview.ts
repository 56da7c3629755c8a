/** What is true of all operations, in Markdown. */
export const overview = `
Partners read a catalog of games and order products: top-ups to a player, or keys. Orders spend the account's balance and
go to suppliers; they are \`processing\` at first and become \`completed\` or \`failed\` seconds or minutes later. The result
comes by signed webhook and can be read with \`GET /b2b/orders/{code}\`.

**Authentication.** An API key in \`X-Api-Key\`, on every request. \`Authorization: Bearer\` is ignored. There is no sandbox:
a key that begins with \`svc_test_\` spends real money too.

**Answers.** JSON in UTF-8. Success is \`{"success": true, "data": …}\`. An error of authentication (401, and the 403 of the
key checks) is \`{"error", "message"}\`, the origin check's 403 is \`{"success": false, "error"}\`, every other error is
\`{"success": false, "error", "code"}\` and, where fields are at fault, \`details\`. Branch on the status, then on \`code\`.

**Money** is a JSON number with at most two decimals, in the account's currency. **Times** are ISO 8601, UTC, with
milliseconds. Fields, codes and headers may be added: ignore what you do not know.

**Limits.** 500 requests per minute and client address, unless agreed otherwise. Every answer says how the budget stands,
except the origin check's 403, a 503, what the HTTP parser refuses, \`/livez\`, \`/readyz\` and good pushes of suppliers.
Bodies may have 64 KiB, headers 16 KiB.

**Retrying.** After a 5xx, or without an answer, the result of the request is not known: repeat it. An order is repeated
with the same idempotency key and is never charged twice.

**Methods.** What answers GET answers HEAD too, without the body.

**Versions.** Changes only add. A breaking change would come under a new path prefix, announced by \`Deprecation\` and
\`Sunset\` headers.
`.trim()
