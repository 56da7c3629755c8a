-- Without being named, pg_temp is searched first for types: a path that names it last leaves nothing to put there.
alter function supply.refuse_change() set search_path = pg_catalog, pg_temp;
