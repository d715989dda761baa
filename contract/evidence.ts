// The log of evidence: its files as c2sp.org/tlog-tiles serves them, its keys, and who has witnessed it. For auditors and
// administrators, and for the programs that watch on their behalf.
import { z } from 'zod';
import { named, wire } from './codec.ts';
import { define } from './endpoint.ts';
import { instant, instantMs } from './wire.ts';

const evidenceCall = { tag: 'Evidence', auth: 'key', right: 'console.read', origin: 'additive' } as const;

const size = z.int().min(0).describe('Entries in the log.');
const verifierKey = named('verifierKey', z.string());
/** Null on the wire where nothing was signed yet. */
const witnessedAt = z.codec(instant.nullable(), z.number(), {
  decode: (text) => (text === null ? 0 : Date.parse(text)),
  encode: (at) => (at === 0 ? null : new Date(at).toISOString()),
});
const witness = wire({
  key: verifierKey.describe('Verifier key: name, key id and public key.'),
  size: size.describe('Entries that it has seen.'),
  witnessed_at: witnessedAt.describe('When it last signed; null while it has signed nothing.'),
  since: named('createdAt', instantMs.describe('When its key was admitted.')),
  failing_since: instantMs.nullable().describe('Of the first failure in a row, if the server asks this witness.'),
  last_error: z.string().describe('Why it did not sign; empty if it never failed.'),
}).meta({ id: 'EvidenceWitness' });

export const evidenceAnswer = z.object({
  evidence: wire({
    origin: z.string().describe('Name of the log in its checkpoints; empty before the first event.'),
    size,
    sealed_at: instantMs.nullable().describe('When the last checkpoint was signed.'),
    oldest_unsealed_at: instantMs
      .nullable()
      .describe('When the oldest event was recorded that is not in the log yet; null when none waits.'),
    witnesses: z.array(witness).describe('Last seen first.'),
    asked: z.array(z.string()).describe('Keys of the witnesses that the server asks to sign, as its policy file says.'),
  }).meta({ id: 'Evidence' }),
});

export const evidenceKeysAnswer = z.object({
  keys: z
    .array(
      wire({
        key: verifierKey.describe('Verifier key.'),
        since: named('createdAt', instantMs.describe('When it began to sign.')),
        endorsement: z.string().describe('A note by the key before it that names this one; empty for the first.'),
      }),
    )
    .describe('Oldest first; the last one signs.'),
});

export const cosignatureBody = z.object({
  cosignature: z.object({
    size,
    key: z.string().max(3000).describe('Verifier key of the witness.'),
    line: z.string().max(5000).describe('The line of its signature, `— name base64`.'),
  }),
});

export const witnessAnswer = z.object({ witness });

export const evidenceEndpoints = {
  getEvidence: define({
    ...evidenceCall,
    method: 'GET',
    path: '/evidence',
    summary: 'How long the log of evidence is, when it was last signed, and who witnessed it',
    answer: evidenceAnswer,
  }),
  getEvidenceCheckpoint: define({
    ...evidenceCall,
    isPublishable: true,
    method: 'GET',
    path: '/evidence/checkpoint',
    summary: 'The last checkpoint of the log, as a signed note with the signatures of witnesses',
    answer: 'file',
  }),
  getEvidenceTile: define({
    ...evidenceCall,
    isPublishable: true,
    method: 'GET',
    path: '/evidence/tile/*',
    summary: 'A tile of hashes or a bundle of entries, by its name in the specification of tiled logs',
    answer: 'file',
  }),
  listEvidenceKeys: define({
    ...evidenceCall,
    isPublishable: true,
    method: 'GET',
    path: '/evidence/keys',
    summary: 'Every key that has signed checkpoints',
    answer: evidenceKeysAnswer,
  }),
  addCosignature: define({
    ...evidenceCall,
    method: 'POST',
    path: '/evidence/cosignatures',
    summary: 'Hand in the signature of a witness on a checkpoint',
    body: cosignatureBody,
    answer: witnessAnswer,
  }),
  testWitness: define({
    ...evidenceCall,
    right: 'system.change',
    method: 'POST',
    path: '/evidence/witnesses/test',
    summary: 'Ask a witness to sign the last checkpoint again, and check its signature; changes nothing',
    body: wire({ witness_test: z.object({ key: z.string().max(3000).describe('Verifier key of the witness.') }) }),
    answer: wire({
      witness_test: z.object({ error: z.string().describe('Why it did not sign; empty after a success.') }),
    }),
  }),
} as const;
