// The last sign-ins of each service, with masked claims.
import type { Query, SignInAttemptsTable, Tx } from '../schema/schema.ts';

export const keptAttempts = 20;

export interface SignInAttempt {
  id: string;
  service: string;
  outcome: SignInAttemptsTable['outcome'];
  /** Code of the refusal; empty otherwise. */
  reason: string;
  /** Masked values. */
  claims: Readonly<Record<string, string>>;
  at: number;
}

export async function insertSignInAttempt(tx: Tx, { claims, ...attempt }: SignInAttempt): Promise<void> {
  await tx
    .insertInto('sign_in_attempts')
    .values({ ...attempt, claims: JSON.stringify(claims) })
    .execute();
  await tx
    .deleteFrom('sign_in_attempts')
    .where('service', '=', attempt.service)
    .where('id', 'not in', (eb) =>
      eb
        .selectFrom('sign_in_attempts')
        .select('id')
        .where('service', '=', attempt.service)
        .orderBy('at', 'desc')
        .orderBy('id', 'desc')
        .limit(keptAttempts),
    )
    .execute();
}

/** Newest first. */
export async function listSignInAttempts(db: Query, service: string): Promise<SignInAttempt[]> {
  const rows = await db
    .selectFrom('sign_in_attempts')
    .selectAll()
    .where('service', '=', service)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(keptAttempts)
    .execute();
  return rows.map((row) => ({ ...row, claims: JSON.parse(row.claims) as Record<string, string> }));
}

export async function deleteSignInAttempts(tx: Tx, service: string): Promise<void> {
  await tx.deleteFrom('sign_in_attempts').where('service', '=', service).execute();
}
