// Chromium of Debian for the end-to-end tests: found or installed, and verified to start.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Requirement } from './packages.ts';

/** The same engine without windows, in a quarter of the time. */
const withoutWindows = '/usr/bin/chromium-headless-shell';
const candidates = [withoutWindows, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** No sandbox, because root has none; and no outgoing connections. */
export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const chromiumRequirement: Requirement = {
  name: 'Chromium',
  // Without fonts the browser draws empty boxes, and texts have a wrong size.
  debianPackages: ['chromium-headless-shell', 'fonts-dejavu-core'],
  isMet: () => findChromium() === withoutWindows,
  hasSubstitute: () => findChromium() !== null,
};

/** The path of a browser that has drawn an empty page. */
export async function startableChromium(profileFolder: string): Promise<string> {
  const path = findChromium();
  if (!path) throw new Error('Chromium is not installed');
  const flags = ['--headless', ...chromiumFlags, `--user-data-dir=${profileFolder}`, '--dump-dom', 'about:blank'];
  const { stdout } = await promisify(execFile)(path, flags, { timeout: 240_000, killSignal: 'SIGKILL' });
  if (!stdout.includes('<html>')) throw new Error(`Chromium started, but its page is empty: ${stdout}`);
  return path;
}

export function findChromium(): string | null {
  return candidates.find((path) => existsSync(path)) ?? null;
}
