set local role supply_owner;

create table supply.events (
  id uuid primary key default gen_random_uuid(),
  account_id bigint not null references supply.accounts,
  order_id bigint references supply.orders,
  order_code text not null,
  event_type text not null check (event_type in ('order.completed', 'order.failed')),
  callback_url text not null,
  body text not null,
  simulated boolean not null default false,
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'delivered', 'dead')),
  ladder int not null default 1 check (ladder >= 1),
  attempts int not null default 0 check (attempts between 0 and 9),
  next_attempt_at timestamptz default now(),
  claim_id uuid,
  claim_expires_at timestamptz,
  delivered_at timestamptz,
  dead_at timestamptz,
  dead_reason text check (dead_reason in ('attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'blocked_address')),
  created_at timestamptz not null default now(),
  check (simulated = (order_id is null)),
  check ((state = 'waiting') = (next_attempt_at is not null)),
  check ((state = 'sending') = (claim_expires_at is not null)),
  check ((state = 'delivered') = (delivered_at is not null)),
  check ((state = 'dead') = (dead_at is not null and dead_reason is not null))
) with (fillfactor = 80);
create unique index events_one_an_order on supply.events (order_id);
create index events_open on supply.events (account_id, state) where state in ('waiting', 'sending');
create index events_dead on supply.events (account_id, dead_at) where state = 'dead';
comment on table supply.events is 'The webhook events, and how far each is with its delivery.';
comment on column supply.events.id is 'The event_id, the same on every attempt.';
comment on column supply.events.account_id is 'Whose secret signs it.';
comment on column supply.events.order_id is 'The order that ended; null for a simulated event.';
comment on column supply.events.order_code is 'The orderCode that the event names.';
comment on column supply.events.event_type is 'order.completed or order.failed.';
comment on column supply.events.callback_url is 'Where it goes.';
comment on column supply.events.body is 'The body, whose bytes are the same on every attempt.';
comment on column supply.events.simulated is 'True for a sample that a partner asked for.';
comment on column supply.events.state is 'waiting, sending, delivered, dead.';
comment on column supply.events.ladder is 'Which run over the retry ladder this is; a redelivery starts the next.';
comment on column supply.events.attempts is 'Attempts begun on the present ladder: nine at most.';
comment on column supply.events.next_attempt_at is 'When the next attempt of a waiting event is due.';
comment on column supply.events.claim_id is 'The attempt that is under way, or was last.';
comment on column supply.events.claim_expires_at is 'Until when that attempt may take, while sending.';
comment on column supply.events.delivered_at is 'When a receiver took it.';
comment on column supply.events.dead_at is 'When it became a dead letter.';
comment on column supply.events.dead_reason is 'Why it is a dead letter.';
comment on column supply.events.created_at is 'When the order ended.';

create table supply.delivery_attempts (
  event_id uuid not null references supply.events,
  ladder int not null check (ladder >= 1),
  attempt int not null check (attempt between 1 and 9),
  claim_id uuid not null unique,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  status_code int,
  outcome text check (outcome in ('delivered', 'retry', 'dead', 'lost')),
  error text,
  retry_after_seconds int,
  next_attempt_at timestamptz,
  primary key (event_id, ladder, attempt)
);
comment on table supply.delivery_attempts is 'Every attempt to deliver an event, written before the send.';
comment on column supply.delivery_attempts.event_id is 'The event.';
comment on column supply.delivery_attempts.ladder is 'The run over the ladder.';
comment on column supply.delivery_attempts.attempt is 'The attempt on that ladder, 1 to 9.';
comment on column supply.delivery_attempts.claim_id is 'The claim that fences the recording of its result.';
comment on column supply.delivery_attempts.started_at is 'When it began.';
comment on column supply.delivery_attempts.finished_at is 'When it ended; of a lost one the end of its lease; null: under way.';
comment on column supply.delivery_attempts.status_code is 'The receiver''s HTTP status, if there was one.';
comment on column supply.delivery_attempts.outcome is 'delivered, retry, dead, or lost (the worker died before it could record one).';
comment on column supply.delivery_attempts.error is 'What went wrong where there was no status.';
comment on column supply.delivery_attempts.retry_after_seconds is 'The receiver''s Retry-After, as clamped, where it counted.';
comment on column supply.delivery_attempts.next_attempt_at is 'When the next attempt was planned.';

create table supply.alerts (
  id uuid primary key default gen_random_uuid(),
  cause text not null,
  hour timestamptz not null,
  message text not null,
  count int not null default 1 check (count >= 1),
  first_at timestamptz not null default now(),
  last_at timestamptz not null default now(),
  sent_at timestamptz,
  unique (cause, hour)
);
comment on table supply.alerts is 'What operators have to look at: one row per cause and hour.';
comment on column supply.alerts.id is 'What the job that sends the alert carries.';
comment on column supply.alerts.cause is 'What happened, and to whom.';
comment on column supply.alerts.hour is 'The hour that the row stands for.';
comment on column supply.alerts.message is 'The first occurrence in words.';
comment on column supply.alerts.count is 'How often it happened in that hour.';
comment on column supply.alerts.first_at is 'When it first happened.';
comment on column supply.alerts.last_at is 'When it last happened.';
comment on column supply.alerts.sent_at is 'When it was logged, and posted where an alert webhook is set.';

create table supply.operator_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  who text not null default session_user,
  action text not null,
  subject text not null,
  detail jsonb not null default '{}'
);
comment on table supply.operator_log is 'Who did what through the operators'' functions.';
comment on column supply.operator_log.id is 'A running number.';
comment on column supply.operator_log.at is 'When.';
comment on column supply.operator_log.who is 'The database login.';
comment on column supply.operator_log.action is 'The function''s name.';
comment on column supply.operator_log.subject is 'What it was done to.';
comment on column supply.operator_log.detail is 'With what; never a secret.';
create trigger append_only before update or delete on supply.operator_log for each row execute function supply.refuse_change();

create table supply.worker_pools (
  pool_id text primary key,
  lock_key bigint not null,
  started_at timestamptz not null default now(),
  seen_at timestamptz not null default now(),
  misses int not null default 0,
  checked_at timestamptz not null default now()
);
comment on table supply.worker_pools is 'The worker pools that may hold locks on jobs; the sweeper frees the jobs of dead ones.';
comment on column supply.worker_pools.pool_id is 'The queue''s name of the pool, as it locks jobs.';
comment on column supply.worker_pools.lock_key is 'The advisory lock that its process holds while it lives.';
comment on column supply.worker_pools.started_at is 'When it registered.';
comment on column supply.worker_pools.seen_at is 'Its last heartbeat.';
comment on column supply.worker_pools.misses is 'In how many sweeps running its lock was found free.';
comment on column supply.worker_pools.checked_at is 'When a sweep last looked.';

reset role;
