import { parseHexColour } from '#contract/colour.ts';
import { parseAddress } from '../lib/address.ts';
import { requireVisible } from './names.ts';
import { invalid } from './problem.ts';

export type LogoVariant = 'light' | 'dark';

export interface LogoFacts {
  /** A new logo gets a new URL. */
  hash: string;
  type: 'image/svg+xml' | 'image/png';
  width: number;
  height: number;
  sizeBytes: number;
}

export interface Branding {
  /** `#rrggbb`; null for the product's own. */
  colour: string | null;
  contactAddress: string | null;
  privacyUrl: string | null;
  /** Plain text below every page and mail; may be empty. */
  pageFooter: string;
  mailFooter: string;
  logo: Record<LogoVariant, LogoFacts | null>;
}

export const defaultBranding: Branding = {
  colour: null,
  contactAddress: null,
  privacyUrl: null,
  pageFooter: '',
  mailFooter: '',
  logo: { light: null, dark: null },
};

export const logoMaxBytes = 256 * 1024;
const maxNameChars = 100;
const maxFooterChars = 300;
const maxUrlChars = 500;

/** Absent fields stay; null and '' clear a value. */
export interface BrandingChanges {
  organisationName?: string | undefined;
  colour?: string | null | undefined;
  contactAddress?: string | null | undefined;
  privacyUrl?: string | null | undefined;
  pageFooter?: string | undefined;
  mailFooter?: string | undefined;
}

export function changedBranding(branding: Branding, changes: BrandingChanges): Branding {
  const changed = { ...branding };
  if (changes.colour !== undefined) changed.colour = orNull(changes.colour, readColour);
  if (changes.contactAddress !== undefined) changed.contactAddress = orNull(changes.contactAddress, readContact);
  if (changes.privacyUrl !== undefined) changed.privacyUrl = orNull(changes.privacyUrl, readPrivacyUrl);
  if (changes.pageFooter !== undefined) changed.pageFooter = readFooter(changes.pageFooter, 'page_footer');
  if (changes.mailFooter !== undefined) changed.mailFooter = readFooter(changes.mailFooter, 'mail_footer');
  return changed;
}

export function readOrganisationName(text: string, field: string): string {
  const name = text.trim().normalize('NFC');
  if (name === '' || name.length > maxNameChars || /[\u0000-\u001f\u007f]/.test(name)) {
    throw invalid(
      'organisation.bad_name',
      `Enter the name of your organisation, at most ${maxNameChars} characters.`,
      field,
    ).withValues({ n: maxNameChars });
  }
  return requireVisible(name, field);
}

function orNull(text: string | null, read: (text: string) => string): string | null {
  return text === null || text.trim() === '' ? null : read(text.trim());
}

function readColour(text: string): string {
  const colour = parseHexColour(text);
  if (colour === null) {
    throw invalid('branding.bad_colour', 'Write the colour as # and six digits, such as #0E5A6B.', 'colour');
  }
  return colour;
}

function readContact(text: string): string {
  const address = parseAddress(text, { allowSingleLabel: true });
  if (address === null) {
    throw invalid('branding.bad_contact', 'Enter one e-mail address, such as it@example.com.', 'contact_address');
  }
  return address.address;
}

function readPrivacyUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain || url.href.length > maxUrlChars) {
    throw invalid('branding.bad_privacy_url', 'Enter a web address that starts with https://.', 'privacy_url');
  }
  return url.href;
}

function readFooter(text: string, field: string): string {
  const footer = text.trim().normalize('NFC').replace(/\r\n?/g, '\n');
  if (footer.length > maxFooterChars || /[\u0000-\u0009\u000b-\u001f\u007f]/.test(footer)) {
    throw invalid(
      'branding.bad_footer',
      `A footer may have at most ${maxFooterChars} characters of plain text.`,
      field,
    ).withValues({ n: maxFooterChars });
  }
  return footer;
}
