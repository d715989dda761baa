// Stores mails as `.eml` files, for installations without a mail server.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, readdir, readFile, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { namesAny } from '#server/domain/erasures.ts';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { syncFolder } from '#server/lib/durable-files.ts';
import { composeMime, findFault } from './transports/compose.ts';
import { oneLine } from './transports/replies.ts';

/** Older mails are removed, and the oldest beyond the maximum. */
const retentionDays = 30;
const maxMails = 10_000;
/** Listing the folder takes time, so not every mail does it. */
const mailsBetweenPrunes = 200;

export function openFolderTransport(folder: string): MailTransport {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let sincePrune = mailsBetweenPrunes;
  return {
    isReal: false,
    async send(mail) {
      const fault = findFault(mail);
      if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
      try {
        const result = await store(folder, mail);
        if (++sincePrune >= mailsBetweenPrunes) {
          sincePrune = 0;
          // The mail is stored; pruning is retried later.
          await prune(folder, new Date()).catch(() => {});
        }
        return result;
      } catch (error) {
        return { outcome: 'deferred', reason: oneLine(`the folder for mails: ${(error as Error).message}`) };
      }
    },
    forget: (names) => forget(folder, names),
    async close() {},
  };
}

async function forget(folder: string, names: readonly string[]): Promise<void> {
  for (const name of await listMails(folder)) {
    const path = join(folder, name);
    const mime = await readFile(path, 'latin1').catch(() => '');
    if (namesAny(readableTextOf(mime), names)) await unlink(path).catch(() => {});
  }
}

/** Enough to find a name or an address in it. */
function readableTextOf(mime: string): string {
  const plain = mime
    .replace(/=\r?\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, (codes) => Buffer.from(codes.replaceAll('=', ''), 'hex').toString());
  const decoded = [...mime.matchAll(/^(?:[\w+/]{60,}={0,2}\r?\n)*[\w+/]{4,}={0,2}$/gm)].map(([block]) =>
    Buffer.from(block, 'base64').toString(),
  );
  return [plain, ...decoded].join('\n');
}

/** Names begin with their time. Other files stay. */
export async function prune(folder: string, now: Date): Promise<void> {
  const oldest = stamp(new Date(now.getTime() - retentionDays * 86_400_000));
  const mails = await listMails(folder);
  const surplus = Math.max(mails.length - maxMails, 0);
  for (const [index, name] of mails.entries())
    if (index < surplus || name < oldest) await unlink(join(folder, name)).catch(() => {});
}

async function listMails(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => /^\d{8}T\d{9}Z-[0-9a-f]{12}\.eml$/.test(name)).sort();
}

function stamp(time: Date): string {
  return time.toISOString().replace(/[-:.]/g, '');
}

async function store(folder: string, mail: OutgoingMail): Promise<MailResult> {
  const name = `${stamp(new Date())}-${randomBytes(6).toString('hex')}.eml`;
  const temporary = join(folder, `.${name}.part`);
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(await composeMime(mail));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw error;
  }
  return { outcome: 'accepted', serverText: `kept as ${name}` };
}
