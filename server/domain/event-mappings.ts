// Writes an event in CEF (ArcSight) and OCSF 1.3.
import { mappingOf } from './event-mapping-table.ts';
import type { OutgoingEvent } from './outgoing-events.ts';

export function severityOf(action: string): number {
  return mappingOf(action).severity;
}

type Field = (event: OutgoingEvent) => string | number;

/** CEF keys by field; empty values are left out. */
export const cefFields: Readonly<Record<string, Field>> = {
  rt: ({ at }) => Date.parse(at),
  externalId: ({ id }) => id,
  src: ({ remote_ip: ip }) => (ip.includes(':') ? '' : ip),
  c6a2: ({ remote_ip: ip }) => (ip.includes(':') ? ip : ''),
  c6a2Label: ({ remote_ip: ip }) => (ip.includes(':') ? 'Source IPv6 Address' : ''),
  suid: ({ actor }) => actor?.id ?? '',
  suser: ({ actor }) => actor?.email ?? '',
  spriv: ({ actor_kind: kind }) => kind,
  duid: ({ owner }) => owner?.id ?? '',
  duser: ({ owner }) => owner?.email ?? '',
  cs1Label: () => 'objectKind',
  cs1: ({ object_kind: kind }) => kind,
  cs2Label: () => 'objectId',
  cs2: ({ object_id: id }) => id,
  cs3Label: () => 'requestId',
  cs3: ({ request_id: id }) => id,
  cs4Label: () => 'facts',
  cs4: ({ facts }) => JSON.stringify(facts),
};

const escapeHeader = (text: string) => text.replace(/[\\|]/g, '\\$&').replace(/[\r\n]+/g, ' ');
const escapeValue = (text: string) => text.replace(/[\\=]/g, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n');

export function cefOf(event: OutgoingEvent, version: string): string {
  const name = event.action.replace(/[._]/g, ' ');
  const header = ['CEF:0', 'Waybill', 'Waybill', version, event.action, name, String(severityOf(event.action))];
  const fields = Object.entries(cefFields)
    .map(([key, read]) => [key, String(read(event))] as const)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key}=${escapeValue(value)}`);
  return `${header.map(escapeHeader).join('|')}|${fields.join(' ')}`;
}

/** OCSF: 1 informational, 2 low, 3 medium, 4 high, 5 critical. */
function ocsfSeverity(severity: number): number {
  if (severity >= 9) return 5;
  if (severity >= 7) return 4;
  return severity >= 6 ? 3 : severity >= 4 ? 2 : 1;
}

const failures = new Set([
  'user.sign_in_failed',
  'user.sign_in_locked',
  'sign_in.refused',
  'passkey.refused',
  'mail.refused',
]);

const personOf = (person: OutgoingEvent['actor']) =>
  person === null ? {} : { user: { uid: person.id, name: person.name, email_addr: person.email } };

export function ocsfOf(event: OutgoingEvent, version: string): Record<string, unknown> {
  const { category, class: uid, activity } = mappingOf(event.action).ocsf;
  const owner = personOf(event.owner);
  return {
    category_uid: category,
    class_uid: uid,
    activity_id: activity,
    ...(activity === 99 ? { activity_name: event.action } : {}),
    type_uid: uid * 100 + activity,
    severity_id: ocsfSeverity(severityOf(event.action)),
    status_id: failures.has(event.action) ? 2 : 1,
    time: Date.parse(event.at),
    message: `${event.action}: ${event.object_kind} ${event.object_id}`,
    metadata: {
      version: '1.3.0',
      uid: String(event.id),
      event_code: event.action,
      correlation_uid: event.request_id,
      product: { name: 'Waybill', vendor_name: 'Waybill', version },
    },
    actor: { ...personOf(event.actor), app_name: event.actor_kind },
    ...owner,
    ...(event.remote_ip === '' ? {} : { src_endpoint: { ip: event.remote_ip } }),
    entity: { type: event.object_kind, uid: event.object_id },
    unmapped: event.facts,
  };
}
