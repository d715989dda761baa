// A refusal of SCIM (RFC 7644, section 3.12).
type ScimType =
  | 'invalidFilter'
  | 'uniqueness'
  | 'mutability'
  | 'invalidSyntax'
  | 'invalidPath'
  | 'noTarget'
  | 'invalidValue'
  | 'tooMany';

export class ScimFault extends Error {
  readonly status: number;
  readonly scimType: ScimType | null;
  readonly retryAfterSeconds: number | null;

  constructor(
    status: number,
    message: string,
    { type = null, retryAfterSeconds = null }: { type?: ScimType | null; retryAfterSeconds?: number | null } = {},
  ) {
    super(message);
    this.status = status;
    this.scimType = type;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export const badScim = (type: ScimType, message: string): ScimFault => new ScimFault(400, message, { type });
