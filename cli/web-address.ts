// Only http and https: other schemes could open local files and programs.
import { parseUrl } from '../transfer/older-platforms.ts';
import { exitCodes, Failure } from './failures.ts';

export function webAddress(text: string, base?: string): URL | null {
  const url = parseUrl(text, base);
  return url !== null && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}

/** Fails if the address is not usable. */
export function requireWebAddress(text: string, base: string): URL {
  const url = webAddress(text, base);
  if (url !== null) return url;
  throw new Failure(exitCodes.serverError, `the server named an address that cannot be used: “${text}”`, {
    code: 'server.address',
  });
}
