// Keys that sign checkpoints. A key endorses its successor; then its private part is destroyed. Its signatures remain
// valid.
import { type EvidenceKey, listEvidenceKeys } from '../../db/evidence/evidence.ts';
import { type Caller, systemCaller } from '../../domain/caller.ts';
import { signNote } from '../../lib/tlog/notes.ts';
import type { Ctx } from '../context.ts';
import { record } from '../events.ts';
import { createKey, openLog, signerOf } from './log.ts';

/** First line of an endorsement; the second is the new key. */
export const endorsementLine = 'waybill evidence key';

/** Returns the new verifier key. */
export async function rotateKey(ctx: Ctx, caller: Caller = systemCaller): Promise<string> {
  const { head } = await openLog(ctx);
  return ctx.db.write(async (tx) => {
    const old = (await listEvidenceKeys(tx)).at(-1)!;
    const signer = signerOf(head.origin, old);
    const key = await createKey(ctx, tx, {
      id: old.id + 1,
      origin: head.origin,
      endorsement: (verifierKey) => signNote(`${endorsementLine}\n${verifierKey}\n`, [signer]),
    });
    const facts = { old: old.verifierKey, key };
    await record(ctx, tx, caller, {
      action: 'evidence.key_rotated',
      object: { kind: 'system', id: 'evidence' },
      ownerId: '',
      facts,
    });
    return key;
  });
}

export function listKeys(ctx: Ctx): Promise<EvidenceKey[]> {
  return listEvidenceKeys(ctx.db.read);
}
