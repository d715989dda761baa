// What people are called. Answers of the server bring names for the addresses in them; a screen hands them down once, and
// everything on it says names. Somebody without a name is called by their address.
import { createContext, useContext } from 'react';
import { visibleText } from '../visible.ts';
import { useText } from './texts.ts';

/** By address, as the server knows them. */
export type KnownNames = Readonly<Record<string, string>>;

export const NamesContext = createContext<KnownNames>({});

export interface Names {
  /** `Ben Okafor`, or the address: for rows that show the address anyway. */
  name(address: string): string;
  /** The same for sentences. Two people of the same name are told apart by their addresses. */
  of(address: string): string;
  /** `Ben Okafor (ben@harbour.example)`, for what must not hit the wrong one. */
  whole(address: string): string;
  /** The address to show beneath the name; null when the address is all there is. */
  beneath(address: string): string | null;
}

export function useNames(): Names {
  const known = useContext(NamesContext);
  const text = useText('ui');
  const nameOf = (address: string) => (Object.hasOwn(known, address) ? known[address]! : '');
  const whole = (address: string) => {
    const name = nameOf(address);
    return name === '' ? visibleText(address) : text('nameAndAddress', { name: visibleText(name), address });
  };
  return {
    name: (address) => visibleText(nameOf(address) || address),
    whole,
    of(address) {
      const name = nameOf(address);
      const isShared = Object.values(known).filter((other) => other === name).length > 1;
      return name === '' || isShared ? whole(address) : visibleText(name);
    },
    beneath: (address) => (nameOf(address) === '' ? null : visibleText(address)),
  };
}
