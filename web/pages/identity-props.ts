// What the server hands to the pages of accounts: sign in and out, forgotten passwords, invitations, second factor.
import type { FieldProblem, Person, PostForm } from './props.ts';

/** R3. One form for address and password, then the second factor where there is one. */
export interface SignInPage {
  kind: 'sign-in';
  step: PasswordStep | SecondFactorStep | LockedStep | SuspendedStep | SignedInStep;
}

/** Posts `email`, `password` and, when ticked, `keep` = 1. The password never comes back. */
export interface PasswordStep {
  is: 'password';
  form: PostForm;
  /** What was typed before, or an address the server knows. */
  email: string;
  /** How long "Keep me signed in" lasts; null leaves the choice out. */
  keepHours: number | null;
  isKeepTicked: boolean;
  isSharedTicked: boolean;
  forgotUrl: string | null;
  /** Why the page is shown, said above the form; null when nothing sent the person here. */
  reason: 'needed' | 'session-ended' | 'password-changed' | null;
  /** `wrong` is one sentence for both fields, whichever was wrong and whether or not the account exists. */
  problem:
    | { is: 'missing'; fields: ('email' | 'password')[] }
    | { is: 'wrong' }
    | { is: 'sentence'; sentence: string }
    | null;
}

/** Posts `code`. */
export interface SecondFactorStep {
  is: 'second-factor';
  form: PostForm;
  /** Back to the first step. */
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

/** Already signed in, and not on the way to somewhere. */
export interface SignedInStep {
  is: 'signed-in';
  person: Person;
  continueUrl: string;
  signOutForm: PostForm;
}

/** R10. Posts `email`; the answer is the same for every address. */
export interface ForgotPage {
  kind: 'forgot';
  signInUrl: string;
  state:
    | { is: 'ask'; form: PostForm; email: string; problem: FieldProblem<'email', 'missing' | 'invalid'> | null }
    | { is: 'sent'; email: string; validMinutes: number };
}

/** R10. Posts `password` and, for an invitation, `name`. */
export interface ChoosePasswordPage {
  kind: 'reset' | 'invitation';
  state:
    | ChooseState
    /** Opened twice, or too late. `newLinkUrl` leads to the forgot page; null for invitations. */
    | { is: 'used' | 'expired'; signInUrl: string; newLinkUrl: string | null };
}

export interface ChooseState {
  is: 'choose';
  form: PostForm;
  /** Whose password it is, shown and told to password managers. */
  email: string;
  /** Invitations only: who invited, when known. */
  invitedBy: Person | null;
  /** Invitations only: asked for, with what is known filled in. */
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

/** Second factor by an authenticator app. Posts `code`. */
export interface TotpSetupPage {
  kind: 'totp-setup';
  form: PostForm;
  /** Base32 without spaces. */
  secret: string;
  otpauthUri: string;
  email: string;
  problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
}

/** Signing a program in. Posts `code`; then `code` and `answer`, `allow` or `refuse`. */
export interface PairingPage {
  kind: 'pairing';
  /** Whose account the program would use. */
  email: string;
  step:
    | {
        is: 'code';
        form: PostForm;
        /** `wrong`: unknown, expired or used, which are not told apart. */
        problem: { is: 'missing' } | { is: 'wrong' } | { is: 'sentence'; sentence: string } | null;
      }
    | { is: 'confirm'; form: PostForm; name: string; address: string; askedAt: number }
    | { is: 'done'; isAllowed: boolean };
}
