// Screens provide names from responses; people without one are shown by address.
import { createContext, useContext } from 'react';
import { visibleText } from '../visible.ts';
import { useText } from './texts.ts';

export type KnownNames = Readonly<Record<string, string>>;

export const NamesContext = createContext<KnownNames>({});

export interface Names {
  /** Use it in rows that also show the address. */
  name(address: string): string;
  /** In sentences: two people with the same name are shown by address. */
  of(address: string): string;
  /** `Ben Okafor (ben@harbour.example)`, where the right person matters. */
  full(address: string): string;
  /** The address below the name; null if there is no name. */
  addressBelow(address: string): string | null;
}

export function useNames(): Names {
  const known = useContext(NamesContext);
  const text = useText('ui');
  const nameOf = (address: string) => (Object.hasOwn(known, address) ? known[address]! : '');
  const full = (address: string) => {
    const name = nameOf(address);
    return name === '' ? visibleText(address) : text('nameAndAddress', { name: visibleText(name), address });
  };
  return {
    name: (address) => visibleText(nameOf(address) || address),
    full,
    of(address) {
      const name = nameOf(address);
      const isShared = Object.values(known).filter((other) => other === name).length > 1;
      return name === '' || isShared ? full(address) : visibleText(name);
    },
    addressBelow: (address) => (nameOf(address) === '' ? null : visibleText(address)),
  };
}
