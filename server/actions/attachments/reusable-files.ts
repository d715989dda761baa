// Stored files of earlier messages and links, which can be used again by id.
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
import { type Listed, listPage, type PageQuery } from '../listing.ts';

export interface ReusableFile extends StoredFile {
  /** Newest first, at most 20. */
  uses: Omit<FileUse, 'attachmentId'>[];
  /** Latest expiry date of all uses; null if unused. */
  lastDay: string | null;
}

const shownUses = 20;

export interface FilesQuery extends PageQuery {
  order: FileOrder;
}

export async function listReusableFiles(
  ctx: Ctx,
  caller: UserCaller,
  query: FilesQuery,
): Promise<Listed<ReusableFile>> {
  const filter: FileFilter = { ownerId: caller.userId, uptime: ctx.clock.uptime() };
  const listed = await listPage(query, {
    count: () => countFiles(ctx.db.read, filter),
    rows: (offset, limit) => listFilesPage(ctx.db.read, filter, query.order, { offset, limit }),
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
