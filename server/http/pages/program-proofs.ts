// How programs prove an address without cookies: by fields of the request, because where no cookie is sent, no form can be
// forged. First `address`, which sends a code and answers a nonce; then `nonce` and `code`, which answers the proof; from then
// on `proof`.
import { codeRefusal, codeWait } from '../../actions/account/addresses.ts';
import type { CodeTarget } from '../../actions/codes/code-targets.ts';
import { requestCode } from '../../actions/codes/codes.ts';
import { tryCode } from '../../actions/codes/proving.ts';
import { Problem } from '../../domain/problem.ts';
import { readEmail } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendJson } from '../transport/answers.ts';
import { readForm } from '../transport/body.ts';
import type { Exchange } from '../transport/router.ts';

export async function readProgramFields({ raw, response }: Exchange): Promise<URLSearchParams> {
  if (raw.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return readForm(raw, response);
  raw.resume();
  return new URLSearchParams();
}

export function proofIn(fields: URLSearchParams): string | undefined {
  const proof = fields.get('proof')?.trim() ?? '';
  return /^[A-Za-z0-9]{22,44}$/.test(proof) ? proof : undefined;
}

/** Answers the step of the proof that the fields ask for; refuses if they ask for none. */
export async function answerProofStep(
  deps: HttpDeps,
  exchange: Exchange,
  fields: URLSearchParams,
  target: CodeTarget,
): Promise<void> {
  const field = (name: string) => fields.get(name)?.trim() || undefined;
  const [address, code, nonce] = [field('address'), field('code'), field('nonce')];
  if (code !== undefined && nonce !== undefined) return checkCode(deps, exchange, { target, code, nonce });
  if (address !== undefined) return sendCode(deps, exchange, { target, address: readEmail(address, 'address') });
  const holder = target.slice(0, target.indexOf(':'));
  const sentence = `This ${holder} asks for an e-mail address, which a code sent to it confirms.`;
  throw new Problem('forbidden', `${holder}.needs_address`, sentence);
}

async function sendCode(
  deps: HttpDeps,
  exchange: Exchange,
  { target, address }: { target: CodeTarget; address: string },
): Promise<void> {
  const nonce = deps.ctx.random.id(44);
  const outcome = await requestCode(deps.ctx, anonymousCaller(deps, exchange), { target, address, nonce });
  if (outcome.is === 'wait') throw codeWait(outcome.seconds);
  sendJson(exchange, 202, { nonce });
}

async function checkCode(
  deps: HttpDeps,
  exchange: Exchange,
  typed: { target: CodeTarget; code: string; nonce: string },
): Promise<void> {
  const verdict = await tryCode(deps.ctx, anonymousCaller(deps, exchange), {
    ...typed,
    proofToken: undefined,
    // The proof ends soon, because the program does not keep it.
    isSharedComputer: true,
  });
  if (verdict.is !== 'right') {
    deps.meters.authFailed('code');
    throw codeRefusal(verdict);
  }
  sendJson(exchange, 200, { proof: verdict.proofToken });
}
