#!/usr/bin/env bash
# Places an order and waits for its result: bash first_order.sh shop-1001 [product id]
# Needs curl 7.71 or newer, BASE_URL and API_KEY; CALLBACK_URL is optional. The argument is your own
# purchase number: with the same number, the program finds the same order. Prints the order as JSON.
# Exits with 0 if the order is completed, 2 for wrong arguments, otherwise 1.
set -euo pipefail

external_order_id=${1:-} product_id=${2:-101}
if [[ -z ${BASE_URL:-} || -z ${API_KEY:-} || ! $external_order_id =~ ^[A-Za-z0-9._-]{1,128}$ ||
  ! $product_id =~ ^[0-9]{1,9}$ || ${CALLBACK_URL:-} == *[\"\\]* ]]; then
  echo 'usage: set BASE_URL and API_KEY, then: bash first_order.sh shop-1001 [product id]' >&2
  exit 2
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# From a file, which only you can read: the arguments of a command are in the list of processes.
printf 'X-Api-Key: %s\nContent-Type: application/json\n' "$API_KEY" >"$scratch/headers"

# Sends a request, and the very same one again while its outcome is unknown. Leaves the answer in
# $scratch/answer. --retry does that after 5xx, 408 and 429, with growing pauses, or as long as
# Retry-After says; --retry-all-errors does it after lost connections too.
send() {
  local status
  status=$(curl -sS --connect-timeout 10 --max-time 30 \
    --retry 8 --retry-all-errors --retry-max-time 120 \
    -H "@$scratch/headers" -D "$scratch/received" -o "$scratch/answer" -w '%{http_code}' \
    "$BASE_URL$1" "${@:2}") || {
    echo 'gave up, outcome unknown: run the same command again' >&2
    exit 1
  }
  local verdict=refused request_id
  case $status in
    2??) return ;;
    5?? | 408 | 429) verdict='gave up, outcome unknown: run the same command again' ;;
  esac
  request_id=$(tr -d '\r' <"$scratch/received" | sed -n 's/^[Xx]-[Rr]equest-[Ii]d: *//p' | tail -n 1)
  echo "$verdict: HTTP $status, request $request_id: $(cat "$scratch/answer")" >&2
  exit 1
}

# The text of a field of the order, or nothing where it is null. Only for fields that an answer
# has once.
field() { sed -nE "s/.*\"$1\" *: *\"([^\"]*)\".*/\1/p" "$scratch/answer"; }

callback=${CALLBACK_URL:+\"callbackUrl\": \"$CALLBACK_URL\",}
send /b2b/orders -d "{\"externalOrderId\": \"$external_order_id\", $callback
  \"items\": [{\"productId\": $product_id, \"quantity\": 1,
    \"deliveryData\": {\"gameUserId\": \"123456789\"}}]}"
code=$(field orderCode)
echo "placed $code" >&2

# outcome is null until the order is final.
for pause in .5 1 2 4 8 16 $(printf '30 %.0s' {1..19}); do
  outcome=$(field outcome)
  [[ -z $outcome ]] || break
  sleep "$pause"
  send "/b2b/orders/$code"
done
cat "$scratch/answer"
[[ $(field outcome) == full ]]
