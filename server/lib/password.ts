// Argon2id over an HMAC with a secret pepper, so that a stolen database alone is useless.
import { type Argon2Parameters, argon2, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { createSemaphore } from './gate.ts';
import { openPasswordThreads } from './password-threads.ts';

export interface HashParameters {
  memoryKiB: number;
  passes: number;
  parallelism: number;
}

export interface PasswordsOptions {
  pepper: KeyObject;
  /** Stored in each hash, so that the pepper can be changed. */
  pepperId: string;
  /** By id. */
  formerPeppers?: Readonly<Record<string, KeyObject>>;
  random: { bytes(length: number): Buffer };
  parameters?: HashParameters;
}

export interface Passwords {
  /** Returns the PHC string. Networks take turns in the queue. Like the others, rejects with `TooBusy`. */
  hashPassword(password: string, network: string): Promise<string>;
  /** `needsRehash`: the hash is weaker than today's. */
  verifyPassword(password: string, phc: string, network: string): Promise<{ ok: boolean; needsRehash: boolean }>;
  /** Takes as long as a check, for accounts that do not exist. */
  verifyNothing(network: string): Promise<void>;
}

const DEFAULT_PARAMETERS: HashParameters = { memoryKiB: 65_536, passes: 3, parallelism: 1 };
/** A row written by an attacker must not take all memory. */
const MAX_PARAMETERS: HashParameters = { memoryKiB: 1_048_576, passes: 16, parallelism: 8 };
const SALT_BYTES = 16;
const TAG_BYTES = 32;
const MAX_RUNNING = 2;
/** From here on a hash takes long enough for a thread. */
const COSTLY_KIB = 8192;
const MAX_WAITING = 64;

/** `$argon2id$v=19$m=…,t=…,p=…,keyid=…$salt$hash`, Base64 without padding. */
const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,3}),keyid=([A-Za-z0-9.+/-]{1,32})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

interface StoredHash {
  parameters: HashParameters;
  pepperId: string;
  salt: Buffer;
  tag: Buffer;
}

export function openPasswords(options: PasswordsOptions): Passwords {
  const { pepper, pepperId, random, parameters = DEFAULT_PARAMETERS } = options;
  if (!/^[A-Za-z0-9.+/-]{1,32}$/.test(pepperId)) throw new RangeError('A pepper id has 1 to 32 of A-Z a-z 0-9 . + / -');
  const peppers = new Map([...Object.entries(options.formerPeppers ?? {}), [pepperId, pepper]]);
  const gate = createSemaphore(MAX_RUNNING, MAX_WAITING);
  const threads = openPasswordThreads();

  function hash(
    password: string,
    withPepper: KeyObject,
    how: { parameters: HashParameters; salt: Buffer; tagBytes: number; network: string },
  ) {
    // The HMAC also avoids problems with length, NUL and truncation.
    const message = createHmac('sha256', withPepper).update(password, 'utf8').digest();
    const settings = { message, nonce: how.salt, tagLength: how.tagBytes, ...nodeNames(how.parameters) };
    const work = () => (how.parameters.memoryKiB < COSTLY_KIB ? argon2id(settings) : threads.hash(settings));
    return gate.run(work, how.network);
  }

  async function verifyNothing(network: string): Promise<void> {
    await hash('', pepper, { parameters, salt: Buffer.alloc(SALT_BYTES), tagBytes: TAG_BYTES, network });
  }

  return {
    async hashPassword(password, network) {
      const salt = random.bytes(SALT_BYTES);
      const tag = await hash(password, pepper, { parameters, salt, tagBytes: TAG_BYTES, network });
      return formatPhc({ parameters, pepperId, salt, tag });
    },
    async verifyPassword(password, phc, network) {
      const stored = parsePhc(phc);
      const itsPepper = stored === null ? undefined : peppers.get(stored.pepperId);
      if (stored === null || itsPepper === undefined) {
        // As slow as a wrong password, so that timing does not reveal a damaged row.
        await verifyNothing(network);
        return { ok: false, needsRehash: false };
      }
      const tag = await hash(password, itsPepper, { ...stored, tagBytes: stored.tag.length, network });
      const ok = timingSafeEqual(tag, stored.tag);
      return { ok, needsRehash: ok && (stored.pepperId !== pepperId || isWeaker(stored, parameters)) };
    },
    verifyNothing,
  };
}

function isWeaker(stored: StoredHash, wanted: HashParameters): boolean {
  const { memoryKiB, passes } = stored.parameters;
  const isShort = stored.salt.length < SALT_BYTES || stored.tag.length < TAG_BYTES;
  return isShort || memoryKiB < wanted.memoryKiB || passes < wanted.passes;
}

function argon2id(settings: Argon2Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    argon2('argon2id', settings, (error, tag) => (error === null ? resolve(tag) : reject(error)));
  });
}

function nodeNames({ memoryKiB, passes, parallelism }: HashParameters) {
  return { memory: memoryKiB, passes, parallelism };
}

function formatPhc({ parameters, pepperId, salt, tag }: StoredHash): string {
  const { memoryKiB, passes, parallelism } = parameters;
  const settings = `m=${memoryKiB},t=${passes},p=${parallelism},keyid=${pepperId}`;
  return `$argon2id$v=19$${settings}$${unpadded(salt)}$${unpadded(tag)}`;
}

function parsePhc(phc: string): StoredHash | null {
  const match = PHC.exec(phc);
  if (match === null) return null;
  const parameters = { memoryKiB: Number(match[1]), passes: Number(match[2]), parallelism: Number(match[3]) };
  const { memoryKiB, passes, parallelism } = parameters;
  const isPossible = passes >= 1 && parallelism >= 1 && memoryKiB >= 8 * parallelism;
  const isModest =
    memoryKiB <= MAX_PARAMETERS.memoryKiB &&
    passes <= MAX_PARAMETERS.passes &&
    parallelism <= MAX_PARAMETERS.parallelism;
  if (!isPossible || !isModest) return null;
  const [salt, tag] = [Buffer.from(match[5]!, 'base64'), Buffer.from(match[6]!, 'base64')];
  return { parameters, pepperId: match[4]!, salt, tag };
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
