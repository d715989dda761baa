// Part `peers`: one large file up and down by `curl`, ours as it starts by default beside what people might run instead as
// that starts by default. Only what can be installed here is measured.
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { humanSize } from '#contract/sizes.ts';
import { alternate, type Bench, bytesPerSecond, type Turn } from './bench.ts';
import { curl, curlUpload, run, sparseFile } from './programs.ts';
import { type Peer, startPsiTransfer, startRclone } from './references/peers.ts';
import { startS3 } from './references/s3.ts';
import { missingRow, type Row, ratioRow, type Target } from './table.ts';
import { createLink, downloadAddress, startWaybill, type Waybill } from './waybill.ts';

interface Choice {
  name: string;
  start(bench: Bench): Promise<Peer>;
  up: Target;
  down: Target;
}

const noPromise: Target = { must: null, aim: null };

const choices: Choice[] = [
  { name: 'PsiTransfer', start: startPsiTransfer, up: { must: 1.2, aim: 1.5 }, down: { must: 2, aim: 2.5 } },
  { name: 'rclone serve webdav', start: startRclone, up: noPromise, down: noPromise },
  { name: 'OpenStack Swift (S3)', start: startS3, up: noPromise, down: noPromise },
];

export async function measurePeers(bench: Bench): Promise<Row[]> {
  const bytes = bench.sizes.fileBytes;
  const ours = await startWaybill(bench, { name: 'peers', workers: availableParallelism() });
  const path = sparseFile(bench, 'peers.bin', bytes);
  const [started, missing] = await startAll(bench);
  const rows: Row[] = [];
  for (const direction of ['up', 'down'] as const) {
    const work = `${humanSize(bytes)} ${direction} by curl`;
    const turn = direction === 'up' ? uploadTurn : downloadTurn;
    const measured = [await turn.ofOurs(ours, path, bytes)];
    for (const { peer } of started) measured.push(await turn.ofPeer(peer, path, bytes));
    for (const one of measured) await one();
    bench.say(work);
    const [values, ...others] = await alternate(bench.sizes.rounds, measured);
    for (const [index, { choice }] of started.entries()) {
      const reference = { name: choice.name, values: others[index]! };
      rows.push(ratioRow({ work, unit: 'GB/s' }, values!, reference, choice[direction]));
    }
    for (const { choice, reason } of missing) rows.push(missingRow(`${work}, against ${choice.name}`, reason));
  }
  rmSync(path);
  return rows;
}

async function startAll(bench: Bench) {
  const started: { choice: Choice; peer: Peer }[] = [];
  const missing: { choice: Choice; reason: string }[] = [];
  for (const choice of choices) {
    try {
      started.push({ choice, peer: await choice.start(bench) });
    } catch (error) {
      missing.push({ choice, reason: (error as Error).message.split('\n')[0]! });
    }
  }
  return [started, missing] as const;
}

const uploadTurn = {
  async ofOurs(ours: Waybill, path: string, bytes: number): Promise<Turn> {
    return async () => {
      const { elapsedMs } = await run(curlUpload(`http://127.0.0.1:${ours.port}`, ours.key, path));
      ours.dropFiles();
      return bytesPerSecond(bytes, elapsedMs);
    };
  },
  async ofPeer(peer: Peer, path: string, bytes: number): Promise<Turn> {
    return async () => {
      const { elapsedMs } = await run(await peer.upload(path, bytes));
      await peer.drop();
      return bytesPerSecond(bytes, elapsedMs);
    };
  },
};

/** From the page cache: the file was just sent. */
const downloadTurn = {
  async ofOurs(ours: Waybill, path: string, bytes: number): Promise<Turn> {
    const { said } = await run(curlUpload(`http://127.0.0.1:${ours.port}`, ours.key, path));
    const { attachment } = JSON.parse(said) as { attachment: { id: string } };
    const link = await createLink(ours, attachment.id);
    return async () => {
      const address = await downloadAddress(ours, link);
      const { elapsedMs } = await run(curl('-o', '/dev/null', `http://127.0.0.1:${ours.port}${address}`));
      return bytesPerSecond(bytes, elapsedMs);
    };
  },
  async ofPeer(peer: Peer, path: string, bytes: number): Promise<Turn> {
    await run(await peer.upload(path, bytes));
    return async () => bytesPerSecond(bytes, (await run(peer.download())).elapsedMs);
  },
};
