// What the server hands to each page: plain data, no React, so that the server needs the types alone.
// Texts are never passed in where the catalogue can say it; a `sentence` is a Problem's message, shown as it is.
// Messages, accounts, deliveries and mails have files of their own beside this one; page.ts joins them all.

/** Everything around a page, the same for all pages of one request. */
export interface Frame {
  /** BCP 47, one of `locales` in text.ts. */
  locale: string;
  /** IANA name of the service's zone; expiry dates end there. */
  timeZone: string;
  productName: string;
  /** Null before the first run is finished. */
  organisationName: string | null;
  /** Path of the public address without a trailing slash: '' or '/files'. */
  basePath: string;
  /** Where recipients report problems; null leaves the link out. */
  contactAddress: string | null;
  privacyUrl: string | null;
  /** Id filled into the problem report, such as a message id. */
  reference: string | null;
  /** Extra style sheet with the organisation's derived colours. */
  brandStylesheetUrl: string | null;
  logo: FrameLogo | null;
  /** The organisation's own words below every page. */
  footerText: string | null;
  /** Null while there is one language only. */
  languageSwitch: LanguageSwitch | null;
  /** An address was confirmed here on a browser marked as shared: drafts are removed when that time is over. */
  isSharedBrowser?: boolean;
}

export interface FrameLogo {
  url: string;
  /** For dark pages; null puts the other one on a light plate. */
  darkUrl: string | null;
  /** Of the picture; only their proportion matters. */
  width: number;
  height: number;
}

export interface LanguageSwitch {
  /** Posts `lang` with the chosen locale. */
  form: PostForm;
  locales: string[];
}

/** A form that posts and is answered with a redirect. */
export interface PostForm {
  action: string;
  /** Sent as the hidden field `csrf`. */
  csrf?: string;
  /** More hidden fields, such as a return path. */
  hidden?: Record<string, string>;
}

/** Someone with an account or a proven address. The name alone proves nothing: the address stands beside it. */
export interface Person {
  name: string;
  /** Null when the owner's group does not show it. */
  address: string | null;
}

/** A day in the service's zone; `daysLeft` 0 is today. */
export interface UntilDate {
  /** YYYY-MM-DD */
  date: string;
  daysLeft: number;
}

/** One thing wrong with one field: a reason the catalogue knows, or a sentence of the server's. */
export type FieldProblem<Field extends string, Reason extends string> =
  | { field: Field; reason: Reason }
  | { field: Field; sentence: string };

export type PageNotice =
  /** The download broke before its first byte; nothing was counted. */
  | { is: 'download-trouble'; requestId: string | null }
  /** Download or "Read message" was pressed, and nothing is left for this visitor. */
  | { is: 'limit-reached'; what: 'downloads' | 'readings'; sender: Person }
  | { is: 'sentence'; tone: 'info' | 'success' | 'warning' | 'danger'; sentence: string; requestId: string | null };

/** R4: one file, one button. */
export interface LinkPage {
  kind: 'link';
  file: { name: string; sizeText: string; sha256: string | null };
  sharedBy: Person | null;
  /** Null: no end date. */
  until: UntilDate | null;
  /** What stands where the button is: the download, or the virus check that has not finished. */
  download: { is: 'ready'; form: PostForm } | { is: 'being-checked'; checkAgainUrl: string };
  /** Whole address at which a program presses Download; null when it cannot get that far. */
  programUrl: string | null;
  notices: PageNotice[];
  /** Only when the owner looks at their own link. */
  owner: { linkUrl: string; downloadCount: number; settingsUrl: string | null } | null;
}

/** R5: the file name stays hidden until the password is right. Posts `password`. */
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

/** R2: prove control of an e-mail address. */
export interface ConfirmAddressPage {
  kind: 'confirm-address';
  /** To open what was shared, or to have what was handed in delivered to `sharedBy`. */
  purpose: 'open' | 'deliver';
  sharedBy: Person | null;
  fileCount: number;
  /** Subject of the message; null for links and private messages. */
  subject: string | null;
  signInUrl: string | null;
  step: AddressStep | CodeStep | ContinueStep;
}

/** Posts `address`; with a known address nothing is typed and no such field is sent. */
export interface AddressStep {
  is: 'address';
  form: PostForm;
  /** Masked, from a personal link. */
  knownAddress: string | null;
  otherAddressUrl: string | null;
  /** What was typed before. */
  address: string;
  problem: FieldProblem<'address', 'missing' | 'invalid'> | null;
  /** Why the address is asked for again, or that no code could be sent just now. */
  notice: { is: 'elsewhere' | 'link-old' | 'link-used' } | { is: 'wait'; seconds: number } | null;
}

/** Posts `code` and, when ticked, `shared_computer` = 1. */
export interface CodeStep {
  is: 'code';
  form: PostForm;
  /** Masked. */
  sentTo: string;
  /** Filled in from the mail's link; the press stays the person's. */
  code: string;
  validMinutes: number;
  rememberDays: number;
  /** `isRefused`: a new code was asked for too early, and none was sent. */
  resend: { form: PostForm; waitSeconds: number; isRefused: boolean };
  otherAddressUrl: string;
  problem: { is: 'missing' | 'old' | 'used' | 'too-many' } | { is: 'wrong'; attemptsLeft: number } | null;
}

/**
 * The button of the code's mail, followed in a browser that did not ask: one press proves the address to it, so that
 * opening it uses nothing up. Posts `shared_computer` = 1 when ticked.
 */
export interface ContinueStep {
  is: 'continue';
  form: PostForm;
  /** Masked. */
  address: string;
  rememberDays: number;
  otherAddressUrl: string;
}

/** R9: twelve reasons, one layout. Details are null where we may not or need not say. */
export interface NotAvailablePage {
  kind: 'not-available';
  reason:
    | { is: 'expired'; until: string | null; fileCount: number; sender: Person | null }
    | { is: 'download-limit'; limit: number | null; fileCount: number; sender: Person | null }
    | { is: 'stopped'; on: string | null; fileCount: number; sender: Person | null }
    | { is: 'removed'; fileCount: number }
    /**
     * A ticket that serves no more; `pageUrl` is where it can be started again. `isLimit`: one of its files has been
     * downloaded as often as permitted.
     */
    | { is: 'download-ended'; pageUrl: string | null; isLimit: boolean; sender: Person | null }
    | { is: 'request-closed'; wasAnswered: boolean; on: string | null; asker: Person | null }
    /** Switched off, or given a new address. */
    | { is: 'drop-moved' }
    | { is: 'unknown' }
    /** The address of an API call, opened by hand. */
    | { is: 'for-programs' }
    /** Null: we do not know which address they would come with. */
    | {
        is: 'not-allowed';
        address: string | null;
        fileCount: number;
        otherAddressUrl: string | null;
        sender: Person | null;
      }
    | { is: 'too-many-tries'; minutes: number }
    /** `message`: what an administrator wrote; null for our own words. */
    | { is: 'maintenance'; message: string | null };
  /** What it was, if we may say: a subject or a file name. */
  about: string | null;
}

/** A0: the first run on one page. Posts the names of `SetupField`. */
export interface SetupPage {
  kind: 'setup';
  form: PostForm;
  tokenSource: { is: 'file'; path: string } | { is: 'environment'; variable: string };
  minPasswordLength: number;
  /** What was typed before; token and password never come back. */
  values: { name: string; email: string; organisation: string; public_address: string };
  /** The address this page was opened at. */
  addressInUse: string;
  /** Name of the variable that fixes the public address, which is then shown but not asked. */
  publicAddressSetBy: string | null;
  problems: SetupProblem[];
}

export type SetupField = 'token' | 'name' | 'email' | 'password' | 'organisation' | 'public_address';

export type SetupProblem =
  | FieldProblem<'token', 'missing' | 'wrong' | 'too-many-tries'>
  | FieldProblem<'name' | 'organisation', 'missing' | 'too-long'>
  | FieldProblem<'email' | 'public_address', 'missing' | 'invalid'>
  | FieldProblem<'password', 'missing' | 'too-short' | 'too-common'>;

/** Shown once, to the first administrator, who is signed in from now on. */
export interface SetupDonePage {
  kind: 'setup-done';
  apiKey: string;
  email: string;
  /** Where the app sends files. */
  sendUrl: string;
  /** Null when this server does not publish the description of its API. */
  apiUrl: string | null;
  /** Public address without a trailing slash. */
  baseUrl: string;
  mailIsSetUp: boolean;
  masterKeyFile: string | null;
}

/** What `/` shows to a browser. */
export interface HomePage {
  kind: 'home';
  /** Present until the first administrator exists. */
  setupUrl: string | null;
  signInUrl: string;
  /** Null when the description of the API is not public. */
  apiUrl: string | null;
}

/** A fault of ours: nothing but the request id. */
export interface ErrorPage {
  kind: 'error';
  status: number;
  requestId: string;
}

/** Too many requests, told in words. */
export interface WaitPage {
  kind: 'wait';
  seconds: number;
}

/** A Problem that has no page of its own. */
export interface ProblemPage {
  kind: 'problem';
  status: number;
  sentence: string;
  backUrl: string | null;
  requestId: string | null;
}
