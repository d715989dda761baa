// A passkey in software, with switches for what tests forge.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

interface Forgery {
  origin?: string;
  /** Instead of the challenge of the options. */
  challenge?: string;
  isUserVerified?: boolean;
  counter?: number;
}

interface Creation {
  challenge: string;
  rp: { id: string };
}

interface Request {
  challenge: string;
  rpId: string;
}

export class Authenticator {
  readonly id = randomBytes(16).toString('base64url');
  readonly #origin: string;
  readonly #privateKey: KeyObject;
  readonly #cose: Buffer;
  counter = 0;

  constructor(origin: string) {
    this.#origin = origin;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    const { x, y } = publicKey.export({ format: 'jwk' });
    // A COSE key: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
    this.#cose = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x!, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y!, 'base64url'),
    ]);
  }

  /** Creates the passkey: the credential as JSON. */
  create(options: Creation, forged: Forgery = {}): string {
    const id = Buffer.from(this.id, 'base64url');
    const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, this.#cose]);
    const data = Buffer.concat([this.#authenticatorData(options.rp.id, forged, 0x40), attested]);
    const length = Buffer.from([0x58, data.length]);
    // {"fmt": "none", "attStmt": {}, "authData": data}
    const attestation = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a0686175746844617461', 'hex'),
      length,
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options.challenge, forged),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers a challenge: the credential as JSON. */
  use(options: Request, forged: Forgery = {}): string {
    this.counter += 1;
    const data = this.#authenticatorData(options.rpId, forged, 0);
    const clientDataJSON = this.#clientData('webauthn.get', options.challenge, forged);
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const signature = sign('sha256', Buffer.concat([data, hash]), this.#privateKey);
    return this.#credential({
      clientDataJSON,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #authenticatorData(domain: string, { isUserVerified = true, counter = this.counter }: Forgery, more: number): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const flags = 0x01 | (isUserVerified ? 0x04 : 0) | more;
    return Buffer.concat([createHash('sha256').update(domain).digest(), Buffer.from([flags]), count]);
  }

  #clientData(type: string, challenge: string, forged: Forgery): string {
    const data = { type, challenge: forged.challenge ?? challenge, origin: forged.origin ?? this.#origin };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  #credential(response: object): string {
    return JSON.stringify({ id: this.id, rawId: this.id, type: 'public-key', response, clientExtensionResults: {} });
  }
}
