// Machines killed while they create the tables of an empty database: the next start continues from there.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { repositoryRoot } from '#scripts/source-files.ts';
import { postgresAndS3, sqliteAndDisk } from '#test/kit/engines.ts';
import { eventually } from '#test/kit/eventually.ts';
import { createInstallation } from '#test/kit/program.ts';
import { findTestServers } from '#test/kit/servers/addresses.ts';
import { freePorts } from '#test/kit/servers/child.ts';

describe('migrations killed midway', { skip: findTestServers() === null && 'without servers' }, () => {
  for (const engine of [sqliteAndDisk, postgresAndS3])
    test(`each start continues where the last one ended, and three machines that start together become ready (${engine.name})`, async () => {
      const place = await createInstallation(engine, { WAYBILL_WORKERS: '1' });
      try {
        for (let kills = 0; kills < 2; kills++) {
          const program = await place.start({
            sources: {
              folder: repositoryRoot,
              args: ['--import', './test/faults/next-version.fixture.ts', 'server/main.ts'],
            },
            command: 'migrate',
            waits: false,
            environment: { UPGRADE_STOPS_HALF_WAY: 'yes' },
          });
          await eventually('the second migration is half way', async () => program.output().includes('half way'));
          program.signalAll('SIGKILL');
          await program.exited;
        }
        const ports = await freePorts(3);
        await Promise.all(ports.map((port) => place.start({ port })));
        await place.start();
        const { id } = await place.admin.upload('after.bin', 'whole');
        await place.admin.expect(200, 'createFileLink', { body: { link: { attachment: id } } });
        const { code, output } = await place.run(['migrate', '--check']);
        assert.equal(code, 0, output);
      } finally {
        await place.drop();
      }
    });
});
