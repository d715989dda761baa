// The API's lists of sent and received messages.
import { listInbox, listSent, type WholeMessage } from '../../db/messages/messages.ts';
import type { UserCaller } from '../../domain/caller.ts';
import type { Message } from '../../domain/messages.ts';
import type { Ctx } from '../context.ts';
import { readerOf } from './access.ts';
import { describeMessages, withoutPrivateText } from './describe.ts';

export interface MessageListQuery {
  after: number | null;
  limit: number | null;
}

type Before = { createdAt: number; id: string } | null;

const pageSize = 50;

export async function* readSent(ctx: Ctx, caller: UserCaller, query: MessageListQuery): AsyncGenerator<Message[]> {
  const pages = pagesOf(query.limit, (before, limit) =>
    listSent(ctx.db.read, caller.userId, { after: query.after, before, limit }),
  );
  for await (const page of pages)
    yield await describeMessages(ctx.db.read, page, { showsBcc: true, now: ctx.clock.now() });
}

/** Includes answers to the caller's requests and deliveries to their drop page. */
export async function* readInbox(ctx: Ctx, caller: UserCaller, query: MessageListQuery): AsyncGenerator<Message[]> {
  const reader = { ...(await readerOf(ctx, caller)), liveAt: ctx.clock.now() };
  const pages = pagesOf(query.limit, (before, limit) =>
    listInbox(ctx.db.read, reader, { after: query.after, before, limit }),
  );
  for await (const page of pages) {
    const messages = await describeMessages(ctx.db.read, page, { showsBcc: false, now: ctx.clock.now() });
    yield messages.map((message) => withoutPrivateText(message, caller.userId));
  }
}

async function* pagesOf(
  limit: number | null,
  read: (before: Before, count: number) => Promise<WholeMessage[]>,
): AsyncGenerator<WholeMessage[]> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  let before: Before = null;
  while (left > 0) {
    const page = await read(before, Math.min(pageSize, left));
    if (page.length === 0) return;
    yield page;
    const last = page.at(-1)!;
    before = { createdAt: last.createdAt, id: last.id };
    left -= page.length;
  }
}
