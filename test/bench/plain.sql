-- What the service is measured against: the plainest function that places an order.

create schema plain;

create table plain.accounts (
  id bigint primary key,
  balance numeric(14,2) not null check (balance >= 0)
) with (fillfactor = 50);

create table plain.orders (
  id bigint generated always as identity primary key,
  account_id bigint not null references plain.accounts,
  reference text not null,
  total numeric(14,2) not null,
  created_at timestamptz not null default now()
);

create table plain.items (
  id bigint generated always as identity primary key,
  order_id bigint not null references plain.orders,
  product_id int not null,
  amount int not null,
  price numeric(14,2) not null
);

create table plain.ledger (
  id bigint generated always as identity primary key,
  account_id bigint not null references plain.accounts,
  order_id bigint not null references plain.orders,
  amount numeric(14,2) not null,
  balance_after numeric(14,2) not null,
  created_at timestamptz not null default now()
);

insert into plain.accounts (id, balance) values (1, 100000000);

create function plain.place_order(account_id bigint, reference text)
returns bigint
language plpgsql
as $$
declare
  price constant numeric := 1.00;
  left_over numeric;
  order_id bigint;
  item_id bigint;
begin
  update plain.accounts a set balance = a.balance - price
  where a.id = place_order.account_id and a.balance >= price
  returning a.balance into left_over;
  if left_over is null then
    raise exception 'insufficient balance';
  end if;
  insert into plain.orders (account_id, reference, total) values (place_order.account_id, place_order.reference, price)
  returning id into order_id;
  insert into plain.items (order_id, product_id, amount, price) values (order_id, 1, 1, price) returning id into item_id;
  insert into plain.ledger (account_id, order_id, amount, balance_after)
  values (place_order.account_id, order_id, -price, left_over);
  perform graphile_worker.add_job('plain', json_build_object('id', item_id));
  return order_id;
end
$$;
