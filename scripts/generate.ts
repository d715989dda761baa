// `npm run generate`: writes the documents and files that are generated from code; `--check` compares them instead.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openApiDocument } from '../server/http/api-docs/openapi.ts';
import { cliPage } from './cli-page.ts';
import { makeClientRoutes } from './client-routes.ts';
import { configurationPage } from './configuration-page.ts';
import { eventKindsJson, eventsPage } from './events-page.ts';
import { groupSettingsPage } from './group-settings-page.ts';
import { makeMailLayouts } from './mail-layouts.ts';
import { manPage } from './man-page.ts';
import { currentSchemaPage } from './schema-page.ts';
import { serverManPage } from './server-man-page.ts';
import { repositoryRoot } from './source-files.ts';

interface GeneratedDocument {
  path: string;
  make(): Promise<string>;
}

const documents: GeneratedDocument[] = [
  { path: 'contract/routes.gen.ts', make: makeClientRoutes },
  { path: 'docs/integrate/cli.md', make: cliPage },
  { path: 'docs/operate/configuration.md', make: configurationPage },
  { path: 'docs/administer/group-settings.md', make: groupSettingsPage },
  { path: 'docs/integrate/event-kinds.json', make: eventKindsJson },
  { path: 'docs/integrate/events.md', make: eventsPage },
  { path: 'docs/man/waybill.1', make: manPage },
  { path: 'docs/man/waybill-server.8', make: serverManPage },
  { path: 'docs/openapi.json', make: async () => `${JSON.stringify(openApiDocument(), null, 2)}\n` },
  { path: 'docs/contribute/schema.md', make: currentSchemaPage },
  { path: 'server/mail/layouts.gen.ts', make: makeMailLayouts },
];

const isCheck = process.argv.includes('--check');
for (const { path, make } of documents) {
  const file = join(repositoryRoot, path);
  const fresh = await make();
  if (existsSync(file) && readFileSync(file, 'utf8') === fresh) continue;
  if (isCheck) {
    console.error(`${path} is out of date: run "npm run generate" and commit it.`);
    process.exitCode = 1;
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, fresh);
  console.log(`${path} written`);
}
