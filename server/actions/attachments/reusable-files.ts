// Files of earlier messages and links that are still stored. Using one again needs no upload: its id goes into a new
// message or link, which holds the same bytes (state machine SM2: an id may be bound several times).
import {
  countFiles,
  type FileFilter,
  type FileOrder,
  type FileUse,
  listFilesPage,
  listLinkUses,
  listMessageUses,
} from '../../db/attachments/reusable-files.ts';
import type { StoredFile } from '../../domain/attachments.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { type Listed, listPage, type PageWanted } from '../listing.ts';

export interface ReusableFile extends StoredFile {
  /** Newest first, at most 20. */
  uses: Omit<FileUse, 'attachmentId'>[];
  /** Last day of the use that lasts longest; null when nothing holds it. */
  lastDay: string | null;
}

const shownUses = 20;

export interface FilesWanted extends PageWanted {
  order: FileOrder;
}

export async function listReusableFiles(
  ctx: Ctx,
  caller: UserCaller,
  wanted: FilesWanted,
): Promise<Listed<ReusableFile>> {
  const filter: FileFilter = { ownerId: caller.userId, uptime: ctx.clock.uptime() };
  const listed = await listPage(wanted, {
    count: () => countFiles(ctx.db.read, filter),
    rows: (offset, limit) => listFilesPage(ctx.db.read, filter, wanted.order, { offset, limit }),
    texts: (file) => [file.fileName],
  });
  return { ...listed, items: await withUses(ctx, listed.items) };
}

export async function withUses(ctx: Ctx, files: StoredFile[]): Promise<ReusableFile[]> {
  const now = ctx.clock.now();
  const ids = files.map((file) => file.id);
  const all = [...(await listMessageUses(ctx.db.read, ids, now)), ...(await listLinkUses(ctx.db.read, ids, now))];
  return files.map((file) => {
    const uses = all
      .filter((use) => use.attachmentId === file.id)
      .map(({ kind, id, title, expiresOn }) => ({
        kind,
        id,
        title: kind === 'link' ? file.fileName : title,
        expiresOn,
      }));
    const [lastDay = null] = uses
      .map((use) => use.expiresOn)
      .toSorted()
      .slice(-1);
    return { ...file, uses: uses.slice(0, shownUses), lastDay };
  });
}
