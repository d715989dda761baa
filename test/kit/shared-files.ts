// Shared files and people, for tests about another subject.
import { randomBytes } from 'node:crypto';
import { fileLinkAnswer } from '#contract/file-links.ts';
import { findApiKeyOf, openApiKey } from '#server/db/api-keys/api-keys.ts';
import { activateAccount, type TestApp } from './app.ts';
import { ApiClient } from './client.ts';
import { wireForm } from './wire-form.ts';

export interface SharedFile {
  linkId: string;
  attachmentId: string;
  bytes: Buffer<ArrayBuffer>;
}

export async function share(
  owner: ApiClient,
  options: {
    name?: string;
    bytes?: Buffer<ArrayBuffer> | string | number;
    headers?: Record<string, string>;
    link?: Record<string, unknown>;
  } = {},
): Promise<SharedFile> {
  const { name = 'report.bin', bytes: given = 3000, headers = {}, link = {} } = options;
  const bytes = typeof given === 'number' ? randomBytes(given) : Buffer.from(given as Buffer<ArrayBuffer>);
  const attachment = await owner.upload(name, bytes, 'uploadForLink', headers);
  return { attachmentId: attachment.id, linkId: await linkTo(owner, attachment.id, link), bytes };
}

export async function linkTo(
  owner: ApiClient,
  attachmentId: string,
  link: Record<string, unknown> = {},
): Promise<string> {
  const { body } = await owner.expect(200, 'createFileLink', { body: { link: { attachment: attachmentId, ...link } } });
  return wireForm(fileLinkAnswer, body).link.id;
}

export async function uploadChunks(owner: ApiClient, name: string, chunks: Uint8Array<ArrayBuffer>[]): Promise<string> {
  let id = '';
  for (const [number, chunk] of chunks.entries()) {
    const reply = await owner.expect(200, 'uploadForLink', {
      query: { filename: name, chunks: String(chunks.length), chunk: String(number) },
      bytes: chunk,
    });
    id = (reply.body as { attachment: { id: string } } | null)?.attachment.id ?? '';
  }
  return id;
}

/** A new person whose key is read from the database, because reading keys back is limited. */
export async function newPerson(app: TestApp, name: string, user: Record<string, unknown> = {}): Promise<ApiClient> {
  const email = `${name}@example.com`;
  const { body } = await app.admin.expect(200, 'createUser', { body: { user: { email, name, ...user } } });
  const { id } = (body as { user: { id: string } }).user;
  await activateAccount(app.app.ctx, email);
  return new ApiClient(app.url, await keyOf(app, id), email);
}

export async function keyOf(app: TestApp, userId: string): Promise<string> {
  const { ctx } = app.app;
  const { id } = (await findApiKeyOf(ctx.db.read, userId))!;
  return (await openApiKey(ctx.db.read, id))!;
}

/** User ids derive from addresses. */
export function idOf(client: ApiClient): string {
  return client.email.replace(/[^a-z0-9]+/g, '-');
}
