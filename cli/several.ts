// Commands for several ids: an unknown one is named, the rest is done, and the exit code says that it is a part.
import { confirm } from './asking.ts';
import { exitCodes, Failure, failureOf } from './failures.ts';
import type { Session } from './session.ts';

export interface Steps<Subject> {
  /** `withdraw`, `remove`: for the question, the dry run and the failure. */
  verb: string;
  noun: string;
  /** Names the ids in the document of --json. */
  done: 'revoked' | 'removed';
  /** Finds what has the id. */
  find(id: string): Promise<Subject>;
  /** Such as `“Plans” to ben@example.com`. */
  describe(subject: Subject): string;
  act(subject: Subject, id: string): Promise<void>;
}

export async function forEachId<Subject>(
  session: Session,
  given: readonly string[],
  steps: Steps<Subject>,
): Promise<void> {
  const { output, settings } = session;
  const failures: Failure[] = [];
  const attempt = async (id: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      failures.push(failureAbout(id, error));
    }
  };
  const found: { id: string; subject: Subject }[] = [];
  for (const id of new Set(given))
    await attempt(id, async () => {
      found.push({ id, subject: await steps.find(id) });
    });
  const texts = found.map(({ subject }) => steps.describe(subject));
  const done: string[] = [];
  if (settings.isDryRun) for (const text of texts) output.data(`Would ${steps.verb} ${text}. Nothing was done.`);
  else if (found.length > 0) {
    await confirmAll(session, steps, texts);
    for (const { id, subject } of found)
      await attempt(id, async () => {
        await steps.act(subject, id);
        done.push(id);
      });
  }
  output.document({
    [steps.done]: done,
    ...(settings.isDryRun ? { dry_run: found.map(({ id }) => id) } : {}),
    ...(failures.length === 0
      ? {}
      : { failed: failures.map(({ message, details: { code } }) => ({ code, sentence: message })) }),
  });
  report(session, failures, new Set(given).size, steps);
}

async function confirmAll<Subject>(session: Session, { verb, noun }: Steps<Subject>, texts: string[]): Promise<void> {
  const { mayAsk, isAgreed } = session.settings;
  const isOne = texts.length === 1;
  if (mayAsk && !isAgreed && !isOne) for (const text of texts) session.output.show(`  ${text}`);
  const what = isOne ? texts[0]! : `these ${texts.length} ${noun}s`;
  await confirm(session, `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)} ${what}?`);
}

/** Names the id. A failure that all others would share ends the command. */
function failureAbout(id: string, error: unknown): Failure {
  const failure = failureOf(error);
  if (failure === null) throw error;
  const { exitCode, message, details } = failure;
  if (exitCode === exitCodes.network || exitCode === exitCodes.notSignedIn || exitCode === exitCodes.interrupted)
    throw error;
  return new Failure(exitCode, `${id}: ${message}`, details);
}

function report<Subject>(
  { output, settings }: Session,
  failures: readonly Failure[],
  count: number,
  { noun, verb }: Steps<Subject>,
): void {
  if (failures.length === 0) return;
  if (count === 1) throw failures[0];
  // With --json they are part of the document.
  if (!settings.isJson)
    for (const { message, details } of failures) output.warn(`waybill: ${message} (${details.code})`);
  const codes = new Set(failures.map(({ exitCode }) => exitCode));
  const isPart = failures.length < count;
  throw new Failure(
    isPart || codes.size > 1 ? exitCodes.partlyDone : failures[0]!.exitCode,
    `could not ${verb} ${failures.length} of ${count} ${noun}s`,
    { code: failures[0]!.details.code },
  );
}
