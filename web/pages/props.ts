// Props of pages: plain data without React, so that the server needs only types. The catalogue provides all texts; a
// `sentence` is the message of a Problem. Messages, accounts, deliveries and mails have their own files; page.ts joins
// them.

/** Everything around a page, equal for all pages of one request. */
export interface Frame {
  /** BCP 47, one of `locales` in text.ts. */
  locale: string;
  /** IANA name of the service's time zone, in which expiry dates end. */
  timeZone: string;
  productName: string;
  /** Null before set-up is finished. */
  organisationName: string | null;
  /** Path of the public address without a trailing slash: '' or '/files'. */
  basePath: string;
  /** Where recipients report problems; null hides the link. */
  contactAddress: string | null;
  privacyUrl: string | null;
  /** Id for the problem report, such as a message id. */
  reference: string | null;
  /** Additional style sheet with colours derived from the organisation's. */
  brandStylesheetUrl: string | null;
  logo: FrameLogo | null;
  /** Text of the organisation below every page. */
  footerText: string | null;
  /** Null if there is only one language. */
  languageSwitch: LanguageSwitch | null;
  /** An address was confirmed on a browser marked as shared: drafts are removed when the confirmation expires. */
  isSharedBrowser?: boolean;
}

export interface FrameLogo {
  url: string;
  /** For dark mode; null puts the other one on a light background. */
  darkUrl: string | null;
  /** Only the aspect ratio matters. */
  width: number;
  height: number;
}

export interface LanguageSwitch {
  /** Posts `lang` with the chosen locale. */
  form: PostForm;
  locales: string[];
}

export interface PostForm {
  action: string;
  /** Sent as the hidden field `csrf`. */
  csrf?: string;
  /** More hidden fields, such as a return path. */
  hidden?: Record<string, string>;
}

/** A person with an account or a confirmed address. The address is always shown: a name alone proves nothing. */
export interface Person {
  name: string;
  /** Null when the owner's group hides it. */
  address: string | null;
}

/** A day in the service's time zone; `daysLeft` 0 is today. */
export interface UntilDate {
  /** YYYY-MM-DD */
  date: string;
  daysLeft: number;
}

/** One problem of one field: a reason with a text in the catalogue, or a sentence of the server. */
export type FieldProblem<Field extends string, Reason extends string> =
  | { field: Field; reason: Reason }
  | { field: Field; sentence: string };

export type PageNotice =
  /** The download failed before its first byte; nothing was counted. */
  | { is: 'download-trouble'; requestId: string | null }
  /** Download or "Read message" was clicked, and this visitor has none left. */
  | { is: 'limit-reached'; what: 'downloads' | 'readings'; sender: Person }
  | { is: 'sentence'; tone: 'info' | 'success' | 'warning' | 'danger'; sentence: string; requestId: string | null };

/** R4: one file, one button. */
export interface LinkPage {
  kind: 'link';
  file: { name: string; sizeText: string; sha256: string | null };
  sharedBy: Person | null;
  /** Null for no end date. */
  until: UntilDate | null;
  /** The download button, or the virus check in progress. */
  download: { is: 'ready'; form: PostForm } | { is: 'being-checked'; checkAgainUrl: string };
  /** Absolute URL that programs post to for a download; null when programs cannot use it. */
  programUrl: string | null;
  notices: PageNotice[];
  /** Only for the owner of the link. */
  owner: { linkUrl: string; downloadCount: number; settingsUrl: string | null } | null;
}

/** R5: the file name is hidden until the password is right. Posts `password`. */
export interface LinkPasswordPage {
  kind: 'link-password';
  form: PostForm;
  sharedBy: Person | null;
  state:
    | { is: 'ask' }
    | { is: 'empty' }
    | { is: 'wrong'; attemptsLeft: number; pauseMinutes: number }
    | { is: 'paused'; seconds: number };
}

export interface ConfirmAddressPage {
  kind: 'confirm-address';
  /** `open`: to open what was shared. `deliver`: to deliver files to `sharedBy`. */
  purpose: 'open' | 'deliver';
  sharedBy: Person | null;
  fileCount: number;
  /** Subject of the message; null for links and private messages. */
  subject: string | null;
  signInUrl: string | null;
  step: AddressStep | CodeStep | ContinueStep;
}

/** Posts `address`, unless the address is known. */
export interface AddressStep {
  is: 'address';
  form: PostForm;
  /** Masked, from a personal link. */
  knownAddress: string | null;
  otherAddressUrl: string | null;
  address: string;
  problem: FieldProblem<'address', 'missing' | 'invalid'> | null;
  /** Why the address is requested again, or that no code can be sent yet. */
  notice: { is: 'elsewhere' | 'link-old' | 'link-used' } | { is: 'wait'; seconds: number } | null;
}

/** Posts `code` and, when ticked, `shared_computer` = 1. */
export interface CodeStep {
  is: 'code';
  form: PostForm;
  /** Masked. */
  sentTo: string;
  /** From the mail's link; the visitor still has to submit it. */
  code: string;
  validMinutes: number;
  rememberDays: number;
  /** `isRefused`: a new code was requested too early, and none was sent. */
  resend: { form: PostForm; waitSeconds: number; isRefused: boolean };
  otherAddressUrl: string;
  problem: { is: 'missing' | 'old' | 'used' | 'too-many' } | { is: 'wrong'; attemptsLeft: number } | null;
}

/**
 * The button of the code mail, opened in another browser: one click confirms the address there, so that opening the
 * link alone consumes nothing. Posts `shared_computer` = 1 when ticked.
 */
export interface ContinueStep {
  is: 'continue';
  form: PostForm;
  /** Masked. */
  address: string;
  rememberDays: number;
  otherAddressUrl: string;
}

/** R9: twelve reasons, one layout. Details that must not or need not be shown are null. */
export interface NotAvailablePage {
  kind: 'not-available';
  reason:
    | { is: 'expired'; until: string | null; fileCount: number; sender: Person | null }
    | { is: 'download-limit'; limit: number | null; fileCount: number; sender: Person | null }
    | { is: 'stopped'; on: string | null; fileCount: number; sender: Person | null }
    | { is: 'removed'; fileCount: number }
    /**
     * An expired ticket; `pageUrl` is where the download can be started again. `isLimit`: one of its files has reached
     * its download limit.
     */
    | { is: 'download-ended'; pageUrl: string | null; isLimit: boolean; sender: Person | null }
    | { is: 'request-closed'; wasAnswered: boolean; on: string | null; asker: Person | null }
    /** Switched off, or its address has changed. */
    | { is: 'drop-moved' }
    | { is: 'unknown' }
    /** An API endpoint opened in a browser. */
    | { is: 'for-programs' }
    /** Null: we do not know which address the visitor would use. */
    | {
        is: 'not-allowed';
        address: string | null;
        fileCount: number;
        otherAddressUrl: string | null;
        sender: Person | null;
      }
    | { is: 'too-many-tries'; minutes: number }
    /** `message`: the administrator's text; null for the default text. */
    | { is: 'maintenance'; message: string | null };
  /** The subject or file name, if it may be shown. */
  about: string | null;
}

/** A0: set-up on one page. Posts the names of `SetupField`. */
export interface SetupPage {
  kind: 'setup';
  form: PostForm;
  tokenSource: { is: 'file'; path: string } | { is: 'environment'; variable: string };
  minPasswordLength: number;
  /** What was typed before; token and password are never sent back. */
  values: { name: string; email: string; organisation: string; public_address: string };
  /** The address this page was opened at. */
  addressInUse: string;
  /** Name of the variable that fixes the public address, which is then read-only. */
  publicAddressSetBy: string | null;
  problems: SetupProblem[];
}

export type SetupField = 'token' | 'name' | 'email' | 'password' | 'organisation' | 'public_address';

export type SetupProblem =
  | FieldProblem<'token', 'missing' | 'wrong' | 'too-many-tries'>
  | FieldProblem<'name' | 'organisation', 'missing' | 'too-long'>
  | FieldProblem<'email' | 'public_address', 'missing' | 'invalid'>
  | FieldProblem<'password', 'missing' | 'too-short' | 'too-common'>;

/** Shown once, to the first administrator, who is now signed in. */
export interface SetupDonePage {
  kind: 'setup-done';
  apiKey: string;
  email: string;
  sendUrl: string;
  /** Null if the API documentation is not public. */
  apiUrl: string | null;
  /** Public address without a trailing slash. */
  baseUrl: string;
  mailIsSetUp: boolean;
  masterKeyFile: string | null;
}

export interface HomePage {
  kind: 'home';
  /** Until the first administrator exists. */
  setupUrl: string | null;
  signInUrl: string;
  /** Null if the API documentation is not public. */
  apiUrl: string | null;
}

/** An internal error: only the request id. */
export interface ErrorPage {
  kind: 'error';
  status: number;
  requestId: string;
}

export interface WaitPage {
  kind: 'wait';
  seconds: number;
}

export interface ProblemPage {
  kind: 'problem';
  status: number;
  sentence: string;
  backUrl: string | null;
  requestId: string | null;
}
