// A kind without a text shows its identifier.
import type { EventBody } from '#contract/admin/events.ts';
import { visibleText } from '../../../visible.ts';
import { useApi } from '../../api.ts';
import { useText } from '../../texts.ts';
import { areaNames, verbNames } from './event-kinds.ts';
import { useJobName, useMailKindName, useObjectKindName } from './names.ts';

export const areas = Object.keys(areaNames);

export function useAreaName(): (area: string) => string {
  const text = useText('admin/events');
  return (area) => {
    const key = areaNames[area];
    return key === undefined ? area : text(key);
  };
}

/** `sent`, of `message.sent`. */
export function useVerbName(): (action: string) => string {
  const text = useText('admin/events');
  return (action) => {
    const key = verbNames[action.split('.')[1] ?? ''];
    return key === undefined ? action : text(key);
  };
}

/** `Message: sent`. */
export function useActionName(): (action: string) => string {
  const text = useText('admin/events');
  const areaName = useAreaName();
  return (action) => {
    const [area = '', verb = ''] = action.split('.');
    const key = verbNames[verb];
    return key === undefined ? action : text('areaVerb', { area: areaName(area), verb: text(key) });
  };
}

export function useActorName(): (event: EventBody) => string {
  const text = useText('admin/events');
  return ({ actor, actor_kind: kind }) => {
    if (actor === null) return text(kind === 'system' ? 'system' : 'anonymous');
    return actor.email === '' ? text('hidden') : visibleText(actor.name === '' ? actor.email : actor.name);
  };
}

type EventObject = Pick<EventBody, 'object_kind' | 'object_id' | 'owner'>;

/** `Person Ben Okafor`, `Group Staff`, `E-mail template Reminder`; a transfer by its id. */
export function useObjectName(): (event: EventObject) => string {
  const text = useText('admin/events');
  const kindName = useObjectKindName();
  const mailKindName = useMailKindName();
  const jobName = useJobName();
  const groups = useApi('listGroups', {}).data?.groups ?? [];
  const nameIn = ({ object_kind: kind, object_id: id, owner }: EventObject): string => {
    if (kind === 'user' && owner?.id === id) return owner.name || owner.email || text('hidden');
    if (kind === 'mail_template') return mailKindName(id);
    if (kind === 'job') return jobName(id);
    if (kind === 'group') return groups.find((group) => group.id === id)?.name ?? id;
    // The details show the id of a stored file, which says nothing to people.
    return ['attachment', 'branding', 'system'].includes(kind) ? '' : id;
  };
  return (event) => {
    const name = visibleText(nameIn(event));
    const kind = kindName(event.object_kind);
    return name === '' ? kind : text('objectNamed', { kind, name });
  };
}
