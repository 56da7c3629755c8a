create or replace function api.list_events(
  account_id bigint, page_limit int, state text default null, since timestamptz default null, after_id uuid default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := list_events.state;
  since_at constant timestamptz := coalesce(since, '-infinity');
  before_at timestamptz := 'infinity';
  before_id constant uuid := coalesce(after_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff');
  ids uuid[];
begin
  if after_id is not null then
    select e.created_at into before_at from supply.events e
    where e.id = after_id and e.account_id = list_events.account_id and e.order_id is not null;
    if not found then
      return null;
    end if;
  end if;
  if wanted is null or wanted = 'delivered' then
    ids := array(
      select e.id from supply.events e
      where e.account_id = list_events.account_id and e.order_id is not null
        and (wanted is null or e.state = 'delivered')
        and e.created_at >= since_at and (e.created_at, e.id) < (before_at, before_id)
      order by e.created_at desc, e.id desc limit page_limit + 1);
  else
    -- Each state has an index by account, and few events.
    ids := array(
      select e.id
      from (
        select e.* from supply.events e
        where wanted = 'dead' and e.account_id = list_events.account_id and e.state = 'dead'
        union all
        select e.* from supply.events e
        where wanted = 'held' and e.account_id = list_events.account_id and e.state = 'held'
        union all
        select e.* from supply.events e
        where wanted = 'waiting' and e.account_id = list_events.account_id and e.state = 'waiting'
        union all
        select e.* from supply.events e
        where wanted = 'waiting' and e.account_id = list_events.account_id and e.state = 'queued'
        union all
        select e.* from supply.events e
        where e.account_id = list_events.account_id
          and (wanted = 'waiting' and e.state = 'ready' or wanted = 'sending' and e.state = 'sending')
      ) as e
      where e.order_id is not null and e.created_at >= since_at and (e.created_at, e.id) < (before_at, before_id)
      order by e.created_at desc, e.id desc limit page_limit + 1);
  end if;
  return json_build_object(
    'events', (
      select coalesce(json_agg(core.event_json(i.id) order by i.place), '[]')
      from unnest(ids[1:page_limit]) with ordinality as i (id, place)),
    'pagination', json_build_object(
      'limit', page_limit,
      'nextCursor', case when cardinality(ids) > page_limit then ids[page_limit] end,
      'hasMore', cardinality(ids) > page_limit));
end
$$;
comment on function api.list_events is
  'Returns the events of the account''s orders, newest first: those of a state (waiting, sending, delivered, dead,
held), and made since a moment. after_id is a nextCursor; null is returned for one that is no event of the account.';
