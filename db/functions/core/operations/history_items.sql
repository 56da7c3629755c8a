create or replace view core.history_items as
select i.*, case i.part when 1 then 'the rest of ' else '' end || 'item ' || i.position + 1 as label,
  (sum(i.amount) over (partition by i.order_id, i.position))::int as ordered
from core.items i;
comment on view core.history_items is
  'The items with their names in the order''s story, and the amounts ordered before a partial delivery split them.';
