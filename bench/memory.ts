// Part `memory`: the peak memory of our server for one large upload and download, and for many parallel uploads.
import { statfsSync } from 'node:fs';
import { humanSize } from '#contract/sizes.ts';
import type { Bench } from './bench.ts';
import { forgetPeak, isMemoryKnown, peakBytes, residentBytes } from './memory-use.ts';
import { limitRow, missingRow, type Row } from './table.ts';
import { createLink, downloadRequest, startWaybill, uploadedIds, uploadRequest, type Waybill } from './waybill.ts';

const megabyte = 1_000_000;
const manyUploads = { count: 200, bytes: 8 * 1024 * 1024 };
const timeoutMs = 10 * 60_000;

export async function measureMemory(bench: Bench): Promise<Row[]> {
  if (!isMemoryKnown) return [missingRow('memory', 'this system has no /proc')];
  const rows = await measureLargeFile(bench);
  rows.push(await measureManyUploads(bench));
  return rows;
}

async function measureLargeFile(bench: Bench): Promise<Row[]> {
  const bytes = bench.sizes.memoryFileBytes;
  const label = `one file of ${humanSize(bytes)}`;
  const { bavail, bsize } = statfsSync(bench.folder);
  if (bavail * bsize < bytes * 1.2 + 2e9) return [missingRow(`memory, ${label}`, 'there is not enough disk space')];
  const server = await startWaybill(bench, { name: 'memory', workers: 1 });
  const target = { must: 200 * megabyte, aim: 150 * megabyte };
  bench.say(`memory, ${label}`);
  forgetPeak(server.pid);
  const uploaded = await bench.load.once(server.port, [uploadRequest(bytes)], timeoutMs);
  const rows = [limitRow(`memory, ${label} in`, 'MB', peakBytes(server.pid), target)];
  const link = await createLink(server, uploadedIds(uploaded, bytes)[0]!);
  const request = await downloadRequest(server, link);
  forgetPeak(server.pid);
  await bench.load.once(server.port, [request], timeoutMs);
  rows.push(limitRow(`memory, ${label} out`, 'MB', peakBytes(server.pid), target));
  await server.stop();
  server.dropFiles();
  return rows;
}

async function measureManyUploads(bench: Bench): Promise<Row> {
  const { count, bytes } = manyUploads;
  const label = `memory, ${count} parallel uploads of ${humanSize(bytes)}`;
  const server = await startWaybill(bench, { name: 'memory-many', workers: 1 });
  // The limit of one key is 128 parallel uploads.
  const keys = [server.key, await keyOfSecondPerson(server)];
  await bench.load.once(server.port, [uploadRequest(bytes)]);
  bench.say(label);
  const idleBytes = residentBytes(server.pid);
  forgetPeak(server.pid);
  const requests = Array.from({ length: count }, (_, index) => uploadRequest(bytes, keys[index % keys.length]));
  uploadedIds(await bench.load.once(server.port, requests), bytes);
  const row = limitRow(label, 'MB', peakBytes(server.pid) - idleBytes, {
    must: 300 * megabyte,
    aim: 150 * megabyte,
    over: 'idle',
  });
  await server.stop();
  server.dropFiles();
  return row;
}

async function keyOfSecondPerson(server: Waybill): Promise<string> {
  const email = 'second@example.com';
  await server.call('POST', '/admin/users', { json: { user: { email, name: 'Second' } } });
  const answer = await server.call('GET', `/account/api_key?email=${email}`);
  return ((await answer.json()) as { user: { api_key: string } }).user.api_key;
}
