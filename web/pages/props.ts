// Plain data without React, so that the server needs only types. A `sentence` is the message of a Problem.

/** Equal for all pages of one request. */
export interface Frame {
  /** One of `locales` in text.ts. */
  locale: string;
  /** IANA name of the zone in which expiry dates end. */
  timeZone: string;
  productName: string;
  /** Null before set-up is finished. */
  organisationName: string | null;
  /** Path of the public address: '' or '/files'. */
  basePath: string;
  /** Null hides the link. */
  contactAddress: string | null;
  privacyUrl: string | null;
  /** Quoted in a problem report. */
  reference: string | null;
  /** Has colours derived from the organisation's. */
  brandStylesheetUrl: string | null;
  logo: FrameLogo | null;
  /** Below every page. */
  footerText: string | null;
  /** Null if there is only one language. */
  languageSwitch: LanguageSwitch | null;
  /** False while mails wait because there is no mail server. */
  canSendMail?: boolean;
  /** Drafts are removed when the confirmation of an address expires. */
  isSharedBrowser?: boolean;
}

export interface FrameLogo {
  url: string;
  /** Null puts the other one on a light background. */
  darkUrl: string | null;
  /** Only the aspect ratio matters. */
  width: number;
  height: number;
}

export interface LanguageSwitch {
  /** Posts `lang`. */
  form: PostForm;
  locales: string[];
}

export interface PostForm {
  action: string;
  /** The hidden field `csrf`. */
  csrf?: string;
  /** More hidden fields. */
  hidden?: Record<string, string>;
}

/** The address is always shown: a name alone proves nothing. */
export interface Person {
  name: string;
  /** Null when the owner's group hides it. */
  address: string | null;
}

/** Days end in the service's time zone; `daysLeft` 0 is today. */
export interface UntilDate {
  /** YYYY-MM-DD */
  date: string;
  daysLeft: number;
}

/** A reason with a text in the catalogue, or a sentence of the server. */
export type FieldProblem<Field extends string, Reason extends string> =
  | { field: Field; reason: Reason }
  | { field: Field; sentence: string };

export type PageNotice =
  /** It failed before its first byte; nothing was counted. */
  | { is: 'download-trouble'; requestId: string | null }
  /** Download or "Read message" was clicked, and this visitor has none left. */
  | { is: 'limit-reached'; what: 'downloads' | 'readings'; sender: Person }
  | { is: 'sentence'; tone: 'info' | 'success' | 'warning' | 'danger'; sentence: string; requestId: string | null };

/** `percent`: how much of a large file the virus scanner has; null before its turn. */
export interface CheckProgress {
  forViruses: boolean;
  percent: number | null;
}

export interface LinkPage {
  kind: 'link';
  file: { name: string; sizeText: string; sha256: string | null };
  sharedBy: Person | null;
  /** Null for no end date. */
  until: UntilDate | null;
  /** Being checked. */
  download: { is: 'ready'; form: PostForm } | ({ is: 'being-checked'; checkAgainUrl: string } & CheckProgress);
  /** Programs post to it for a download; null when they cannot. */
  programUrl: string | null;
  notices: PageNotice[];
  /** Only for the owner. */
  owner: { linkUrl: string; downloadCount: number; settingsUrl: string | null } | null;
  passkeys?: PasskeyHint | null;
}

/** The file name is hidden until the password is right. Posts `password`. */
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

/** Names of `authorization` 0–4, see the glossary. */
export type MessageAudience =
  | 'anyone'
  | 'anyoneSignedIn'
  | 'recipientsAndLocal'
  | 'recipientsOnly'
  | 'recipientsAndDomains';

export interface ConfirmAddressPage {
  kind: 'confirm-address';
  /** `deliver`: to deliver files to `sharedBy`. */
  purpose: 'open' | 'deliver';
  /** `anyoneSignedIn` for links; null for a delivery. */
  audience: MessageAudience | null;
  sharedBy: Person | null;
  fileCount: number;
  /** Null for links and private messages. */
  subject: string | null;
  signInUrl: string | null;
  step: AddressStep | CodeStep | ContinueStep;
  /** Null where no passkey is accepted. `isRequired`: of addresses that have one. */
  passkey: (PasskeyForm & { isRequired: boolean; problem: string | null }) | null;
}

/** The button in a form that sends `credential` to `formAction`. The script fills it in. */
export interface PasskeyPart {
  formAction: string;
  /** For `navigator.credentials`. */
  options: object;
}

export interface PasskeyForm {
  form: PostForm;
  passkey: PasskeyPart;
}

/** The page with the passkeys of the visitor's address. */
export interface PasskeyHint {
  url: string;
  hasPasskey: boolean;
}

/** Posts `address`, unless it is known. */
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
  /** `isRefused`: requested too early; none was sent. */
  resend: { form: PostForm; waitSeconds: number; isRefused: boolean };
  otherAddressUrl: string;
  problem: { is: 'missing' | 'old' | 'used' | 'too-many' } | { is: 'wrong'; attemptsLeft: number } | null;
}

/**
 * The code mail's link in another browser: needs a click, so that opening it consumes nothing. Posts `shared_computer`
 * = 1 when ticked.
 */
export interface ContinueStep {
  is: 'continue';
  form: PostForm;
  /** Masked. */
  address: string;
  rememberDays: number;
  otherAddressUrl: string;
}

/** Details that must not or need not be shown are null. */
export interface NotAvailablePage {
  kind: 'not-available';
  reason:
    | { is: 'expired'; until: string | null; fileCount: number; sender: Person | null }
    | { is: 'download-limit'; limit: number | null; fileCount: number; sender: Person | null }
    | { is: 'stopped'; on: string | null; fileCount: number; sender: Person | null }
    | { is: 'removed'; fileCount: number }
    /** The download can be started again at `pageUrl`. `isLimit`: a file has reached its download limit. */
    | { is: 'download-ended'; pageUrl: string | null; isLimit: boolean; sender: Person | null }
    | { is: 'request-closed'; wasAnswered: boolean; on: string | null; asker: Person | null }
    /** Closed, or its address has changed. */
    | { is: 'drop-moved' }
    | { is: 'unknown' }
    /** An API endpoint opened in a browser. */
    | { is: 'for-programs' }
    /** Null: the address the visitor would use is unknown. */
    | {
        is: 'not-allowed';
        address: string | null;
        fileCount: number;
        otherAddressUrl: string | null;
        sender: Person | null;
      }
    | { is: 'too-many-tries'; minutes: number }
    /** Null for the default text. */
    | { is: 'maintenance'; message: string | null };
  /** Null if it must not be shown. */
  about: string | null;
}

/** Posts the names of `SetupField`. */
export interface SetupPage {
  kind: 'setup';
  form: PostForm;
  tokenSource: { is: 'file'; path: string } | { is: 'environment'; variable: string };
  minPasswordLength: number;
  /** The password is never sent back. */
  values: { token: string; name: string; email: string; organisation: string; public_address: string };
  /** The address of this page. */
  addressInUse: string;
  /** The variable that fixes the public address, which is then read-only. */
  publicAddressSetBy: string | null;
  problems: SetupProblem[];
}

export type SetupField = 'token' | 'name' | 'email' | 'password' | 'organisation' | 'public_address';

export type SetupProblem =
  | FieldProblem<'token', 'missing' | 'wrong' | 'too-many-tries'>
  | FieldProblem<'name' | 'organisation', 'missing' | 'too-long'>
  | FieldProblem<'email' | 'public_address', 'missing' | 'invalid'>
  | FieldProblem<'password', 'missing' | 'too-short' | 'too-common'>;

export type SetupMailField =
  | 'way'
  | 'host'
  | 'security'
  | 'port'
  | 'user'
  | 'password'
  | 'token_url'
  | 'client_id'
  | 'client_secret'
  | 'refresh_token'
  | 'from';

/** Posts the names of `SetupMailField`. */
export interface SetupMailPage {
  kind: 'setup-mail';
  form: PostForm;
  skipUrl: string;
  /** Gets the test mail. */
  to: string;
  /** Without secrets. */
  values: Partial<Record<SetupMailField, string>>;
  problems: { field: SetupMailField; sentence: string }[];
  /** The step of the test that failed; `said` are the words of the mail server. */
  failed: { sentence: string; cure: string; said: string } | null;
}

/** Shown once, to the first administrator, who is now signed in. */
export interface SetupDonePage {
  kind: 'setup-done';
  apiKey: string;
  email: string;
  sendUrl: string;
  /** The overview of the console with the checklist. */
  checklistUrl: string;
  /** Null if the API documentation is not public. */
  apiUrl: string | null;
  /** Has no trailing slash. */
  baseUrl: string;
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
