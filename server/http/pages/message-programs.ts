// Programs list and download the files of a message with an address that they prove (program-proofs.ts).
import { findMessageAccess, type MessageAccess } from '../../actions/messages/access.ts';
import { identify } from '../../actions/sessions/identities.ts';
import { fileState, viewerOf } from '../../domain/archives.ts';
import { available, unavailable } from '../../domain/availability.ts';
import { notFound, Problem } from '../../domain/problem.ts';
import { isId } from '../../lib/ids.ts';
import type { HttpDeps } from '../deps.ts';
import { addressOf } from '../identity/origins.ts';
import { sendJson } from '../transport/answers.ts';
import type { Exchange } from '../transport/router.ts';
import { answerProofStep, proofIn, readProgramFields } from './program-proofs.ts';

/** The open message; `answered` if the answer was a step of the proof. */
export async function openMessageForProgram(deps: HttpDeps, exchange: Exchange): Promise<MessageAccess | 'answered'> {
  const fields = await readProgramFields(exchange);
  const id = exchange.params.id!;
  const tokens = { session: undefined, proof: proofIn(fields), address: addressOf(deps, exchange.raw) };
  const { identity } = await identify(deps.ctx, tokens);
  const access = isId(id) ? await findMessageAccess(deps.ctx, id, identity, null) : null;
  if (access === null) throw notFound('message');
  if (access.gate === 'allow') return access;
  if (access.gate === 'not_allowed')
    throw new Problem('forbidden', 'message.not_for_address', 'This message was not sent to this address.');
  if (access.gate !== 'needs_proof') throw unavailable(access.gate === 'expired' ? 'expired' : 'withdrawn', 'message');
  await answerProofStep(deps, exchange, fields, `message:${id}`);
  return 'answered';
}

export function sendFileList(exchange: Exchange, access: MessageAccess): void {
  const files = access.message.files.map((file) => ({
    id: file.attachmentId,
    filename: file.fileName,
    size: file.sizeBytes,
    checksum: file.sha256,
    state: fileState(file, access).replace('-', '_'),
  }));
  sendJson(exchange, 200, { files });
}

export function refusedFile(access: MessageAccess, id: string): Problem {
  const file = access.message.files.find(({ attachmentId }) => attachmentId === id);
  const reason = file === undefined ? 'removed' : available(file, viewerOf(file, access));
  return unavailable(reason === 'yes' ? 'removed' : reason, 'message');
}
