create or replace function core.product_lines(import_id bigint)
returns setof supply.product_line
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with given as materialized (
    select row_number() over (order by l.id)::int as line, v.*,
      case when pg_input_is_valid(v.product_id, 'int') then v.product_id::int end as given_id,
      l.given ?| array['game_slug', 'name', 'price', 'currency', 'delivery_type', 'region', 'amount_value',
        'max_quantity', 'in_stock', 'image_url', 'platform', 'countries'] as names_product,
      l.given ?| array['sku', 'cost', 'cost_currency', 'priority'] as names_offer,
      case
        -- Most lines have plain values, and this costs less.
        when coalesce(v.product_id ~ '^[0-9]{1,9}$', true) and coalesce(v.price ~ '^[0-9]{1,20}([.][0-9]{1,9})?$', true)
          and coalesce(v.cost ~ '^[0-9]{1,20}([.][0-9]{1,9})?$', true) and l.given::text not like '%<none>%'
          and coalesce(v.amount_value, v.max_quantity, v.priority, v.in_stock) is null then null
        else core.fault_of_values(l.given, '{"product_id": "int", "price": "numeric", "amount_value": "numeric",
          "max_quantity": "int", "in_stock": "boolean", "cost": "numeric", "priority": "int"}',
          '{region,amount_value,cost,cost_currency,image_url,platform,countries}')
      end as fault
    from supply.import_lines l
    cross join lateral jsonb_to_record(l.given) as v (
      product_id text, game_slug text, name text, price text, currency text, delivery_type text, region text,
      amount_value text, max_quantity text, in_stock text, image_url text, platform text, countries text,
      supplier text, sku text, cost text, cost_currency text, priority text)
    where l.import_id = product_lines.import_id
  ), meant as materialized (
    select g.*, case when g.product_id is null then o.product_id else g.given_id end as id,
      case when o.count > 1 then format('%s offers %s for %s products, such as %s and %s: name the product_id',
        g.supplier, g.sku, o.count, o.product_id, o.last_id) end as ambiguity
    from given g
    left join lateral (
      select min(o.product_id) as product_id, max(o.product_id) as last_id, count(*) as count
      from supply.offers o where g.product_id is null and o.supplier = g.supplier and o.sku = g.sku) as o on true
  ), compared as materialized (
    -- The values with what they leave out, as numbers where they are some.
    select m.line, m.id, m.names_product, m.names_offer, m.supplier, m.sku as given_sku, p as product, o as offer,
      coalesce(m.game_slug, g.slug) as game_slug, coalesce(m.name, p.name) as name,
      coalesce(case when m.fault is null then m.price::numeric end, p.price) as price,
      coalesce(m.currency, p.currency) as currency, coalesce(m.delivery_type, p.delivery_type) as delivery_type,
      case m.region when '<none>' then '' else m.region end as region,
      case when m.fault is null then case m.amount_value when '<none>' then 0 else m.amount_value::numeric end end
        as amount_value,
      case when m.fault is null then m.max_quantity::int end as max_quantity,
      case when m.fault is null then m.in_stock::boolean end as in_stock,
      case m.image_url when '<none>' then '' else m.image_url end as image_url,
      case m.platform when '<none>' then '' else m.platform end as platform,
      case m.countries when '<none>' then '{}' else regexp_split_to_array(m.countries, '[[:space:]]+') end as countries,
      coalesce(m.sku, o.sku) as sku,
      case when m.cost is null then o.cost when m.fault is null then nullif(m.cost, '<none>')::numeric end as cost,
      case
        when m.cost_currency is null or o.currency is null and m.cost_currency = p.currency
          and m.cost_currency = coalesce(m.currency, p.currency) then o.currency
        else nullif(m.cost_currency, '<none>')
      end as cost_currency,
      coalesce(case when m.fault is null then m.priority::int end, o.priority, 100) as priority,
      m.fault, m.ambiguity,
      array_remove(array[case when coalesce(m.game_slug, g.slug) is null then 'game_slug' end,
        case when coalesce(m.name, p.name) is null then 'name' end,
        case when coalesce(m.price, p.price::text) is null then 'price' end,
        case when coalesce(m.currency, p.currency) is null then 'currency' end,
        case when coalesce(m.delivery_type, p.delivery_type) is null then 'delivery_type' end], null) as missing,
      count(*) over same as times, min(m.line) over same as first_line, max(m.line) over same as last_line
    from meant m
    left join supply.products p on p.id = m.id
    left join supply.games g on g.id = p.game_id
    left join supply.offers o on o.product_id = m.id and o.supplier = m.supplier
    window same as (partition by case
      when m.id is not null then array[m.id::text]
      when m.supplier is not null and m.sku is not null then array[m.supplier, m.sku]
      when m.name is not null then array[m.game_slug, m.name, m.currency, m.region]
      else array['line', m.line::text, null, null] end)
  ), judged as materialized (
    select c.*, nullif(concat_ws('; ', c.fault, c.ambiguity,
      case when c.times > 1 then format('the same product is in lines %s and %s', c.first_line, c.last_line) end,
      case
        when c.missing <> '{}' then format('%sa new product needs %s', case when c.id is not null
          then format('there is no product %s, and ', c.id) end, array_to_string(c.missing, ', '))
        when c.fault is null then coalesce(
          case when not exists (select from supply.games g where g.slug = c.game_slug)
            then format('there is no game %L: ops.upsert_game creates one', c.game_slug) end,
          core.fault_of_product(coalesce(c.id, 1), c.name, c.price, c.currency, c.delivery_type, c.region,
            c.amount_value, coalesce(c.max_quantity, (c.product).max_quantity, 100)),
          core.fault_of_details(c.image_url, c.platform, c.countries),
          case when core.lacks_required_field(c.delivery_type, (c.product).delivery_fields)
            then 'its delivery_fields have no required field, and an id_only product needs one' end)
      end,
      case
        when c.supplier is null and c.names_offer then 'the supplier is missing'
        when c.supplier is null then null
        when not exists (select from supply.suppliers s where s.code = c.supplier)
          then format('there is no supplier %L', c.supplier)
        when c.sku is null then format('the sku at %s is missing', c.supplier)
        when c.fault is null then coalesce(
          core.fault_of_offer(c.sku, c.cost, c.priority, c.cost_currency, c.currency),
          case when coalesce(c.cost_currency, c.currency) <> coalesce((c.offer).currency, (c.product).currency)
              and (c.offer).max_cost is not null
            then 'the offer has a max_cost in another currency' end)
      end), '') as all_faults
    from compared c
  ), numbered as materialized (
    select j.*, coalesce(j.id, (
        select greatest(max(p.id), (select max(o.id) from judged o where o.all_faults is null), 0)
        from supply.products p)::int
      + (count(*) filter (where j.id is null and j.all_faults is null) over (order by j.line))::int) as new_id
    from judged j
  )
  select n.line,
    coalesce(case when (n.product).id is not null then format('%s (%s)', n.id, (n.product).name) end,
      n.supplier || ' / sku ' || n.sku, n.name, 'product ' || n.id),
    n.all_faults, n.supplier, n.given_sku, n.product,
    case
      when n.all_faults is not null then null
      when not n.names_product then n.product
      else core.merged_details(core.merged_product(
        n.product, n.new_id, g.id, n.name, n.price, n.currency, n.delivery_type,
        case when n.delivery_type = (n.product).delivery_type then (n.product).delivery_fields
          else core.fields_of_product(n.delivery_type, null, n.product) end,
        n.region, n.amount_value, n.max_quantity, n.in_stock), n.image_url, n.platform, n.countries)
    end,
    n.offer,
    case when n.all_faults is null and n.supplier is not null then
      core.merged_offer(n.offer, n.new_id, n.supplier, n.sku, n.cost, n.priority, n.cost_currency, true) end
  from numbered n
  left join supply.games g on g.slug = n.game_slug
  order by n.line
$$;
comment on function core.product_lines is
  'Returns the lines of an import of products with what each means now. New products have the numbers that they get if
nobody creates others meanwhile.';
