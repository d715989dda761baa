// Mail kept as `.eml` files in a folder, for installations without a mail server: nothing is lost, and the console and
// any mail program can show it. Names come from the time and chance, never from a mail.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { open, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailResult, MailTransport, OutgoingMail } from '#server/domain/ports.ts';
import { composeMime, findFault } from './transports/compose.ts';
import { oneLine } from './transports/words.ts';

export function openFolderTransport(folder: string): MailTransport {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    isReal: false,
    async send(mail) {
      const fault = findFault(mail);
      if (fault !== null) return { outcome: 'refused', reason: `not handed over: ${fault}` };
      try {
        return await keep(folder, mail);
      } catch (error) {
        return { outcome: 'deferred', reason: oneLine(`the folder for mails: ${(error as Error).message}`) };
      }
    },
    async close() {},
  };
}

async function keep(folder: string, mail: OutgoingMail): Promise<MailResult> {
  const name = `${new Date().toISOString().replace(/[-:.]/g, '')}-${randomBytes(6).toString('hex')}.eml`;
  const aside = join(folder, `.${name}.part`);
  try {
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(await composeMime(mail));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, join(folder, name));
    await syncFolder(folder);
  } catch (error) {
    await unlink(aside).catch(() => {});
    throw error;
  }
  return { outcome: 'accepted', serverText: `kept as ${name}` };
}

/** Without it a power cut could forget the new name. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
