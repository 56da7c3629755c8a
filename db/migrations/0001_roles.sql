-- Roles belong to the cluster, so another database may have made them already, or be making them now.
do $$
declare
  wanted text;
begin
  foreach wanted in array array['supply_owner', 'supply_api', 'supply_worker', 'supply_operator', 'supply_support',
    'supply_trade', 'supply_finance', 'supply_analyst']
  loop
    if not exists (select 1 from pg_catalog.pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin', wanted);
      exception when duplicate_object or unique_violation then
        null;
      end;
    end if;
    if not pg_catalog.pg_has_role(current_user, wanted, 'set') then
      execute format('grant %I to current_user', wanted);
    end if;
  end loop;
end
$$;

do $$
begin
  execute format('grant create, connect on database %I to supply_owner', current_database());
end
$$;

-- So that workers see sessions that hold old transactions (core.problems). Without it they do not look for these.
do $$
begin
  if not pg_catalog.pg_has_role('supply_owner', 'pg_read_all_stats', 'usage') then
    grant pg_read_all_stats to supply_owner;
  end if;
exception when insufficient_privilege then
  raise notice 'old transactions are not reported: grant pg_read_all_stats to supply_owner as a superuser';
end
$$;

set local role supply_owner;

create schema supply;
comment on schema supply is 'The tables and nothing else. Code lives in api, work, ops and core.';
create schema core;
comment on schema core is 'Private helpers of the other code schemas.';
create schema api;
comment on schema api is 'What the HTTP layer may call.';
create schema work;
comment on schema work is 'What the tasks may call.';
create schema ops;
comment on schema ops is 'What operators may call and read.';
create schema bi;
comment on schema bi is 'What analysts may read: a contract of its own, without secrets, codes and free texts.';

grant usage on schema api to supply_api;
grant usage on schema work to supply_worker;
grant usage on schema ops to supply_operator, supply_support, supply_trade, supply_finance;
grant usage on schema bi to supply_analyst;

-- Without this every function is executable by everyone between its creation and its REVOKE.
alter default privileges for role supply_owner revoke execute on functions from public;

create table supply.code_version (
  id boolean primary key default true check (id),
  release text not null,
  checksum text not null,
  files jsonb not null,
  loaded_at timestamptz not null default now()
);
comment on table supply.code_version is 'Which release the database is of: one row.';
comment on column supply.code_version.id is 'Always true: there is one row.';
comment on column supply.code_version.release is 'The release that migrated it last, such as 1.0.0.';
comment on column supply.code_version.checksum is 'SHA-256 over all function files.';
comment on column supply.code_version.files is 'The SHA-256 of each function file, by schema and name.';
comment on column supply.code_version.loaded_at is 'When that release, or that state of the files, was loaded.';

reset role;

-- The queue's tables have row level security without policies, so only their owner sees rows.
do $$
declare
  queue_table regclass;
begin
  execute 'grant usage on schema graphile_worker to supply_owner, supply_worker';
  execute 'grant select, insert, update, delete on all tables in schema graphile_worker to supply_owner, supply_worker';
  execute 'grant usage, select, update on all sequences in schema graphile_worker to supply_owner, supply_worker';
  execute 'grant execute on all functions in schema graphile_worker to supply_owner, supply_worker';
  for queue_table in
    select c.oid from pg_catalog.pg_class c
    where c.relnamespace = 'graphile_worker'::regnamespace and c.relkind = 'r' and c.relrowsecurity
  loop
    execute format(
      'create policy supply_service on %s to supply_owner, supply_worker using (true) with check (true)', queue_table);
  end loop;
end
$$;

grant usage on schema migrations to supply_owner;
grant select on migrations.applied to supply_owner;

-- Large objects are storage that every login may fill. A login that is no superuser cannot take the right away.
do $$
declare
  large_object_function regprocedure;
begin
  for large_object_function in
    select p.oid from pg_catalog.pg_proc p
    where p.pronamespace = 'pg_catalog'::regnamespace and (p.proname like 'lo\_%' or p.proname in ('loread', 'lowrite'))
  loop
    execute format('revoke execute on function %s from public', large_object_function);
  end loop;
exception when insufficient_privilege then
  raise warning 'large objects stay open to every login: only a superuser can revoke lo_* from PUBLIC';
end
$$;
