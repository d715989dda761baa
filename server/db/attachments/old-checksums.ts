// Checksums stored in clear by earlier versions. Each function encrypts a batch behind a place in its table and returns
// the next place, or null after the last. It may run again.
import { sql } from 'kysely';
import type { EventKind } from '../../domain/events.ts';
import { withoutFields } from '../../domain/evidence.ts';
import type { SendFacts, SentFile } from '../../domain/sends.ts';
import { crc32Hex } from '../../lib/crc32.ts';
import { isPlainExtension } from '../../lib/file-name.ts';
import { lockRows } from '../engine/row-locks.ts';
import { type SealableEvent, saveErased, sealableOf } from '../events/sealable-events.ts';
import type { Tx } from '../schema/schema.ts';
import { placeOfPart } from '../uploads/parts.ts';
import { sealChecksums } from './checksums.ts';

/** In `meta` while there may be checksums in clear which the job has not begun to seal. */
export const inClearKey = 'checksums_in_clear';

/** The key of the last row that was read; empty at the start. */
export type Place = readonly (string | number)[];

export type SealBatch = (tx: Tx, after: Place, limit: number) => Promise<Place | null>;

/** The creation time of erased accounts (db/across/erasure.ts). */
const erasedSince = 0;

const eventsWithChecksums: EventKind[] = ['attachment.uploaded', 'attachment.processed'];

const nextPlace = <Row>(rows: Row[], limit: number, placeOf: (row: Row) => Place) =>
  rows.length < limit ? null : placeOf(rows.at(-1)!);

export const sealAttachments: SealBatch = async (tx, [after = ''], limit) => {
  const rows = await tx
    .selectFrom('attachments')
    .leftJoin('users', 'users.id', 'attachments.owner_id')
    .select([
      'attachments.id',
      'sha256',
      'crc32',
      'checksums_sealed',
      'users.state as owner',
      'users.created_at as since',
    ])
    .where('attachments.id', '>', String(after))
    .orderBy('attachments.id')
    .limit(limit)
    .execute();
  for (const row of rows) {
    if (row.sha256 === '' && row.crc32 === '') continue;
    const isErased = row.owner === 'deleted' && Number(row.since) === erasedSince;
    const sealed = isErased ? null : (row.checksums_sealed ?? sealChecksums(tx.keys, row, row.id));
    await tx
      .updateTable('attachments')
      .set({ sha256: '', crc32: '', checksums_sealed: sealed })
      .where('id', '=', row.id)
      .where('sha256', '=', row.sha256)
      .where('crc32', '=', row.crc32)
      .execute();
  }
  return nextPlace(rows, limit, ({ id }) => [id]);
};

export const sealParts: SealBatch = async (tx, [upload = '', number = -1], limit) => {
  const rows = await tx
    .selectFrom('parts')
    .select(['upload_id', 'number', 'sha256', 'crc32', 'checksums_sealed'])
    .where(sql<boolean>`(upload_id, number) > (${upload}, ${number})`)
    .orderBy('upload_id')
    .orderBy('number')
    .limit(limit)
    .execute();
  for (const row of rows) {
    if (row.sha256 === '') continue;
    const checksums = { sha256: row.sha256, crc32: crc32Hex(row.crc32) };
    const place = placeOfPart(row.upload_id, row.number);
    await tx
      .updateTable('parts')
      .set({ sha256: '', crc32: 0, checksums_sealed: row.checksums_sealed ?? sealChecksums(tx.keys, checksums, place) })
      .where('upload_id', '=', row.upload_id)
      .where('number', '=', row.number)
      .execute();
  }
  return nextPlace(rows, limit, ({ upload_id, number }) => [upload_id, number]);
};

/** Numbers read for each row that a batch may change, because most events have no checksum. */
const eventsForEach = 10;

export const sealEventFacts: SealBatch = async (tx, [after = 0], limit) => {
  const upTo = Number(after) + limit * eventsForEach;
  const rows = await lockRows(
    tx,
    tx
      .selectFrom('events')
      .selectAll()
      .where('seq', '>', Number(after))
      .where('seq', '<=', upTo)
      .where('action', 'in', eventsWithChecksums)
      .orderBy('seq'),
  ).execute();
  for (const row of rows) {
    if (row.facts.includes('"sealed"')) continue;
    const { event, salts } = sealableOf(tx.keys, row);
    // Like an erasure of nothing, because the database refuses every other change of an event.
    await saveErased(tx, { event, salts: withoutFields(event, salts, [], '') });
  }
  const later = await tx.selectFrom('events').select('seq').where('seq', '>', upTo).limit(1).executeTakeFirst();
  return later === undefined ? null : [upTo];
};

export async function listEventsOfErased(tx: Tx, [after = 0]: Place, limit: number): Promise<SealableEvent[]> {
  const rows = await lockRows(
    tx,
    tx
      .selectFrom('events')
      .selectAll('events')
      .where('seq', '>', Number(after))
      .where('action', 'in', eventsWithChecksums)
      .where('object_id', 'in', (query) =>
        query
          .selectFrom('attachments')
          .innerJoin('users', 'users.id', 'attachments.owner_id')
          .select('attachments.id')
          .where('users.state', '=', 'deleted')
          .where('users.created_at', '=', erasedSince),
      )
      .orderBy('seq')
      .limit(limit),
  ).execute();
  return rows.map((row) => sealableOf(tx.keys, row));
}

/** Removes extensions that are not one, because the text after the last dot may be the secret. */
export const clearExtensions: SealBatch = async (tx, [group = '', sentAt = -1, id = ''], limit) => {
  const rows = await tx
    .selectFrom('sends')
    .select(['group_id', 'sent_at', 'id', 'facts'])
    .where(sql<boolean>`(group_id, sent_at, id) > (${group}, ${sentAt}, ${id})`)
    .orderBy('group_id')
    .orderBy('sent_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  for (const row of rows) {
    const facts = JSON.parse(row.facts) as Partial<SendFacts>;
    const files: SentFile[] = 'files' in facts ? (facts.files ?? []) : 'file' in facts ? [facts.file!] : [];
    const strange = files.filter(({ extension }) => extension !== '' && !isPlainExtension(extension));
    if (strange.length === 0) continue;
    for (const file of strange) file.extension = '';
    await tx
      .updateTable('sends')
      .set({ facts: JSON.stringify(facts) })
      .where('group_id', '=', row.group_id)
      .where('sent_at', '=', row.sent_at)
      .where('id', '=', row.id)
      .execute();
  }
  return nextPlace(rows, limit, (row) => [row.group_id, Number(row.sent_at), row.id]);
};
