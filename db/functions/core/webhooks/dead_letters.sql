create or replace view core.dead_letters as
select e.* from supply.events e where e.state = 'dead' and not e.simulated;
comment on view core.dead_letters is 'The events that are dead letters now.';
