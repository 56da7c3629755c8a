set local role supply_owner;

create table supply.webhook_secrets (
  account_id bigint primary key references supply.accounts,
  secret text not null check (secret ~ '^([0-9a-f]{64}|sealed:.+)$'),
  created_at timestamptz not null default now()
);
comment on table supply.webhook_secrets is
  'The signing secret of each account, made at its first delivery and never changed.';
comment on column supply.webhook_secrets.account_id is 'The account.';
comment on column supply.webhook_secrets.secret is
  '64 hexadecimal characters, whose ASCII bytes are the HMAC key; sealed where DATA_KEYS is set.';
comment on column supply.webhook_secrets.created_at is 'When the first delivery began.';

create table supply.events (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references supply.accounts,
  order_id bigint references supply.orders,
  order_code text collate "C" not null,
  event_type text not null check (event_type in ('order.completed', 'order.failed')),
  callback_url text not null,
  -- As core.url_host, but without a regular expression, which takes ten times as long.
  host text collate "C" not null generated always as (
    split_part(split_part(split_part(split_part(lower(callback_url), '://', 2), '/', 1), '?', 1), ':', 1)) stored,
  body text not null,
  simulated boolean not null default false,
  state text collate "C" not null default 'queued' check (
    state in ('waiting', 'queued', 'ready', 'sending', 'delivered', 'dead', 'held')),
  round int not null default 1 check (round >= 1),
  attempts int not null default 0 check (attempts between 0 and 9),
  next_attempt_at timestamptz default now(),
  lease_token uuid,
  lease_expires_at timestamptz,
  leased_by text,
  delivered_at timestamptz,
  dead_at timestamptz,
  dead_reason text check (
    dead_reason in ('attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'blocked_address')
    or (dead_reason = 'unresolved' and simulated)),
  created_at timestamptz not null default now(),
  check (simulated = (order_id is null)),
  check ((state = 'delivered') = (delivered_at is not null)),
  check ((state = 'dead') = (dead_at is not null and dead_reason is not null)),
  constraint events_planned_check check ((state in ('waiting', 'queued', 'ready')) = (next_attempt_at is not null)),
  constraint events_lease_check check ((state in ('ready', 'sending')) = (lease_expires_at is not null))
) with (fillfactor = 80);
create unique index events_one_an_order on supply.events (order_id);
create index events_dead on supply.events (account_id, dead_at) include (simulated) where state = 'dead';
-- Only simulated events are in these three indexes, one for each query. Each query repeats a condition that is true of
-- all of them, because on an empty table the planner takes the youngest index that serves.
create index events_account_samples on supply.events (account_id, created_at) where simulated and order_id is null;
create index events_samples on supply.events (created_at) where simulated and order_code is not null;
create index events_open_samples on supply.events (account_id)
  where simulated and delivered_at is null and dead_at is null;
create index events_rungs on supply.events (next_attempt_at) where state = 'waiting';
create index events_queued on supply.events (account_id, next_attempt_at, id) where state = 'queued';
-- For accounts with a slow host. Only its query has the second condition, so that no other one takes this index.
create index events_queued_at_host on supply.events (account_id, host, next_attempt_at, id)
  where state = 'queued' and attempts >= 0;
create index events_holding on supply.events (account_id) where state in ('ready', 'sending');
create index events_latest on supply.events (created_at, account_id);
create index events_order on supply.events (order_code);
create index events_account on supply.events (account_id, created_at desc, id desc) where order_id is not null;
create index events_waiting on supply.events (account_id) where state = 'waiting';
create index events_held on supply.events (account_id, created_at) where state = 'held';
-- By the expression of ops.events.state. Delivered events, nearly all, are not in it.
create index events_state on supply.events (
  (case when state in ('queued', 'ready') then 'waiting' else state end), next_attempt_at, account_id)
  where case when state in ('queued', 'ready') then 'waiting' else state end <> 'delivered';
comment on table supply.events is 'The webhook events, and how far each is with its delivery.';
comment on column supply.events.id is 'The event_id, the same on every attempt.';
comment on column supply.events.account_id is 'Whose secret signs it.';
comment on column supply.events.order_id is 'The order that ended; null for a simulated event.';
comment on column supply.events.order_code is 'The orderCode that the event names.';
comment on column supply.events.event_type is 'order.completed or order.failed.';
comment on column supply.events.callback_url is 'Where it goes.';
comment on column supply.events.host is 'The host of that address; empty: none can be told.';
comment on column supply.events.body is 'The body, whose bytes are the same on every attempt.';
comment on column supply.events.simulated is 'True for a sample that a partner asked for.';
comment on column supply.events.state is
  'waiting (for a rung), queued (due, without a slot), ready (has a slot and a job), sending, delivered, dead, '
  'held (since a restore).';
comment on column supply.events.round is 'The round over the retry ladder, from 1; a redelivery starts the next.';
comment on column supply.events.attempts is 'Attempts begun in the present round: nine at most.';
comment on column supply.events.next_attempt_at is 'When the next attempt is due, or was; null: none is planned.';
comment on column supply.events.lease_token is 'The fencing token of the attempt that is under way, or was last.';
comment on column supply.events.leased_by is
  'The worker pool that makes the attempt without a job; null where a job makes it.';
comment on column supply.events.lease_expires_at is
  'While sending, when the lease of the attempt ends; while ready, until when a worker should have begun it.';
comment on column supply.events.delivered_at is 'When a receiver took it.';
comment on column supply.events.dead_at is 'When it became a dead letter.';
comment on column supply.events.dead_reason is
  'Why it is a dead letter; unresolved, for samples alone: the name gave no address.';
comment on column supply.events.created_at is 'When the order ended.';

create type supply.delivery_error_kind as enum (
  'connection_error', 'timeout', 'tls_error', 'bad_response', 'name_not_resolved', 'blocked_address', 'invalid_url',
  'host_unreachable'
);
comment on type supply.delivery_error_kind is
  'Why an attempt had no answer, as partners read it. host_unreachable is only shown, and stands for what a sample '
  'must not tell apart.';

create type supply.leased_attempt as (
  event_id uuid, lease_token uuid, callback_url text, event_type text, body text, secret text, attempt int,
  request_id text, request_id_given boolean, traceparent text, account_id bigint
);
comment on type supply.leased_attempt is
  'An attempt to deliver an event, which a worker makes now: what it sends, with the stored secret of the account '
  '(null before its first delivery: the worker makes one), and the id and trace of the request that placed the order.
nullable: secret, request_id, request_id_given, traceparent';

create type supply.answer as (ordinal int, verdict text);
comment on type supply.answer is 'What the result at this place, from 1, of those recorded together changed.';
create type supply.ended_order as (outcome text, seconds double precision);
comment on type supply.ended_order is
  'How an order ended (full, partial, none) or that its partner was notified, and how long after it was placed.';
create type supply.recorded as (
  answers supply.answer[], ended supply.ended_order[], attempts supply.leased_attempt[]
);
comment on type supply.recorded is
  'What recording results changed: an answer for each, the orders that it ended, and the first attempts that the '
  'caller makes now.';

create type supply.delivery_result as (
  ordinal int, -- its place among the results that are recorded together, from 1
  event_id uuid,
  account_id bigint,
  lease_token uuid, -- the fencing token of the attempt
  verdict text, -- delivered, retry, dead or lost; unsent, which counts as no attempt; stale or busy, which end none
  dead_reason text, -- null: it is no dead letter
  ended_at timestamptz, -- the next rung is counted from then
  next_attempt_at timestamptz, -- when the next rung is due; null: there is none
  status_code int,
  error_kind supply.delivery_error_kind, -- why there was no answer
  error text, -- the same in technical terms, for people only
  retry_after int, -- how many seconds to wait, as the receiver asked
  slot_change int -- 1: the account gets a slot more, for a quick answer; -1: it loses half of them; 0: neither
);
comment on type supply.delivery_result is 'The result of one attempt to deliver an event.';

create table supply.delivery_attempts (
  event_id uuid not null references supply.events,
  round int not null check (round >= 1),
  attempt int not null check (attempt between 1 and 9),
  lease_token uuid not null unique,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  status_code int,
  outcome text check (outcome in ('delivered', 'retry', 'dead', 'lost')),
  error_kind supply.delivery_error_kind,
  error text,
  retry_after_seconds int,
  next_attempt_at timestamptz,
  primary key (event_id, round, attempt)
) with (fillfactor = 70);
create index delivery_attempts_latest on supply.delivery_attempts (started_at);
comment on table supply.delivery_attempts is 'Every attempt to deliver an event, written before the send.';
comment on column supply.delivery_attempts.event_id is 'The event.';
comment on column supply.delivery_attempts.round is
  'The round over the retry ladder, from 1; a redelivery starts the next.';
comment on column supply.delivery_attempts.attempt is 'The attempt in that round, 1 to 9.';
comment on column supply.delivery_attempts.lease_token is 'The fencing token of the attempt.';
comment on column supply.delivery_attempts.started_at is 'When it began.';
comment on column supply.delivery_attempts.finished_at is
  'When it ended; of a lost one the end of its lease; null: under way.';
comment on column supply.delivery_attempts.status_code is 'The receiver''s HTTP status, if there was one.';
comment on column supply.delivery_attempts.outcome is
  'delivered, retry, dead, or lost (the worker died before it could record one).';
comment on column supply.delivery_attempts.error_kind is 'What went wrong where there was no status.';
comment on column supply.delivery_attempts.error is 'The same in technical terms, for people only.';
comment on column supply.delivery_attempts.retry_after_seconds is
  'The receiver''s Retry-After, as clamped, where it counted.';
comment on column supply.delivery_attempts.next_attempt_at is 'When the next attempt was planned.';

create table supply.delivery_slots (
  account_id bigint primary key references supply.accounts,
  slots int not null default 8 check (slots between 8 and 64),
  slow_hosts jsonb not null default '{}'
) with (fillfactor = 50);
comment on table supply.delivery_slots is
  'How many deliveries of an account may be under way. Its row is locked by whoever gives slots to events.';
comment on column supply.delivery_slots.account_id is 'The account.';
comment on column supply.delivery_slots.slots is
  'How many may be under way: one more with each attempt that was answered quickly.';
comment on column supply.delivery_slots.slow_hosts is
  'Hosts that timed out or refused a connection, and how many of these may go there, {"host": 2}: half as many with '
  'each such attempt, one more with each quick answer.';

create table supply.redelivery_requests (
  event_id uuid not null references supply.events,
  round int not null check (round >= 2),
  key_id bigint references supply.api_keys,
  requested_by text not null default session_user,
  requested_at timestamptz not null default clock_timestamp(),
  host text,
  primary key (event_id, round)
);
comment on table supply.redelivery_requests is 'Who asked for the rounds of deliveries after the first.';
comment on column supply.redelivery_requests.event_id is 'The event; never a sample.';
comment on column supply.redelivery_requests.round is 'The round over the retry ladder that the request began.';
comment on column supply.redelivery_requests.key_id is
  'The API key of the partner''s request; null: an operator asked.';
comment on column supply.redelivery_requests.requested_by is 'The database login of the request.';
comment on column supply.redelivery_requests.requested_at is 'When; written under the lock of the event.';
comment on column supply.redelivery_requests.host is
  'The host of the address that the partner gave with the request, as core.url_host returns it; null: none.';

create table supply.delivery_trials (
  account_id bigint not null references supply.accounts,
  host text collate "C" not null,
  event_id uuid not null references supply.events,
  round int not null check (round >= 1),
  attempts int not null check (attempts between 0 and 9),
  released_to uuid,
  primary key (account_id, host)
);
comment on table supply.delivery_trials is
  'Events that try a host: once it accepts one, ops.deliver_all''s other events of that host are due, too.';
comment on column supply.delivery_trials.account_id is 'The account.';
comment on column supply.delivery_trials.host is 'The host, as supply.events.host; empty: none can be told.';
comment on column supply.delivery_trials.event_id is 'The event that tries the host.';
comment on column supply.delivery_trials.round is 'Its round when the trial began.';
comment on column supply.delivery_trials.attempts is 'Its attempts in that round when the trial began.';
comment on column supply.delivery_trials.released_to is
  'The host accepted the event, and its waiting events up to this id are due; null: the trial goes on.';

reset role;
