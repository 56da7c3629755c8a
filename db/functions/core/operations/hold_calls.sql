create or replace function core.hold_calls(lost text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(hold_calls.lost) = 0 then
    return;
  end if;
  insert into supply.origin (id, cluster, database_oid, timeline)
  select c.id, c.cluster, c.database_oid, c.timeline from core.current_origin() c
  on conflict on constraint origin_pkey do nothing;
  update supply.origin o set
    lost = array(select distinct l from unnest(o.lost || hold_calls.lost) as l order by l);
  perform core.raise_alerts(array[row('failover_loss', core.current_timeline(), null, format(
    'a failover lost acknowledged work (%s%s): workers call no supplier until ops.begin_recovery or '
    'ops.confirm_origin; see ops.attention',
    array_to_string(hold_calls.lost[:20], ', '),
    case when cardinality(hold_calls.lost) > 20 then format(' and %s more', cardinality(hold_calls.lost) - 20) end
  ))::supply.occurrence]);
end
$$;
comment on function core.hold_calls is
  'Records the losses of a failover (supply.origin.lost), and alerts operators. Workers call no supplier until
ops.begin_recovery or ops.confirm_origin. Does nothing without a loss. Call it last in a transaction.';
