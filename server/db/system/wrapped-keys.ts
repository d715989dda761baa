// The wrapped key of a file, in uploads and attachments. Only actions have the keys to open it.
import type { WrappedKey } from '../../lib/keyring.ts';

/** Null when the key was destroyed. */
export function wrappedKeyOf(row: {
  data_key_wrapped: Buffer | null;
  key_encryption_key_id: number;
}): WrappedKey | null {
  return row.data_key_wrapped === null ? null : { wrapped: row.data_key_wrapped, keyId: row.key_encryption_key_id };
}
