#!/usr/bin/env node
// The command that npm installs: the built program, or else from source.
import { existsSync } from 'node:fs';

const built = new URL('../dist/cli/main.js', import.meta.url);
await import(existsSync(built) ? built : new URL('main.ts', import.meta.url));
