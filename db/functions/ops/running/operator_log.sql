create or replace view ops.operator_log as
select l.id as log_id, l.at, l.who, l.action, l.subject, l.detail
from supply.operator_log l;
comment on view ops.operator_log is
  'The actions of operators by these functions. It never has an API key, a secret or a token.';
comment on column ops.operator_log.log_id is 'A running number.';
