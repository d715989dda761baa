// Files of earlier messages and links that are still stored. Using one again needs no upload: its id goes into a new
// message or link, which holds the same bytes (state machine SM2: an id may be bound several times).
import {
  countFiles,
  type FileFilter,
  type FileRow,
  listFilesPage,
  listLinkUses,
  listMessageUses,
} from '../../db/reusable-files.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Ctx } from '../context.ts';
import { type Listed, listPage, type PageWanted } from '../listing.ts';

export interface FileUse {
  kind: 'message' | 'link';
  id: string;
  title: string;
  expiresOn: string;
}

export interface StoredFile {
  id: string;
  name: string;
  sizeBytes: number;
  contentType: string;
  sha256: string;
  createdAt: number;
  uses: FileUse[];
  /** Last day of the use that lasts longest; null when nothing holds it. */
  lastDay: string | null;
}

export interface FilesWanted extends PageWanted {
  order: { by: 'created_at' | 'size_bytes'; direction: 'asc' | 'desc' };
}

export async function listStoredFiles(ctx: Ctx, caller: UserCaller, wanted: FilesWanted): Promise<Listed<StoredFile>> {
  const filter: FileFilter = { ownerId: caller.userId, uptime: ctx.clock.uptime() };
  const listed = await listPage(wanted, {
    count: () => countFiles(ctx.db.read, filter),
    rows: (offset, limit) => listFilesPage(ctx.db.read, filter, wanted.order, { offset, limit }),
    texts: (row) => [ctx.keys.openText('name', row.name_sealed, row.id)],
  });
  return { ...listed, items: await withUses(ctx, listed.items) };
}

export async function withUses(ctx: Ctx, rows: FileRow[]): Promise<StoredFile[]> {
  const now = ctx.clock.now();
  const ids = rows.map((row) => row.id);
  const messages = await listMessageUses(ctx.db.read, ids, now);
  const links = await listLinkUses(ctx.db.read, ids, now);
  return rows.map((row) => {
    const name = ctx.keys.openText('name', row.name_sealed, row.id);
    const uses: FileUse[] = [
      ...messages
        .filter((use) => use.attachment_id === row.id)
        .map((use) => ({
          kind: 'message' as const,
          id: use.id,
          title: ctx.keys.openText('text', use.subject_sealed, `${use.id}/subject`),
          expiresOn: use.expires_on,
        })),
      ...links
        .filter((use) => use.attachment_id === row.id)
        .map((use) => ({ kind: 'link' as const, id: use.id, title: name, expiresOn: use.expires_on })),
    ];
    return {
      id: row.id,
      name,
      sizeBytes: row.size_bytes,
      contentType: row.content_type,
      sha256: row.sha256,
      createdAt: row.created_at,
      uses,
      lastDay:
        uses
          .map((use) => use.expiresOn)
          .toSorted()
          .at(-1) ?? null,
    };
  });
}
