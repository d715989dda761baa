// The entry of the one executable file: called `waybill` it is the people's program, by any other name the operator's.
import { basename } from 'node:path';

if (basename(process.argv0) === 'waybill') await import('../cli/main.ts');
else await import('../server/main.ts');
