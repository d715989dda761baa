// Events may only be appended. The one permitted change removes personal values and destroys the salt of the event.
import { type RawBuilder, sql } from 'kysely';
import type { Dialect } from '../engine/db.ts';

const fixed = ['seq', 'at', 'action', 'actor_kind', 'object_kind'];
const erasable = ['actor_id', 'object_id', 'owner_id', 'remote_ip', 'request_id'];

export function eventTriggers(dialect: Dialect): RawBuilder<unknown>[] {
  const conditions = [
    ...fixed.map((name) => `new.${name} = old.${name}`),
    ...erasable.map((name) => `(new.${name} = old.${name} or new.${name} = '')`),
    'new.salt is null',
    'new.opening is not null',
  ];
  const isErasure = sql.raw(conditions.join(' and '));
  return dialect === 'sqlite'
    ? [
        sql`create trigger events_no_delete before delete on events
          begin select raise(abort, 'events are append-only'); end`,
        sql`create trigger events_no_update before update on events when not (${isErasure})
          begin select raise(abort, 'events are append-only'); end`,
      ]
    : [
        sql`create function events_append_only() returns trigger language plpgsql as $$
          begin
            if tg_op = 'UPDATE' then
              if ${isErasure} then return new; end if;
            end if;
            raise exception 'events are append-only';
          end $$`,
        sql`create trigger events_append_only before update or delete on events
          for each row execute function events_append_only()`,
        sql`create trigger events_no_truncate before truncate on events
          for each statement execute function events_append_only()`,
      ];
}
