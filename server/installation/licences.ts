// Open-source components and their licences.
import type { Licence } from '../actions/system/system.ts';
import { shipped } from '../lib/program-files.ts';
import { dependencies } from '../lib/version.ts';

let known: Licence[] | null = null;

export function listLicences(): Licence[] {
  known ??= Object.entries(dependencies).map(([name, version]) => ({
    name,
    version,
    licence: licenceOf(name),
  }));
  return known;
}

function licenceOf(name: string): string {
  const file = `node_modules/${name}/package.json`;
  if (!shipped.has(file)) return '';
  const { license } = JSON.parse(shipped.read(file).toString()) as { license?: string };
  return typeof license === 'string' ? license : '';
}
