// Reads internal state: stored bytes, charged storage, keys.
import type { TestApp } from './app.ts';

export async function storedBlobs(app: TestApp): Promise<string[]> {
  const keys: string[] = [];
  for await (const blob of app.app.ctx.blobs.list()) keys.push(blob.key);
  return keys.sort();
}

/** The bytes that a person's files and running uploads count as. */
export async function chargeOf(app: TestApp, email: string): Promise<{ storedBytes: number; reservedBytes: number }> {
  const row = await app.app.ctx.db.read
    .selectFrom('users')
    .select(['stored_bytes', 'reserved_bytes'])
    .where('email', '=', email)
    .executeTakeFirstOrThrow();
  return { storedBytes: Number(row.stored_bytes), reservedBytes: Number(row.reserved_bytes) };
}

export function attachmentRow(app: TestApp, id: string) {
  return app.app.ctx.db.read.selectFrom('attachments').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

export function uploadRow(app: TestApp, id: string) {
  return app.app.ctx.db.read.selectFrom('uploads').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
}

/** Numbers of rows of files, finished and unfinished. */
export async function fileRows(app: TestApp): Promise<{ attachments: number; parts: number }> {
  const { read } = app.app.ctx.db;
  const count = async (table: 'attachments' | 'parts') => {
    const { rows } = await read
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return Number(rows);
  };
  return { attachments: await count('attachments'), parts: await count('parts') };
}

export async function contentOf(app: TestApp, id: string): Promise<Buffer> {
  const { db, blobs, keys } = app.app.ctx;
  const row = await attachmentRow(app, id);
  const dataKey = keys.files.unwrap({ wrapped: row.data_key_wrapped!, keyId: row.key_encryption_key_id }, id);
  const parts = await db.read.selectFrom('parts').selectAll().where('upload_id', '=', id).orderBy('number').execute();
  const chunks: Buffer[] = [];
  for (const part of parts) {
    const blob = { key: part.blob_key, dataKey, context: `${id}/${part.number}` };
    for await (const bytes of blobs.read(blob, { start: 0, end: Number(part.size_bytes) })) chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}
