// List-Unsubscribe URLs. Each is signed for one person and one kind of notice, so it needs no sign-in.

import { preferencesOf, savePreferences } from '../../db/users/preferences.ts';
import { findUser, lockUser } from '../../db/users/users.ts';
import type { Caller } from '../../domain/caller.ts';
import { type Notice, withoutNotice } from '../../domain/preferences.ts';
import { notFound } from '../../domain/problem.ts';
import { sameText } from '../../lib/keyring.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';

const signatureChars = 32;

export function noticeUrl(ctx: Ctx, userId: string, notice: Notice): string {
  return `${ctx.settings.surroundings.baseUrl}/notices/${notice}/${userId}${signatureOf(ctx, userId, notice)}`;
}

function signatureOf(ctx: Ctx, userId: string, notice: Notice): string {
  return ctx.keys.hash('notice', `${userId}\0${notice}`).toString('base64url').slice(0, signatureChars);
}

/** Idempotent. Refuses an invalid token. */
export async function stopNotice(ctx: Ctx, caller: Caller, notice: Notice, token: string): Promise<void> {
  const userId = token.slice(0, -signatureChars);
  if (!sameText(token.slice(-signatureChars), signatureOf(ctx, userId, notice))) throw notFoundPage();
  await ctx.db.write(async (tx) => {
    if ((await findUser(tx, userId)) === undefined) throw notFoundPage();
    await lockUser(tx, userId);
    const preferences = await preferencesOf(tx, userId);
    const { changed, next } = withoutNotice(preferences, notice);
    if (preferences[changed] === next[changed]) return;
    await savePreferences(tx, userId, next, ctx.clock.now());
    await record(ctx, tx, caller, {
      action: 'profile.changed',
      object: { kind: 'user', id: userId },
      ownerId: userId,
      facts: { fields: [changed] },
    });
  });
}

function notFoundPage() {
  return notFound('page', 'There’s nothing at this address.');
}
