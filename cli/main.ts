#!/usr/bin/env node
// The command line program. Prints its version without loading the rest, which takes longer than starting Node.
import { version } from './version.ts';

if (process.argv.length === 3 && process.argv[2] === '--version') process.stdout.write(`${version}\n`);
else await import('./start.ts');
