// Creates file links and reads the answers through the contract.
import type { z } from 'zod';
import { type fileLink, fileLinkAnswer, fileLinksAnswer } from '#contract/file-links.ts';
import type { ApiClient } from './client.ts';
import { wireForm } from './wire-form.ts';

export type LinkBody = z.input<typeof fileLink>;

export async function newLink(who: ApiClient, settings: Record<string, unknown> = {}): Promise<LinkBody> {
  const { id } = await who.upload('file.txt', 'hello');
  return linkTo(who, id, settings);
}

export async function linkTo(who: ApiClient, attachment: string, settings: Record<string, unknown> = {}) {
  const { body } = await who.expect(200, 'createFileLink', { body: { link: { attachment, ...settings } } });
  return wireForm(fileLinkAnswer.strict(), body).link;
}

export async function getLink(who: ApiClient, id: string): Promise<LinkBody> {
  return wireForm(fileLinkAnswer, (await who.expect(200, 'getFileLink', { params: { id } })).body).link;
}

export async function listLinks(who: ApiClient, query: Record<string, string> = {}): Promise<LinkBody[]> {
  return wireForm(fileLinksAnswer, (await who.expect(200, 'listFileLinks', { query })).body).links;
}
