#!/usr/bin/env node
// The command that npm installs: the program as `npm run build` made it, or else from source.
import { existsSync } from 'node:fs';

const built = new URL('../dist/server/main.js', import.meta.url);
await import(existsSync(built) ? built.href : './main.ts');
