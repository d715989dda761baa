// The compose files and the settings of the Debian package name existing settings with valid values, and match the image.
// `npm run test:package` tests the package and the image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { readConfig } from '#server/config.ts';
import manifest from '../package.json' with { type: 'json' };
import { repositoryRoot } from './source-files.ts';

interface Service {
  image: string;
  ports?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
}

interface Workflow {
  jobs: Record<string, { if?: string; needs?: string; steps: { run?: string }[] }>;
}

const text = (name: string) => readFileSync(join(repositoryRoot, 'packaging', name), 'utf8');

/** Replaces variables by their default, or by a word if they are required. */
function filledIn(value: string): string {
  return value.replace(/\$\{(\w+)(?::-([^}]*)|:\?)\}/g, (_, __, standard: string | undefined) => standard ?? 'word');
}

describe('the files for operators', () => {
  for (const name of ['compose.yaml', 'compose.postgres-s3.yaml'])
    describe(name, () => {
      const file = parse(text(name)) as { services: Record<string, Service>; volumes: Record<string, unknown> };
      const { waybill } = file.services;

      test('sets only valid settings', () => {
        const environment = Object.entries(waybill!.environment!).map(([key, value]) => [key, filledIn(value)]);
        const config = readConfig({ ...Object.fromEntries(environment), WAYBILL_DATA_DIR: '/data' });
        assert.deepEqual(config.listen, { kind: 'port', host: '0.0.0.0', port: 8080 });
        assert.equal(config.storage, name === 'compose.yaml' ? 'file' : 's3');
        assert.equal(config.databaseUrl === null, name === 'compose.yaml');
      });

      test('has the image of this version, its port and its volume', () => {
        assert.equal(filledIn(waybill!.image), `waybill:${manifest.version}`);
        const image = text('Containerfile');
        const [, port] = /^EXPOSE (\d+)/m.exec(image)!;
        const [, volume] = /^VOLUME (\S+)/m.exec(image)!;
        assert.deepEqual(waybill!.ports, [`8080:${port}`]);
        assert.deepEqual(waybill!.volumes, [`data:${volume}`]);
      });

      test('names the version of every image', () => {
        for (const { image } of Object.values(file.services)) assert.match(filledIn(image), /:v?\d[\d.]*$/);
      });

      test('uses volumes and services that it declares, and no others', () => {
        const services = Object.values(file.services);
        const used = services.flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]!));
        assert.deepEqual([...new Set(used)].sort(), Object.keys(file.volumes).sort());
        for (const { depends_on: needed = [] } of services)
          for (const other of Array.isArray(needed) ? needed : Object.keys(needed)) assert.ok(other in file.services);
      });
    });

  test('the image has a health check and its own user, and is built from a base that can be replaced', () => {
    const image = text('Containerfile');
    assert.match(image, /^HEALTHCHECK .*"health"\]$/m);
    assert.match(image, /^USER 10001:10001$/m);
    assert.match(image, /^ARG BASE=\S+\n[\s\S]*^FROM \$\{BASE\} AS built$/m);
  });

  test('publishing images is off until a variable enables it', () => {
    const workflow = parse(readFileSync(join(repositoryRoot, '.github/workflows/image.yml'), 'utf8')) as Workflow;
    assert.equal(workflow.jobs.image!.if, "vars.PUBLISH_IMAGES == 'true'");
    assert.equal(workflow.jobs.manifest!.needs, 'image');
    const commands = Object.values(workflow.jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run));
    assert.ok(commands.some((command) => command.includes('--file packaging/Containerfile')));
  });

  test('every setting that the Debian package suggests is valid', () => {
    const lines = text('waybill.env')
      .split('\n')
      .filter((line) => /^#?WAYBILL_/.test(line));
    assert.ok(lines.length > 3);
    const settings = lines.map((line) => line.replace(/^#/, '').split(/=(.*)/).slice(0, 2));
    readConfig(Object.fromEntries(settings));
  });
});
