// Repeated kill -9 of the service under load, with PostgreSQL and S3.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines, postgresAndS3 } from '#test/kit/engines.ts';
import { surviveKills } from './kill-rounds.ts';

const skip = engines.includes(postgresAndS3) ? false : 'needs the servers of the test command';

test('nothing acknowledged is lost, mixed or partial when the service is killed under load (PostgreSQL and S3)', {
  skip,
}, async () => {
  const ledger = await surviveKills(postgresAndS3, 5);
  assert.ok(ledger.files.size >= 15 && ledger.wholeDownloads > 0, 'there was load');
});
