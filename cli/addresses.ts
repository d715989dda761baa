// Addresses as people write and paste them: with commas, and with names in front.
import { usageFailure } from './failures.ts';

export interface NamedAddress {
  /** Empty if none was given. */
  name: string;
  address: string;
}

/** `ben@example.com`, `Ben Ode <ben@example.com>`, `"Ode, Ben" <ben@example.com>`; several with commas. */
export function readAddresses(flag: string, lists: readonly string[]): NamedAddress[] {
  return lists.flatMap(splitList).map((text) => readAddress(flag, text));
}

/** At commas and semicolons outside of quotes. */
function splitList(list: string): string[] {
  const parts = list.match(/(?:"(?:[^"\\]|\\.)*"|[^,;"]|")+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

function readAddress(flag: string, text: string): NamedAddress {
  const [, name, inner] = /^(.*?)\s*<([^<>]*)>$/.exec(text) ?? [];
  const address = (inner ?? text).trim();
  if (/[\s<>]/.test(address) || address === '')
    throw usageFailure(
      `${flag}: “${text}” is not an address`,
      'Write ben@example.com, or "Ben Ode <ben@example.com>".',
    );
  return {
    name: (name ?? '')
      .replace(/^"(.*)"$/, '$1')
      .replace(/\\(.)/g, '$1')
      .trim(),
    address,
  };
}
