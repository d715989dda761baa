// The caller that an action receives, for tests that call actions directly.
import { callerOf } from '#server/actions/sessions/identities.ts';
import { findUserByEmail } from '#server/db/users/users.ts';
import { systemCaller, type UserCaller } from '#server/domain/caller.ts';
import type { TestApp } from './app.ts';
import type { ApiClient } from './client.ts';

export async function callerFor({ app }: TestApp, { email }: Pick<ApiClient, 'email'>): Promise<UserCaller> {
  return callerOf((await findUserByEmail(app.ctx.db.read, email))!, systemCaller.from);
}
