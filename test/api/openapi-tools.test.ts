// Well-known tools read the OpenAPI document: two linters, and two generators whose clients call the running service.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { installSeparately } from '#scripts/separate-packages.ts';
import { repositoryRoot } from '#scripts/source-files.ts';
import { onOneEngine } from '#test/kit/app.ts';
import { useApp, usePerson } from '#test/kit/use-app.ts';

const committed = join(repositoryRoot, 'docs', 'openapi.json');
const settings = join(repositoryRoot, 'tools', 'openapi');

/** What the tests use of a generated client. */
interface HeyApi {
  createClient(options: object): unknown;
  getAccount(options: object): Promise<{ data?: { user: { email: string } } }>;
  sendMessage(options: object): Promise<{ data?: { message: { url: string } }; error?: { code: string } }>;
}

onOneEngine('tools for OpenAPI', (start) => {
  const app = useApp(start);
  const ann = usePerson(app, 'ann');
  const folder = mkdtempSync(join(tmpdir(), 'waybill-openapi-'));
  let packages: string;
  before(async () => {
    packages = await installSeparately('openapi');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const run = async (program: string, ...args: string[]): Promise<string> => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, REDOCLY_TELEMETRY: 'off' } };
    const path = join(packages, '.bin', program);
    return promisify(execFile)(process.execPath, [path, ...args], options).then(
      ({ stdout }) => stdout,
      ({ stdout, stderr, message }) => assert.fail(`${program}: ${stdout}${stderr}` || message),
    );
  };

  test('Redocly finds no error', async () => {
    await run('redocly', 'lint', committed, '--config', join(settings, 'redocly.yaml'));
  });

  test('Spectral finds no error and no warning', async () => {
    await run('spectral', 'lint', committed, '--ruleset', join(settings, 'spectral.yaml'), '--fail-severity', 'warn');
  });

  test('types by openapi-typescript fit a client that reads, sends and is refused', async () => {
    await run('openapi-typescript', committed, '-o', join(folder, 'schema.d.ts'));
    const program = join(folder, 'program.ts');
    writeFileSync(
      program,
      `import createClient from 'openapi-fetch';
import type { paths } from './schema.d.ts';
declare const process: { env: Record<string, string> };
declare const console: { log(...values: unknown[]): void };
const client = createClient<paths>({
  baseUrl: process.env.WAYBILL_SERVER,
  headers: { authorization: \`Bearer \${process.env.WAYBILL_API_KEY}\` },
});
const account = await client.GET('/account');
const email: string | undefined = account.data?.user.email;
const sent = await client.POST('/message', {
  body: { message: { recipients: [email ?? ''], subject: 'Drawings', message: 'Here.', attachments: [] } },
});
const refused = await client.POST('/message', { body: { message: { recipients: [], subject: 'Drawings' } } });
const first = await client.GET('/app-api/links', { params: { query: { size: 1 } } });
console.log(email, sent.response.status, refused.error?.code, first.response.status);
`,
    );
    const flags = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
    const paths = { 'openapi-fetch': [join(packages, 'openapi-fetch')] };
    const project = join(folder, 'tsconfig.json');
    const compilerOptions = { allowImportingTsExtensions: true, skipLibCheck: true, types: [], paths };
    writeFileSync(project, JSON.stringify({ compilerOptions, files: ['program.ts'] }));
    await run('tsc', '-p', project, ...flags, '--moduleResolution', 'bundler', '--module', 'esnext');
    assert.equal(await runBundled(program), `${ann.email} 200 message.no_recipients 200\n`);
  });

  test('a client by @hey-api/openapi-ts reads, and is refused with the documented codes', async () => {
    const out = join(folder, 'hey');
    await run('openapi-ts', '-i', committed, '-o', out, '-c', '@hey-api/client-fetch', '--no-log-file');
    const entry = await bundle(join(out, 'index.ts'), 'hey.mjs');
    const sdk = (await import(pathToFileURL(entry).href)) as HeyApi;
    const { client } = (await import(pathToFileURL(await bundle(join(out, 'client.gen.ts'), 'client.mjs')).href)) as {
      client: { getConfig(): object };
    };
    assert.ok(client.getConfig());
    const options = { baseUrl: app.url, headers: { authorization: `Bearer ${ann.key}` } };
    assert.equal((await sdk.getAccount(options)).data?.user.email, ann.email);
    const message = { recipients: ['nobody'], subject: 'Drawings' };
    assert.equal((await sdk.sendMessage({ ...options, body: { message } })).error?.code, 'message.bad_recipient');
  });

  const bundle = async (input: string, name: string): Promise<string> => {
    const output = { entryFileNames: name, format: 'es' } as const;
    await build({
      configFile: false,
      logLevel: 'silent',
      root: folder,
      resolve: { alias: { 'openapi-fetch': join(packages, 'openapi-fetch') } },
      build: { ssr: input, outDir: join(folder, 'out'), emptyOutDir: false, rolldownOptions: { output } },
      ssr: { noExternal: true },
    });
    return join(folder, 'out', name);
  };

  const runBundled = async (input: string): Promise<string> => {
    const env = { ...process.env, WAYBILL_SERVER: app.url, WAYBILL_API_KEY: ann.key! };
    return (await promisify(execFile)(process.execPath, [await bundle(input, 'program.mjs')], { env })).stdout;
  };
});
