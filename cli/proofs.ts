// What opens a link or a message: a password, or an address that a mailed code confirms.
import { readProblem } from '#contract/client.ts';
import { ask, askHidden, readSecret } from './asking.ts';
import { textOf } from './connection.ts';
import { type Remote, refusal } from './downloading.ts';
import { exitCodes, Failure } from './failures.ts';
import { retrying } from './retrying.ts';
import type { Session } from './session.ts';
import { requireWebAddress } from './web-address.ts';

/** Filled by answers at the terminal. */
export interface Proofs {
  /** From stdin, for all links of the command. */
  given?: string;
  password?: string;
  proof?: string;
}

export async function readProofs(session: Session, flags: { passwordStdin?: boolean }): Promise<Proofs> {
  return flags.passwordStdin === true ? { given: await readSecret(session.world) } : {};
}

/** A path of a link or message that programs open with proofs as fields. */
export interface Door {
  url: URL;
  path: `/${string}`;
  holder: 'link' | 'message';
}

export interface DoorAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  code: string;
  sentence: string;
}

/** Requests it until it opens, and asks for what is missing; adds that to `proofs`. */
export async function openDoor(session: Session, door: Door, proofs: Proofs): Promise<DoorAnswer> {
  for (;;) {
    const { password, proof } = proofs;
    const fields = { ...(password === undefined ? {} : { password }), ...(proof === undefined ? {} : { proof }) };
    const answer = await post(session, door, fields);
    if (answer.status < 400) return answer;
    const { code, sentence } = answer;
    if (code === 'link.needs_password' || code === 'link.wrong_password')
      proofs.password = await passwordFor(session, proofs, { code, sentence });
    else if (code === `${door.holder}.needs_address`)
      proofs.proof = await proveAddress(session, door, proofs, sentence);
    else throw refusalOf(answer, door);
  }
}

/** Where a ticket leads; the redirect is valid for this visitor only. */
export function remoteOf({ headers }: DoorAnswer, { url }: Door, again: () => Promise<Remote>): Remote {
  const target = requireWebAddress(headers.location ?? '', url.href);
  // The cookie opens the file on the server that set it.
  const cookie = target.origin === url.origin ? headers['set-cookie']?.split(';')[0] : undefined;
  return { url: target.href, headers: cookie === undefined ? {} : { cookie }, mayDivide: true, sha256: null, again };
}

async function post(session: Session, { url, path }: Door, fields: Record<string, string>): Promise<DoorAnswer> {
  const form = new URLSearchParams(fields).toString();
  const answer = await retrying(session, () =>
    // Safe to repeat: only transferred bytes count as a download.
    session.connection.open({
      method: 'POST',
      url: `${url.origin}${url.pathname.replace(/\/+$/, '')}${path}`,
      headers: {
        accept: 'application/json',
        ...(form === '' ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: form === '' ? null : form,
      signal: session.world.signal,
    }),
  );
  const text = await textOf(answer.body);
  const problem = answer.status < 400 ? null : readProblem(text);
  return { ...answer, text, code: problem?.code ?? '', sentence: problem?.errors?.[0] ?? '' };
}

export function refusalOf({ status, headers, code, sentence }: DoorAnswer, { holder }: Door): Failure {
  if (code === 'message.not_for_address')
    return new Failure(exitCodes.notPermitted, sentence, { code, hint: 'Ask the sender to send it to this address.' });
  if (status === 403)
    return new Failure(exitCodes.notPermitted, `this ${holder} asks for a password or an e-mail address`, {
      code: `${holder}.not_for_programs`,
      hint: 'Open it in a browser.',
    });
  const usual = refusal(status, headers['retry-after']);
  const isOfProof = status === 429 || code.startsWith('code.') || code === 'user.bad_email';
  return isOfProof && sentence !== ''
    ? new Failure(status === 429 ? exitCodes.network : exitCodes.refused, sentence, { ...usual.details, code })
    : usual;
}

async function passwordFor(
  session: Session,
  proofs: Proofs,
  { code, sentence }: { code: string; sentence: string },
): Promise<string> {
  const isWrong = code === 'link.wrong_password';
  if (proofs.given !== undefined && !isWrong) return proofs.given;
  if (!session.settings.mayAsk || proofs.given !== undefined)
    throw new Failure(exitCodes.notPermitted, isWrong ? sentence : 'this link asks for a password', {
      code,
      hint: isWrong ? 'Ask the sender for the password.' : 'Give it on stdin with --password-stdin.',
    });
  if (isWrong) session.output.show(sentence);
  return askHidden(session, 'Password of the link: ');
}

/** Sends a code to the address and asks for it; returns the proof. */
async function proveAddress(session: Session, door: Door, { password }: Proofs, sentence: string): Promise<string> {
  const { output, settings } = session;
  if (!settings.mayAsk)
    throw new Failure(
      exitCodes.notPermitted,
      `this ${door.holder} asks for your e-mail address and a code sent to it`,
      {
        code: `${door.holder}.needs_address`,
        hint: 'Run the command at a terminal, or open the address in a browser.',
      },
    );
  const fields: Record<string, string> = password === undefined ? {} : { password };
  output.show(sentence);
  const address = await ask(session, 'Your e-mail address: ');
  const sent = await post(session, door, { ...fields, address });
  const nonce = textAt(sent, 'nonce');
  if (nonce === null) throw refusalOf(sent, door);
  output.show(
    door.holder === 'message'
      ? `A code was sent to ${address}, if the message may be opened with it.`
      : `A code was sent to ${address}.`,
  );
  for (;;) {
    const code = await ask(session, 'Code: ');
    const answer = await post(session, door, { ...fields, nonce, code });
    const proof = textAt(answer, 'proof');
    if (proof !== null) return proof;
    if (answer.code !== 'code.wrong') throw refusalOf(answer, door);
    output.show(answer.sentence);
  }
}

function textAt({ status, text }: DoorAnswer, key: 'nonce' | 'proof'): string | null {
  const value = status < 300 ? jsonOf(text)?.[key] : null;
  return typeof value === 'string' ? value : null;
}

/** Null if the text is no JSON object. */
export function jsonOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}
