// `links` lists, shows, changes and removes links.
import { localDate, localTime, longDate, readCount, readExpiry, shortDate } from '../durations.ts';
import { usageFailure } from '../failures.ts';
import { idOf } from '../ids.ts';
import type { Session } from '../session.ts';
import { forEachId } from '../several.ts';
import { sizeText } from '../sizes.ts';
import type { Column } from '../tables.ts';

const columns: readonly Column[] = [
  { header: 'ID' },
  { header: 'CREATED' },
  { header: 'UNTIL' },
  { header: 'SIZE', isRight: true },
  { header: 'FILE', least: 12 },
  { header: 'LINK', isOptional: true },
];

export async function listLinks(session: Session, flags: { limit?: string }): Promise<void> {
  const { output, world } = session;
  const query = flags.limit === undefined ? {} : { limit: readCount('--limit', flags.limit) };
  const { links } = await session.client().listFileLinks({ query });
  output.document({ links });
  for (const one of links) {
    output.event('link', { ...one });
    if (session.settings.isQuiet) output.essence(one.url);
  }
  const today = localDate(world.now(), world);
  const newestFirst = links.toSorted((one, other) => (one.created_at < other.created_at ? 1 : -1));
  output.table({
    columns,
    rows: newestFirst.map((one) => [
      one.id,
      localTime(one.created_at, world),
      one.expires_at < today ? 'expired' : shortDate(one.expires_at, world),
      sizeText(one.size),
      one.filename,
      one.url,
    ]),
    plain: links.map((one) => [one.id, one.expires_at, sizeText(one.size), one.filename, one.url]),
  });
  if (links.length === 0) output.say('No links yet.');
}

export async function showLink(session: Session, given: string): Promise<void> {
  const { output } = session;
  const { link: one } = await session.client().getFileLink({ params: { id: idOf(given) } });
  output.document({ link: one });
  output.event('link', { ...one });
  output.data(one.filename, 'bold');
  output.data(`  Size       ${sizeText(one.size)}`);
  output.data(`  Until      ${longDate(one.expires_at)}`);
  output.data(
    `  Who        ${one.require_authentication ? 'Anyone who confirms an e-mail address' : 'Anyone with the link'}`,
  );
  output.data(`  Receipts   ${one.send_download_confirmation ? 'yes' : 'no'}`);
  output.essence(one.url);
}

export interface LinkChange {
  expires?: string;
  requireAuth?: boolean;
  receipt?: boolean;
}

export async function setLink(session: Session, given: string, change: LinkChange): Promise<void> {
  const params = { id: idOf(given) };
  const client = session.client();
  const { expires, requireAuth, receipt } = change;
  if (expires === undefined && requireAuth === undefined && receipt === undefined)
    throw usageFailure(
      'nothing to change',
      'Add --expires, --require-auth, --no-require-auth, --receipt or --no-receipt.',
    );
  if (expires !== undefined)
    await client.updateExpiresAt({ params, body: { expires_at: readExpiry(expires, session.world.now()) } });
  if (requireAuth !== undefined)
    await client.updateAuthentication({ params, body: { require_authentication: requireAuth } });
  if (receipt !== undefined)
    await client.updateDownloadConfirmation({ params, body: { send_download_confirmation: receipt } });
  session.output.document({ changed: [params.id] });
  session.output.event('changed', params);
  session.output.data(`${params.id}: changed`);
}

export async function removeLinks(session: Session, given: string[]): Promise<void> {
  const { output } = session;
  await forEachId(session, given.map(idOf), {
    verb: 'remove',
    noun: 'link',
    done: 'removed',
    find: async (id) => (await session.client().getFileLink({ params: { id } })).link,
    describe: ({ filename, size }) => `the link to ${filename} (${sizeText(size)})`,
    async act(_, id) {
      await session.client().deleteFileLink({ params: { id } });
      output.event('removed', { id });
      output.data(`${id}: removed`);
    },
  });
}
