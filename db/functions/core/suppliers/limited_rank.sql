create or replace function core.limited_rank(item supply.order_items)
returns int
language sql immutable
return case
  when item.next_call = 'put' and item.recovered_at is null then 0
  else 1 + least(item.checks, 7)
end;
comment on function core.limited_rank is
  'Returns in which order items that wait get the places of their supplier: calls that send an item which the supplier
does not have (0) before questions, and new questions before old ones. A paused supplier gets no 0.';
