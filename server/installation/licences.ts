// The programs of others that this one is made of, from what is installed beside it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Licence } from '../actions/system/system.ts';
import { rootFolder } from '../lib/places.ts';
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
  const file = join(rootFolder, 'node_modules', name, 'package.json');
  if (!existsSync(file)) return '';
  const { license } = JSON.parse(readFileSync(file, 'utf8')) as { license?: string };
  return typeof license === 'string' ? license : '';
}
