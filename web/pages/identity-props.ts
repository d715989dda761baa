import type { FieldProblem, PasskeyForm, PasskeyPart, Person, PostForm } from './props.ts';

export interface SignInPage {
  kind: 'sign-in';
  step: LinkStep | PasswordStep | SecondFactorStep | LockedStep | SuspendedStep | SignedInStep;
}

/** Posts `email`, `password` and, when ticked, `keep` = 1. Never sends the password back. */
export interface PasswordStep {
  is: 'password';
  form: PostForm;
  email: string;
  /** Null hides "Keep me signed in". */
  keepHours: number | null;
  isKeepTicked: boolean;
  isSharedTicked: boolean;
  forgotUrl: string | null;
  /** Null for a normal sign-in. */
  reason: 'needed' | 'session-ended' | 'password-changed' | null;
  /** `wrong` covers unknown accounts and wrong passwords. */
  problem:
    | { is: 'missing'; fields: ('email' | 'password')[] }
    | { is: 'wrong' }
    | { is: 'sentence'; sentence: string }
    | null;
  /** Sign-in services of the organisation, by the name on their button. */
  services: { name: string; url: string }[];
  /** Of a sign-in through a service. */
  serviceProblem: string | null;
  /** Null if passkeys do not work here. */
  passkey: PasskeyPart | null;
}

/**
 * An account has the address that a service named. Posts `way`: `password` with `password` and perhaps `app_code`;
 * `mail` for a code; `code` with `code`.
 */
export interface LinkStep {
  is: 'link';
  form: PostForm;
  email: string;
  service: string;
  hasPassword: boolean;
  isCodeSent: boolean;
  startOverUrl: string;
  problem: { field: 'password' | 'code'; sentence: string } | null;
}

/** Posts `code`. */
export interface SecondFactorStep {
  is: 'second-factor';
  /** False if only the passkey is accepted. */
  hasCode: boolean;
  /** Null without a passkey. */
  passkey: PasskeyPart | null;
  form: PostForm;
  startOverUrl: string;
  problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
}

export interface LockedStep {
  is: 'locked';
  minutes: number;
  forgotUrl: string | null;
}

/** Only after the right password. */
export interface SuspendedStep {
  is: 'suspended';
}

/** There is no page to return to. */
export interface SignedInStep {
  is: 'signed-in';
  person: Person;
  continueUrl: string;
  signOutForm: PostForm;
}

/** Posts `email`; every address gets the same response. */
export interface ForgotPage {
  kind: 'forgot';
  signInUrl: string;
  state:
    | { is: 'ask'; form: PostForm; email: string; problem: FieldProblem<'email', 'missing' | 'invalid'> | null }
    | { is: 'sent'; email: string; validMinutes: number };
}

/** Posts `password` and, for an invitation, `name`. `new-password` replaces one that an administrator has set. */
export interface ChoosePasswordPage {
  kind: 'reset' | 'invitation' | 'new-password';
  state:
    | ChooseState
    /** `newLinkUrl` leads to the forgot page; null for invitations. */
    | { is: 'used' | 'expired'; signInUrl: string; newLinkUrl: string | null };
}

export interface ChooseState {
  is: 'choose';
  form: PostForm;
  email: string;
  /** Invitations only. */
  invitedBy: Person | null;
  /** Invitations only: prefilled, editable. */
  name: string;
  minPasswordLength: number;
  problems: ChooseProblem[];
}

export type ChooseField = 'name' | 'password';

export type ChooseProblem =
  | FieldProblem<'name', 'missing' | 'too-long'>
  | FieldProblem<'password', 'missing' | 'too-short' | 'too-common'>;

export interface SignedOutPage {
  kind: 'signed-out';
  signInUrl: string;
}

/** Posts `code`. */
export interface TotpSetupPage {
  kind: 'totp-setup';
  form: PostForm;
  /** Base32 without spaces. */
  secret: string;
  otpauthUri: string;
  email: string;
  problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
}

/** After the set-up of an authenticator app. */
export interface RecoveryCodesPage {
  kind: 'recovery-codes';
  codes: readonly string[];
  continueUrl: string;
}

/** Posts `credential`. */
export interface PasskeySetupPage {
  kind: 'passkey-setup';
  form: PostForm;
  passkey: PasskeyPart;
  /** A sentence. */
  problem: string | null;
}

/** Passkeys of an address that this browser has proven. */
export interface RecipientPasskeysPage {
  kind: 'recipient-passkeys';
  address: string;
  /** What must be done before they are changed. */
  standing: 'allowed' | 'use_passkey' | 'confirm_again' | 'shared';
  backUrl: string;
  /** Where the address is proven by code again. */
  confirmUrl: string;
  /** Days as YYYY-MM-DD. Posts the id of one that is removed. */
  passkeys: { id: string; name: string; createdOn: string; lastUsedOn: string | null; remove: PostForm | null }[];
  creation: PasskeyForm | null;
  use: PasskeyForm | null;
  /** A sentence. */
  problem: string | null;
}

/** Posts `code`; then `code` and `answer`: `allow` or `refuse`. */
export interface PairingPage {
  kind: 'pairing';
  email: string;
  step:
    | {
        is: 'code';
        form: PostForm;
        /** `wrong` covers unknown, expired and used codes. */
        problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
      }
    | { is: 'confirm'; form: PostForm; name: string; address: string; askedAt: number }
    | { is: 'done'; isAllowed: boolean }
    /** For a program on this computer, which listens at `handOver` or reads the page. */
    | { is: 'key'; apiKey: string; handOver: PostForm | null };
}
