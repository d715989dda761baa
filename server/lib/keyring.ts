// Keys derived from the master key, one per purpose.
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';

export type HashPurpose =
  | 'api-key'
  | 'attempt'
  | 'code'
  | 'code-link'
  | 'code-of-link'
  | 'console-view'
  | 'drop-key'
  | 'drop-key-check'
  | 'drop-cookie'
  | 'file-url'
  | 'file-name'
  | 'nonce'
  | 'one-time'
  | 'pairing'
  | 'pairing-code'
  | 'passkey-challenge'
  | 'personal-link'
  | 'lock'
  | 'probe'
  | 'proof'
  | 'reading'
  | 'recovery-code'
  | 'remembered-browser'
  | 'scan'
  | 'scim-token'
  | 'session'
  | 'sign-in-network'
  | 'ticket'
  | 'totp-offer'
  | 'visitor'
  | 'idempotency'
  | 'idempotency-request'
  | 'link-pass'
  | 'csrf'
  | 'mail-page'
  | 'notice'
  | 'setup'
  | 'submission'
  | 'key-check';
export type SealPurpose =
  | 'acme'
  | 'api-key'
  | 'client-key'
  | 'name'
  | 'checksum'
  | 'text'
  | 'flash'
  | 'mail'
  | 'mail-settings'
  | 'sign-in-service'
  | 'sign-in-state'
  | 'totp'
  | 'webhook'
  | 'answer'
  | 'key-encryption-key'
  | 'evidence-key'
  | 'backup'
  | 'root-key';

export interface RandomBytes {
  bytes(length: number): Buffer;
}

const nonceBytes = 12;
const tagBytes = 16;

export interface Keyring {
  /** Without the key none can be computed or checked. */
  hash(purpose: HashPurpose, text: string): Buffer;
  /** `place` binds it to its row. */
  seal(purpose: SealPurpose, value: Buffer, place: string): Buffer;
  /** Throws if the value was changed or moved. */
  open(purpose: SealPurpose, sealed: Buffer, place: string): Buffer;
  sealText(purpose: SealPurpose, text: string, place: string): Buffer;
  openText(purpose: SealPurpose, sealed: Buffer, place: string): string;
  pepper: KeyObject;
}

export function openKeyring(masterKey: Buffer, random: RandomBytes): Keyring {
  if (masterKey.length !== 32) throw new RangeError('the master key must be 32 bytes');
  const derive = (label: string) =>
    createSecretKey(Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), `waybill v1 ${label}`, 32)));
  const derived = new Map<string, KeyObject>();
  const keyFor = (label: string) => {
    const key = derived.get(label) ?? derive(label);
    derived.set(label, key);
    return key;
  };
  const keyring: Keyring = {
    hash: (purpose, text) =>
      createHmac('sha256', keyFor(`hash ${purpose}`))
        .update(text)
        .digest(),
    seal: (purpose, value, place) => encrypt(keyFor(`seal ${purpose}`), value, `${purpose}\0${place}`, random),
    open: (purpose, sealed, place) => decrypt(keyFor(`seal ${purpose}`), sealed, `${purpose}\0${place}`),
    sealText: (purpose, text, place) => keyring.seal(purpose, Buffer.from(text, 'utf8'), place),
    openText: (purpose, sealed, place) => keyring.open(purpose, sealed, place).toString('utf8'),
    pepper: keyFor('pepper'),
  };
  return keyring;
}

export interface WrappedKey {
  wrapped: Buffer;
  keyId: number;
}

/** Wraps with the current key-encryption key; unwraps with the version that wrapped. */
export interface KeyWrapper {
  wrap(dataKey: Buffer, place: string): WrappedKey;
  unwrap(key: WrappedKey, place: string): Buffer;
}

export interface GrowingKeyWrapper extends KeyWrapper {
  knows(id: number): boolean;
  add(id: number, key: Buffer): void;
  /** Wraps with this version from now on. */
  use(id: number): void;
}

export function openKeyWrapper(keys: Map<number, Buffer>, random: RandomBytes): GrowingKeyWrapper {
  let currentId = Math.max(...keys.keys());
  const objects = new Map([...keys].map(([id, key]) => [id, createSecretKey(key)]));
  return {
    knows: (id) => objects.has(id),
    add: (id, key) => void objects.set(id, createSecretKey(key)),
    use(id) {
      currentId = id;
    },
    wrap: (dataKey, place) => ({
      wrapped: encrypt(objects.get(currentId)!, dataKey, `data key v1\0${place}`, random),
      keyId: currentId,
    }),
    unwrap({ wrapped, keyId }, place) {
      const key = objects.get(keyId);
      if (key === undefined) throw new Error(`key-encryption key ${keyId} is not known`);
      return decrypt(key, wrapped, `data key v1\0${place}`);
    },
  };
}

function encrypt(key: KeyObject, value: Buffer, aad: string, random: RandomBytes): Buffer {
  const nonce = random.bytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(aad, 'utf8'));
  return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, sealed: Buffer, aad: string): Buffer {
  if (sealed.length < nonceBytes + tagBytes) throw new Error('a sealed value is too short');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes));
  decipher.setAAD(Buffer.from(aad, 'utf8'));
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, sealed.length - tagBytes)), decipher.final()]);
}

/** In constant time. */
export function sameText(a: string, b: string): boolean {
  const left = createHmac('sha256', 'compare').update(a).digest();
  const right = createHmac('sha256', 'compare').update(b).digest();
  return timingSafeEqual(left, right);
}
