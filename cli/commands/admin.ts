// For administrators: `admin api-key`.
import { ask } from '../asking.ts';
import { usageFailure } from '../failures.ts';
import { readAccount, type Session } from '../session.ts';

export async function apiKey(session: Session, email: string, flags: { reason?: string }): Promise<void> {
  const { output, settings } = session;
  const account = await readAccount(session);
  if (account.chunkBytes !== null) {
    const reason = flags.reason ?? (settings.mayAsk ? await ask(session, 'Reason (the person will see it): ') : '');
    if (reason === '') throw usageFailure('a reason is needed', 'Add --reason "Moving to the new server".');
    const { items } = await session.client().listPeople({ query: { q: email } });
    const person = items.find((one) => one.email.toLowerCase() === email.toLowerCase());
    if (person !== undefined) {
      const answer = await session.client().readPersonKey({ params: { id: person.id }, body: { api_key: { reason } } });
      return tell(session, answer.api_key.key);
    }
  }
  const { user } = await session.client().getApiKey({ query: { email } });
  output.event('api_key', { email });
  tell(session, user.api_key);
}

function tell({ output }: Session, key: string): void {
  output.document({ user: { api_key: key } });
  output.essence(key);
}
