// `node scripts/refusals.ts FILE`: adds the refusals that a test run recorded (RECORD_REFUSALS=FILE npm test) to
// server/http/api-docs/refusals.json. Delete the entry of an operation there to record it again.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpoints } from '../contract/endpoints.ts';
import { repositoryRoot } from './source-files.ts';

const path = join(repositoryRoot, 'server', 'http', 'api-docs', 'refusals.json');
type Refusals = Record<string, Record<string, string[]>>;
const known: Refusals = JSON.parse(readFileSync(path, 'utf8'));
/** Any request can meet them; the document says so once. */
const generalStatuses = new Set(['429', '500', '503', '507']);
const generalCodes = new Set(['page.not_found']);

const found: Refusals = {};
const add = (operation: string, status: string, code: string) => {
  if (!Object.hasOwn(endpoints, operation) || generalStatuses.has(status) || generalCodes.has(code)) return;
  const statuses = found[operation] ?? {};
  found[operation] = { ...statuses, [status]: [...new Set([...(statuses[status] ?? []), code])] };
};
for (const [operation, statuses] of Object.entries(known))
  for (const [status, codes] of Object.entries(statuses)) for (const code of codes) add(operation, status, code);
for (const line of readFileSync(process.argv[2]!, 'utf8').trim().split('\n')) {
  const [operation, status, code] = line.split(' ') as [string, string, string];
  add(operation, status, code);
}

const sorted = Object.keys(found)
  .toSorted()
  .map((operation) => [
    operation,
    Object.fromEntries(
      Object.entries(found[operation]!)
        .toSorted()
        .map(([status, codes]) => [status, codes.toSorted()]),
    ),
  ]);
writeFileSync(path, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
