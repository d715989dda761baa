// Which fields of an event are about an erased person, and the event without them.
import { type ErasedPerson, namesAny } from './erasures.ts';
import { type LoggedEvent, personalFields } from './evidence.ts';
import { sealedFactsOf } from './sealed-facts.ts';

/** Stays, unless it names them. */
const reasons = ['facts.why', 'facts.reason'];

export function fieldsAbout(event: LoggedEvent, { userId, addresses, name }: ErasedPerson): string[] {
  const isObject = event.objectId === userId;
  const checksums = sealedFieldsOf(event);
  const words = [userId, ...addresses, ...(isObject && name !== '' ? [name] : [])];
  const fields = new Set<string>();
  for (const [field, value] of Object.entries(personalFields(event))) {
    const names = textsIn(value).some((text) => namesAny(text, words));
    const isOfAccount = isObject && field.startsWith('facts.') && !reasons.includes(field);
    if (names || isOfAccount || (event.ownerId === userId && checksums.includes(field))) fields.add(field);
  }
  // The origin belongs to the person who acted.
  const isByThem = event.actorId === userId || (event.actorId === '' && fields.size > 0);
  if (isByThem) for (const field of ['ip', 'request']) if (fieldOf(event, field) !== '') fields.add(field);
  return [...fields];
}

export function sealedFieldsOf({ action }: LoggedEvent): string[] {
  return sealedFactsOf(action).map((fact) => `facts.${fact}`);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => [key, ...textsIn(each)]);
}

export function blanked<Event extends LoggedEvent>(event: Event, fields: readonly string[]): Event {
  const gone = new Set(fields);
  const facts = Object.entries(event.facts).map(([name, value]) => [
    name,
    gone.has(`facts.${name}`) ? blankOf(value) : value,
  ]);
  return {
    ...event,
    actorId: gone.has('actor') ? '' : event.actorId,
    objectId: gone.has('object') ? '' : event.objectId,
    ownerId: gone.has('owner') ? '' : event.ownerId,
    remoteIp: gone.has('ip') ? '' : event.remoteIp,
    requestId: gone.has('request') ? '' : event.requestId,
    facts: Object.fromEntries(facts) as Record<string, unknown>,
  };
}

export function isBlank(event: LoggedEvent, field: string): boolean {
  const value = fieldOf(event, field);
  return value === '' || value === undefined || JSON.stringify(value) === JSON.stringify(blankOf(value));
}

/** Readers expect the same type. */
function blankOf(value: unknown): unknown {
  if (typeof value === 'string') return '';
  if (Array.isArray(value)) return [];
  return typeof value === 'object' && value !== null ? {} : null;
}

function fieldOf(event: LoggedEvent, field: string): unknown {
  switch (field) {
    case 'actor':
      return event.actorId;
    case 'object':
      return event.objectId;
    case 'owner':
      return event.ownerId;
    case 'ip':
      return event.remoteIp;
    case 'request':
      return event.requestId;
    default:
      return event.facts[field.slice('facts.'.length)];
  }
}
