create or replace view ops.product_texts as
select t.product_id, p.name, t.locale, t.description, t.redeem, t.terms, t.updated_at, t.supplier
from supply.product_texts t
join supply.products p on p.id = t.product_id;
comment on view ops.product_texts is 'What shops tell buyers of a product, in each locale.';
comment on column ops.product_texts.name is 'The product''s name.';
comment on column ops.product_texts.redeem is 'How the buyer uses the product.';
