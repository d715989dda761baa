// Programs open a link with `password`, or with an address that they prove (program-proofs.ts).
import { tryLinkPassword } from '../../actions/file-links/passwords.ts';
import { unavailable } from '../../domain/availability.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import type { HttpDeps } from '../deps.ts';
import { anonymousCaller } from '../identity/credentials.ts';
import type { Exchange } from '../transport/router.ts';
import { type PageVisit, type ProgramProofs, visitOf } from './link-visits.ts';
import { answerProofStep, proofIn, readProgramFields } from './program-proofs.ts';

/** The open link; `answered` if the answer was a step of the proof. */
export async function openForProgram(deps: HttpDeps, exchange: Exchange): Promise<PageVisit | 'answered'> {
  const fields = await readProgramFields(exchange);
  const proofs: ProgramProofs = { pass: undefined, proof: proofIn(fields) };
  const first = await visitOf(deps, exchange, proofs);
  const pass = await passOf(deps, exchange, first, fields.get('password'));
  const visit = pass === undefined ? first : await visitOf(deps, exchange, { ...proofs, pass });
  if (visit === null) throw notFound('link', 'There’s nothing at this address.');
  if (visit.gate === 'allow') return visit;
  if (visit.gate === 'needs_password')
    throw new Problem('forbidden', 'link.needs_password', 'This link asks for a password.');
  if (visit.gate !== 'needs_sign_in') throw unavailable(visit.gate === 'not_ready' ? 'checking' : 'withdrawn', 'link');
  await answerProofStep(deps, exchange, fields, `link:${visit.link.id}`);
  return 'answered';
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
