create or replace view core.story_items as
select i.*, case i.part when 1 then 'the rest of ' else '' end || 'item ' || i.position + 1 as label,
  (sum(i.amount) over (partition by i.order_id, i.position))::int as ordered
from supply.order_items i;
comment on view core.story_items is
  'The items, their names in the story of their order, and the units ordered before a partial delivery split them.';
