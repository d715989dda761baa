// Programs open a link with a password, or with an address that they prove by a mailed code. The proofs are fields of the
// request for the download, because a program without cookies needs no protection against forged forms.
//
//   password=…            the download
//   address=…             a code is sent; answers the nonce
//   nonce=…&code=…        answers the proof
//   proof=…               the download
import { codeRefusal, codeWait } from '../../actions/account/addresses.ts';
import { requestCode } from '../../actions/codes/codes.ts';
import { tryCode } from '../../actions/codes/proving.ts';
import { tryLinkPassword } from '../../actions/file-links/passwords.ts';
import { unavailable } from '../../domain/availability.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { readEmail } from '../../domain/users.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import { sendJson } from '../transport/answers.ts';
import { readForm } from '../transport/body.ts';
import type { Exchange } from '../transport/router.ts';
import { type PageVisit, type ProgramProofs, visitOf } from './link-visits.ts';

/** The open link; `answered` if the answer was a step of the proof. */
export async function openForProgram(deps: HttpDeps, exchange: Exchange): Promise<PageVisit | 'answered'> {
  const form = await readFields(exchange);
  const field = (name: string) => form.get(name)?.trim() || undefined;
  const proof = field('proof');
  const proofs: ProgramProofs = {
    pass: undefined,
    proof: /^[A-Za-z0-9]{22,44}$/.test(proof ?? '') ? proof : undefined,
  };
  const first = await visitOf(deps, exchange, proofs);
  const pass = await passOf(deps, exchange, first, form.get('password'));
  const visit = pass === undefined ? first : await visitOf(deps, exchange, { ...proofs, pass });
  if (visit === null) throw notFound('link', 'There’s nothing at this address.');
  if (visit.gate === 'allow') return visit;
  if (visit.gate === 'needs_password')
    throw new Problem('forbidden', 'link.needs_password', 'This link asks for a password.');
  if (visit.gate !== 'needs_sign_in') throw unavailable(visit.gate === 'not_ready' ? 'checking' : 'withdrawn', 'link');
  const [address, code, nonce] = [field('address'), field('code'), field('nonce')];
  if (code !== undefined && nonce !== undefined) await proveAddress(deps, exchange, { code, nonce });
  else if (address !== undefined) await sendCode(deps, exchange, readEmail(address, 'address'));
  else
    throw new Problem(
      'forbidden',
      'link.needs_address',
      'This link asks for an e-mail address, which a code sent to it confirms.',
    );
  return 'answered';
}

async function readFields({ raw, response }: Exchange): Promise<URLSearchParams> {
  if (raw.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return readForm(raw, response);
  raw.resume();
  return new URLSearchParams();
}

async function passOf(
  deps: HttpDeps,
  exchange: Exchange,
  visit: PageVisit | null,
  password: string | null,
): Promise<string | undefined> {
  if (visit?.gate !== 'needs_password' || password === null || password === '') return undefined;
  const check = await tryLinkPassword(deps.ctx, anonymousCaller(deps, exchange), visit.link.id, password);
  if (check.isRight) return check.pass;
  deps.meters.authFailed('link_password');
  const { attemptsLeft: left } = check;
  const more = left === 0 ? 'Try again later.' : `You can try ${left === 1 ? 'one more time' : `${left} more times`}.`;
  throw new Problem('forbidden', 'link.wrong_password', `That is not the password of this link. ${more}`);
}

async function sendCode(deps: HttpDeps, exchange: Exchange, address: string): Promise<void> {
  const { ctx } = deps;
  const nonce = ctx.random.id(44);
  const target = `link:${exchange.params.id!}` as const;
  const outcome = await requestCode(ctx, anonymousCaller(deps, exchange), { target, address, nonce });
  if (outcome.is === 'wait') throw codeWait(outcome.seconds);
  sendJson(exchange, 202, { nonce });
}

async function proveAddress(deps: HttpDeps, exchange: Exchange, typed: { code: string; nonce: string }): Promise<void> {
  const verdict = await tryCode(deps.ctx, anonymousCaller(deps, exchange), {
    target: `link:${exchange.params.id!}`,
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
