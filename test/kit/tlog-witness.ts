// A witness of event logs for tests, written from c2sp.org/tlog-witness: HTTP on loopback, faults on request.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { listVerifiers } from '#server/actions/evidence/log.ts';
import { cosign, parseCheckpoint } from '#server/lib/tlog/checkpoints.ts';
import { isConsistent } from '#server/lib/tlog/merkle.ts';
import {
  parseNote,
  type Signer,
  signatureLine,
  signatureTypes,
  signerFromSeed,
  type Verifier,
  verifierKey,
  verifyNote,
} from '#server/lib/tlog/notes.ts';
import type { TestApp } from './app.ts';

export interface TestWitness {
  url: string;
  /** Sizes of checkpoints that it has signed. */
  signed: number[];
  /** Bodies that it has received. */
  requests: string[];
  /** Keys of logs; empty until the witness is told. */
  logs: Verifier[];
  /** Added to the clock. */
  clockMs: number;
  /** Answers with this instead. */
  fault: { status: number; body: string } | null;
  /** Forgets the log, or pretends to have seen another size. */
  seen: { size: number; root: Buffer } | null;
  close(): Promise<void>;
}

export async function openTestWitness(signers: readonly Signer[], now: () => number): Promise<TestWitness> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      witness.requests.push(body);
      const isKnown = request.method === 'POST' && request.url === '/prefix/add-checkpoint';
      const answer = witness.fault ?? (isKnown ? addCheckpoint(witness, signers, { body, now: now() }) : missing);
      response.writeHead(answer.status, { 'content-type': 'text/plain' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const witness: TestWitness = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prefix`,
    signed: [],
    requests: [],
    logs: [],
    clockMs: 0,
    fault: null,
    seen: null,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return witness;
}

const missing = { status: 404, body: '' };

function addCheckpoint(
  witness: TestWitness,
  signers: readonly Signer[],
  { body, now }: { body: string; now: number },
): { status: number; body: string } {
  const split = body.indexOf('\n\n');
  const [first, ...lines] = body.slice(0, split).split('\n');
  const [, old] = /^old (0|[1-9]\d*)$/.exec(first!) ?? [];
  if (old === undefined || lines.length > 63) return { status: 400, body: '' };
  const note = parseNote(body.slice(split + 2));
  if (witness.logs.length === 0) return missing;
  if (verifyNote(note, witness.logs).length === 0) return { status: 403, body: '' };
  const { size, root } = parseCheckpoint(note.text);
  const seen = witness.seen ?? { size: 0, root: Buffer.alloc(0) };
  if (Number(old) > size) return { status: 400, body: '' };
  if (Number(old) !== seen.size) return { status: 409, body: `${seen.size}\n` };
  if (seen.size === size && !seen.root.equals(root)) return { status: 409, body: '' };
  const proof = lines.map((line) => Buffer.from(line, 'base64'));
  const claim = { oldSize: seen.size, oldRoot: seen.root, newSize: size, newRoot: root };
  const isProven = seen.size === 0 ? proof.length === 0 : isConsistent(claim, proof);
  if (!isProven) return { status: 422, body: '' };
  witness.seen = { size, root };
  witness.signed.push(size);
  const seconds = Math.floor((now + witness.clockMs) / 1000);
  return { status: 200, body: signers.map((each) => `${signatureLine(cosign(note.text, each, seconds))}\n`).join('') };
}

/** A witness with one key, and the policy that names it. It signs once it has been told the keys of the log. */
export async function openPolicyWitness(name: string, now: () => number) {
  const signer = signerFromSeed(name, signatureTypes.witness, Buffer.alloc(32, 7));
  const witness = await openTestWitness([signer], now);
  const policy = `witness only ${verifierKey(signer)} ${witness.url}\nquorum only\n`;
  const learn = async (app: TestApp) => {
    witness.logs = await listVerifiers(app.app.ctx);
  };
  return { witness, policy, learn };
}
