// Drop pages of functions, such as "Accounts payable".

import { refuseExtension } from './attachments.ts';
import { requireVisible } from './names.ts';
import type { Policy } from './policy.ts';
import { readExtensions } from './policy-changes.ts';
import { invalid } from './problem.ts';

export interface SystemDrop {
  id: string;
  /** The last segment of its URL. */
  name: string;
  title: string;
  intro: string;
  /** User ids. The first who can receive owns the files. */
  receivers: readonly string[];
  /** Null for the limit of the first receiver's group. */
  maxSize: number | null;
  /** Empty for those of that group. */
  permittedExtensions: string;
  confirmsSender: boolean;
  isOpen: boolean;
  createdAt: number;
  updatedAt: number;
}

export type DropSettings = Omit<SystemDrop, 'id' | 'createdAt' | 'updatedAt'>;

export const newDrop: DropSettings = {
  name: '',
  title: '',
  intro: '',
  receivers: [],
  maxSize: null,
  permittedExtensions: '',
  confirmsSender: true,
  isOpen: true,
};

export const maxReceivers = 50;
const maxIntroChars = 2000;
const maxMegabytes = 10_000_000;

/** Receivers are checked elsewhere. */
export function resolveDrop(present: DropSettings, given: Partial<DropSettings>): DropSettings {
  const resolved = { ...present, ...given };
  return {
    ...resolved,
    name: readDropName(resolved.name),
    title: readTitle(resolved.title),
    intro: readIntro(resolved.intro),
    maxSize: readMaxSize(resolved.maxSize),
    permittedExtensions: readTypes(resolved.permittedExtensions),
  };
}

/** Easy to dictate. Never an e-mail address: those are users' pages. */
function readDropName(text: string): string {
  const name = text.trim().toLowerCase();
  if (!/^(?=.{2,60}$)[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    throw invalid(
      'filedrop.bad_name',
      'An address has 2 to 60 letters, digits or single dashes, such as accounts-payable.',
      'name',
    );
  }
  return name;
}

function readTitle(text: string): string {
  const title = text.trim().normalize('NFC');
  if (title === '' || title.length > 100 || /[\u0000-\u001f\u007f]/.test(title))
    throw invalid('filedrop.bad_title', 'A drop page needs a title of at most 100 characters.', 'title');
  return requireVisible(title, 'title');
}

function readIntro(text: string): string {
  const intro = text.replace(/\r\n?/g, '\n').trim().normalize('NFC');
  if (intro.length > maxIntroChars || /[\u0000-\u0009\u000b-\u001f\u007f]/.test(intro)) {
    throw invalid('filedrop.bad_intro', `The text can have ${maxIntroChars} characters at most.`, 'intro').withValues({
      n: maxIntroChars,
    });
  }
  return intro;
}

function readMaxSize(megabytes: number | null): number | null {
  if (megabytes === null || (Number.isSafeInteger(megabytes) && megabytes >= 1 && megabytes <= maxMegabytes))
    return megabytes;
  throw invalid('filedrop.bad_size', 'The largest delivery is a whole number of MB, at least 1.', 'max_size');
}

function readTypes(text: string): string {
  const read = readExtensions('permitted_extensions', text);
  if (read.refusal === null) return read.value as string;
  throw invalid(
    'filedrop.bad_types',
    'Write file types with commas between them, such as pdf, docx.',
    'permitted_extensions',
  );
}

export function policyAt(
  drop: Pick<DropSettings, 'maxSize' | 'permittedExtensions' | 'confirmsSender'>,
  holders: Policy,
): Policy {
  return {
    ...holders,
    ...(drop.permittedExtensions === ''
      ? {}
      : { permitted_extensions: typesLeft(drop, holders), blocked_extensions: '' }),
    filedrop_max_size: Math.min(drop.maxSize ?? Number.POSITIVE_INFINITY, holders.filedrop_max_size),
    filedrop_confirm_sender: drop.confirmsSender,
  };
}

/** No file has this type. */
const noType = ' ';

function typesLeft({ permittedExtensions }: Pick<DropSettings, 'permittedExtensions'>, holders: Policy): string {
  const left = permittedExtensions.split(',').filter((type) => refuseExtension(holders, `x.${type}`) === null);
  return left.length === 0 ? noType : left.join(',');
}

export function assertTypesLeft(drop: DropSettings, holders: Policy): void {
  if (drop.permittedExtensions === '' || typesLeft(drop, holders) !== noType) return;
  throw invalid(
    'filedrop.types_not_permitted',
    'The group of the first receiver takes none of these file types.',
    'permitted_extensions',
  );
}
