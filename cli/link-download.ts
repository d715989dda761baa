// Opens links for a download: with a password, or with an address that a mailed code confirms.
import { readProblem } from '#contract/client.ts';
import { ask, askHidden, readSecret } from './asking.ts';
import { textOf } from './connection.ts';
import { type Remote, refusal } from './downloading.ts';
import { exitCodes, Failure } from './failures.ts';
import { retrying } from './retrying.ts';
import type { Session } from './session.ts';
import { requireWebAddress } from './web-address.ts';

/** What opens a link; filled by answers at the terminal. */
export interface Proofs {
  /** From stdin, for all links of the command. */
  given?: string;
  password?: string;
  proof?: string;
}

export async function readProofs(session: Session, flags: { passwordStdin?: boolean }): Promise<Proofs> {
  return flags.passwordStdin === true ? { given: await readSecret(session.world) } : {};
}

/** Requests the download of a link page; the redirect is valid for this visitor only. */
export async function openLink(session: Session, url: URL, given: Proofs): Promise<Remote> {
  const proofs: Proofs = { ...given };
  for (;;) {
    const { password, proof } = proofs;
    const fields = { ...(password === undefined ? {} : { password }), ...(proof === undefined ? {} : { proof }) };
    const answer = await post(session, url, fields);
    if (answer.status === 303 && answer.headers.location !== undefined)
      return remoteOf(answer.headers, url, () => openLink(session, url, proofs));
    const { code, sentence } = answer;
    if (code === 'link.needs_password' || code === 'link.wrong_password')
      proofs.password = await passwordFor(session, proofs, { code, sentence });
    else if (code === 'link.needs_address') proofs.proof = await proveAddress(session, url, proofs, sentence);
    else throw refusalOf(answer);
  }
}

function remoteOf(headers: Record<string, string>, url: URL, again: () => Promise<Remote>): Remote {
  const target = requireWebAddress(headers.location!, url.href);
  // The cookie opens the file on the server that set it.
  const cookie = target.origin === url.origin ? headers['set-cookie']?.split(';')[0] : undefined;
  return { url: target.href, headers: cookie === undefined ? {} : { cookie }, mayDivide: true, sha256: null, again };
}

interface LinkAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  code: string;
  sentence: string;
}

async function post(session: Session, url: URL, fields: Record<string, string>): Promise<LinkAnswer> {
  const form = new URLSearchParams(fields).toString();
  const answer = await retrying(session, () =>
    // Safe to repeat: only transferred bytes count as a download.
    session.connection.open({
      method: 'POST',
      url: `${url.origin}${url.pathname.replace(/\/+$/, '')}/download`,
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

function refusalOf({ status, headers, code, sentence }: LinkAnswer): Failure {
  if (status === 403)
    return new Failure(exitCodes.notPermitted, 'this link asks for a password or an e-mail address', {
      code: 'link.not_for_programs',
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
async function proveAddress(session: Session, url: URL, { password }: Proofs, sentence: string): Promise<string> {
  const { output, settings } = session;
  if (!settings.mayAsk)
    throw new Failure(exitCodes.notPermitted, 'this link asks for your e-mail address and a code sent to it', {
      code: 'link.needs_address',
      hint: 'Run the command at a terminal, or open the address in a browser.',
    });
  const fields: Record<string, string> = password === undefined ? {} : { password };
  output.show(sentence);
  const address = await ask(session, 'Your e-mail address: ');
  const sent = await post(session, url, { ...fields, address });
  const nonce = textAt(sent, 'nonce');
  if (nonce === null) throw refusalOf(sent);
  output.show(`A code was sent to ${address}.`);
  for (;;) {
    const code = await ask(session, 'Code: ');
    const answer = await post(session, url, { ...fields, nonce, code });
    const proof = textAt(answer, 'proof');
    if (proof !== null) return proof;
    if (answer.code !== 'code.wrong') throw refusalOf(answer);
    output.show(answer.sentence);
  }
}

function textAt({ status, text }: LinkAnswer, key: 'nonce' | 'proof'): string | null {
  if (status >= 300) return null;
  try {
    const value = (JSON.parse(text) as Record<string, unknown> | null)?.[key];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
