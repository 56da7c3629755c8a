create or replace view core.open_imports as
-- After a restore, a transaction can have the number of an old one.
select i.* from supply.imports i
where i.loaded_at = now() and i.transaction_id = pg_current_xact_id() and i.state = 'loaded';
comment on view core.open_imports is 'What this transaction has loaded and not applied: one import of a kind.';
