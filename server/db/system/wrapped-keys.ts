// The key of a file as uploads and attachments keep it. Opening it needs the installation's keys for files, which only
// actions have.
import type { WrappedKey } from '../../lib/keyring.ts';

/** Null when the key was destroyed. */
export function wrappedKeyOf(row: {
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
}): WrappedKey | null {
  return row.data_key_wrapped === null ? null : { wrapped: row.data_key_wrapped, keyId: row.key_encryption_key_id };
}
