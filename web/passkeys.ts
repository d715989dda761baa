// Calls Web Authentication. Options and results are JSON; older browsers cannot convert them themselves.

interface Descriptor {
  type: 'public-key';
  id: string;
  transports?: string[];
}

export interface RequestOptions {
  challenge: string;
  rpId: string;
  userVerification: UserVerificationRequirement;
  allowCredentials: Descriptor[];
}

export interface CreationOptions {
  challenge: string;
  user: { id: string; name: string; displayName: string };
  excludeCredentials: Descriptor[];
}

/** Also false for an address without a name, which has no passkeys. */
export function canUsePasskeys(): boolean {
  const isNamed = !/^[\d.]+$|:/.test(location.hostname);
  return isNamed && typeof PublicKeyCredential === 'function' && navigator.credentials !== undefined;
}

/** The credential as JSON text. Throws if the person cancels. */
export async function askPasskey(options: RequestOptions): Promise<string> {
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: options.allowCredentials.map(descriptorOf),
  };
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const { clientDataJSON, authenticatorData, signature, userHandle } =
    credential.response as AuthenticatorAssertionResponse;
  return textOf(credential, {
    clientDataJSON: base64url(clientDataJSON),
    authenticatorData: base64url(authenticatorData),
    signature: base64url(signature),
    userHandle: userHandle === null ? null : base64url(userHandle),
  });
}

export async function createPasskey(options: CreationOptions): Promise<string> {
  const publicKey = {
    ...(options as unknown as PublicKeyCredentialCreationOptions),
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials.map(descriptorOf),
  };
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const response = credential.response as AuthenticatorAttestationResponse;
  return textOf(credential, {
    clientDataJSON: base64url(response.clientDataJSON),
    attestationObject: base64url(response.attestationObject),
    transports: response.getTransports?.() ?? [],
  });
}

function textOf({ id, rawId, type }: PublicKeyCredential, response: object): string {
  return JSON.stringify({ id, rawId: base64url(rawId), type, response, clientExtensionResults: {} });
}

function descriptorOf({ type, id, transports }: Descriptor): PublicKeyCredentialDescriptor {
  return { type, id: bytesOf(id), transports: (transports ?? []) as AuthenticatorTransport[] };
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (char) => char.charCodeAt(0));
}

function base64url(bytes: ArrayBuffer): string {
  const binary = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(binary).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
}
