// The Helm chart: rendered with the templates of Go and the function library of Helm, checked by the validators and types of the
// Kubernetes API and by our own settings. Without Go, only the values are checked.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { parse, parseAllDocuments } from 'yaml';
import { readConfig } from '#server/config.ts';
import manifest from '../package.json' with { type: 'json' };
import { installSeparately } from './separate-packages.ts';
import { repositoryRoot } from './source-files.ts';

interface EnvEntry {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef: { name: string; key: string } };
}

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: Record<string, unknown>;
}

const run = promisify(execFile);
const chart = join(repositoryRoot, 'packaging', 'helm');
const go = ['/usr/bin/go', '/usr/local/go/bin/go'].find((path) => existsSync(path));
const libraries = '/usr/share/gocode/src/github.com/Masterminds/sprig';
const needsGo = { skip: (go === undefined || !existsSync(libraries)) && 'without Go and its packages' };

const alone = {
  baseUrl: 'https://files.example.com',
  image: { repository: 'registry.example.com/waybill' },
  masterKeySecret: 'waybill-key',
};
const several = {
  ...alone,
  baseUrl: 'https://example.com/files',
  replicas: 3,
  secret: 'waybill-settings',
  postgresql: { enabled: true },
  s3: { enabled: true, endpoint: 'https://s3.example.com', prefix: 'one/' },
  settings: { WAYBILL_TIMEZONE: 'Europe/Stockholm', WAYBILL_WORKERS: 2 },
  ingress: { enabled: true, className: 'nginx', tlsSecret: 'waybill-certificate' },
  networkPolicy: { enabled: true, from: [{ namespaceSelector: { matchLabels: { name: 'ingress' } } }] },
  podAnnotations: { 'example.com/team': 'files' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'files', operator: 'Exists' }],
  imagePullSecrets: [{ name: 'registry' }],
};

describe('the Helm chart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-chart-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test('has the version of the program', () => {
    const { version, appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8')) as Record<string, string>;
    assert.deepEqual([version, appVersion], [manifest.version, manifest.version]);
  });

  test('describes every value in its schema, and no other', () => {
    const schema = JSON.parse(readFileSync(join(chart, 'values.schema.json'), 'utf8')) as Schema;
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual(namesOfSchema(schema).toSorted(), [...namesOfValues(values, schema), 'global'].toSorted());
  });

  describe('rendered', needsGo, () => {
    let program: string;
    let packages: string;
    before(async () => {
      packages = await installSeparately('helm');
      program = join(folder, 'render');
      const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOFLAGS: '' };
      const source = join(repositoryRoot, 'tools', 'helm', 'render.go');
      await run(go!, ['build', '-o', program, source], { env: { ...env, GOCACHE: join(folder, 'cache') } });
    });

    const render = async (values: object): Promise<Resource[]> => {
      const { stdout } = await run(program, [chart, JSON.stringify(values)]);
      const resources = stdout.slice(stdout.indexOf('# deployment.yaml'));
      return parseAllDocuments(resources)
        .map((document) => document.toJS() as Resource | null)
        .filter((resource) => resource !== null);
    };
    const kindsOf = (resources: Resource[]) => resources.map(({ kind }) => kind).toSorted();

    /** Validators ignore names that they do not know; types find them. */
    const assertValid = async (resources: Resource[]) => {
      const lines = await Promise.all(
        resources.map(async (resource, index) => {
          const { apiVersion, kind } = resource;
          const path = `${apiVersion}/${kind}`;
          const place = join(packages, 'kubernetes-models', `${path}.js`);
          const module = (await import(pathToFileURL(place).href)) as Record<string, new (data: object) => Model>;
          new module[kind]!(resource).validate();
          const type = JSON.stringify(join(packages, 'kubernetes-models', `${path}.d.ts`));
          return `export const r${index}: import(${type}).I${kind} = ${JSON.stringify(resource)};`;
        }),
      );
      const file = join(folder, 'resources.ts');
      writeFileSync(file, lines.join('\n'));
      const compiler = join(repositoryRoot, 'node_modules', '.bin', 'tsc');
      const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--module', 'nodenext'];
      await run(compiler, [...options, '--types', '', file]).catch(({ stdout }) => assert.fail(stdout));
    };

    test('refuses values that cannot work, with a sentence', async () => {
      const refusals: [RegExp, object][] = [
        [/set baseUrl/, { ...alone, baseUrl: '' }],
        [/set image\.repository/, { ...alone, image: {} }],
        [/set masterKeySecret/, { ...alone, masterKeySecret: '' }],
        [/need postgresql\.enabled and s3\.enabled/, { ...alone, replicas: 2 }],
        [/need postgresql\.enabled and s3\.enabled/, { ...several, s3: { enabled: false } }],
        [/need postgresql\.enabled and s3\.enabled/, { ...alone, persistence: { enabled: false } }],
        [/set secret/, { ...several, secret: '' }],
        [/set s3\.endpoint/, { ...several, s3: { enabled: true } }],
      ];
      for (const [sentence, values] of refusals) await assert.rejects(render(values), sentence);
    });

    test('finds resources that Kubernetes would refuse', async () => {
      const [service] = (await render(alone)).filter(({ kind }) => kind === 'Service');
      await assert.rejects(assertValid([{ ...service!, spec: { ...service!.spec, ports: 'http' } }]), /must be array/);
      await assert.rejects(
        assertValid([{ ...service!, spec: { ...service!.spec, port: 80 } }]),
        /"port"' does not exist/,
      );
    });

    test('is a valid installation of one pod with a volume that is kept', async () => {
      const resources = await render(alone);
      assert.deepEqual(kindsOf(resources), ['Deployment', 'PersistentVolumeClaim', 'Service']);
      await assertValid(resources);
      assert.match(JSON.stringify(resources), /"helm.sh\/resource-policy":"keep"/);
      assert.match(JSON.stringify(resources), /"type":"Recreate"/);
    });

    test('is a valid installation of several pods behind an ingress', async () => {
      const resources = await render(several);
      const wanted = ['Deployment', 'Ingress', 'NetworkPolicy', 'PodDisruptionBudget', 'Service'];
      assert.deepEqual(kindsOf(resources), wanted);
      await assertValid(resources);
      const { rules } = resources.find(({ kind }) => kind === 'Ingress')!.spec as { rules: { host: string }[] };
      assert.equal(rules[0]!.host, 'example.com');
      assert.match(JSON.stringify(rules), /"path":"\/files"/);
    });

    test('sets only valid settings, and runs as the user of the image with a read-only root', async () => {
      const image = readFileSync(join(chart, '..', 'Containerfile'), 'utf8');
      const [, user] = /^USER (\d+)/m.exec(image)!;
      const secrets = { WAYBILL_S3_ACCESS_KEY: 'key', WAYBILL_S3_SECRET_KEY: 'secret' };
      for (const values of [alone, several]) {
        const deployment = (await render(values)).find(({ kind }) => kind === 'Deployment')!;
        const { template } = deployment.spec as { template: { spec: PodSpec } };
        const { containers, securityContext } = template.spec;
        assert.equal(securityContext.runAsUser, Number(user));
        assert.equal(containers[0]!.securityContext.readOnlyRootFilesystem, true);
        const settings = containers[0]!.env.map(({ name, value }) => [name, value ?? secretOf(name)]);
        const config = readConfig({ ...Object.fromEntries(settings), ...secrets, WAYBILL_DATA_DIR: '/data' });
        assert.equal(config.storage, values === alone ? 'file' : 's3');
        assert.equal(config.databaseUrl === null, values === alone);
      }
    });
  });
});

interface Model {
  validate(): void;
}

interface PodSpec {
  securityContext: { runAsUser: number };
  containers: { env: EnvEntry[]; securityContext: { readOnlyRootFilesystem: boolean } }[];
}

interface Schema {
  properties?: Record<string, Schema>;
}

function secretOf(name: string): string {
  return name === 'WAYBILL_MASTER_KEY'
    ? Buffer.alloc(32, 7).toString('base64')
    : 'postgres://waybill:word@database/waybill';
}

function namesOfSchema({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, inner]) =>
    inner.properties === undefined ? [name] : namesOfSchema(inner).map((below) => `${name}.${below}`),
  );
}

/** Down to where the schema ends: below are names of the operator. */
function namesOfValues(values: object, schema: Schema): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const inner = schema.properties?.[name];
    if (inner?.properties === undefined) return [name];
    return namesOfValues(value as object, inner).map((below) => `${name}.${below}`);
  });
}
