// OpenStack Swift with its S3 interface: five processes below one folder, on free loopback ports. One device, one copy.
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { type Child, freePorts, startChild, untilReady, withOneRetry } from './child.ts';
import type { Requirement } from './packages.ts';
import { proxyConf, ringScript, type SwiftPlaces, storageConf, storageServers, swiftConf } from './swift-files.ts';

export interface S3Server {
  endpoint: string;
  region: string;
  accessKey: string;
  secretKey: string;
  stop(): Promise<void>;
}

const python = '/usr/bin/python3';
const memcached = '/usr/bin/memcached';
const serverPrograms = ['proxy', ...storageServers].map((name) => `/usr/bin/swift-${name}-server`);

export const swiftRequirement: Requirement = {
  name: 'OpenStack Swift (the S3 server)',
  debianPackages: ['swift-proxy', 'swift-account', 'swift-container', 'swift-object', 'memcached'],
  isMet: () => [python, memcached, ...serverPrograms].every((path) => existsSync(path)),
};

/** Resolves when a bucket and an object were written and removed. */
export function startSwift(folder: string): Promise<S3Server> {
  let attempt = 0;
  return withOneRetry(() => {
    attempt += 1;
    return startOnce(join(folder, `try-${attempt}`));
  });
}

async function startOnce(folder: string): Promise<S3Server> {
  const [proxy, account, container, object, cache] = (await freePorts(5)) as [number, number, number, number, number];
  const places: SwiftPlaces = {
    etc: join(folder, 'etc'),
    devices: join(folder, 'srv'),
    user: userInfo().username,
    ports: { proxy, account, container, object, cache },
  };
  await writeFiles(places);
  const children: Child[] = [];
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop(2_000)));
  };
  const start = async (name: string, command: string, args: string[]) => {
    const outputPath = join(folder, `${name}.log`);
    children.push(await startChild({ name, command, args, outputPath, cwd: folder }));
  };
  try {
    const cacheArgs = ['-l', '127.0.0.1', '-p', String(cache), '-U', '0', '-m', '64', '-u', places.user];
    await start('memcached', memcached, cacheArgs);
    for (const name of ['proxy', ...storageServers]) {
      await start(`swift-${name}`, `/usr/bin/swift-${name}-server`, [join(places.etc, `${name}-server.conf`), '-v']);
    }
    const address = {
      endpoint: `http://127.0.0.1:${proxy}`,
      region: 'us-east-1',
      accessKey: 'test:tester',
      secretKey: 'testing',
    };
    await untilReady(children, () => anyAnswer(address.endpoint), 240_000);
    await writeAndRemove(children, address);
    return { ...address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function writeFiles(places: SwiftPlaces): Promise<void> {
  await mkdir(places.etc, { recursive: true });
  await mkdir(join(places.devices, 'd1'), { recursive: true });
  await writeFile(join(places.etc, 'swift.conf'), swiftConf);
  await writeFile(join(places.etc, 'proxy-server.conf'), proxyConf(places));
  for (const name of storageServers)
    await writeFile(join(places.etc, `${name}-server.conf`), storageConf(name, places));
  const builder = await startChild({
    name: 'swift rings',
    command: python,
    args: ['-c', ringScript(places)],
    outputPath: join(places.etc, 'rings.log'),
  });
  const { code } = await builder.exited;
  if (code !== 0) throw new Error(`the rings of Swift were not made:\n${builder.output()}`);
}

async function anyAnswer(endpoint: string): Promise<void> {
  const reply = await fetch(endpoint, { signal: AbortSignal.timeout(30_000) });
  await reply.arrayBuffer();
}

/** Writes through all servers to the disk; fails here if the file system has no extended attributes. */
async function writeAndRemove(children: Child[], server: Omit<S3Server, 'stop'>): Promise<void> {
  const client = new S3Client({
    endpoint: server.endpoint,
    region: server.region,
    credentials: { accessKeyId: server.accessKey, secretAccessKey: server.secretKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 1,
  });
  const Bucket = 'ready-check';
  try {
    await untilReady(children, async () => void (await client.send(new CreateBucketCommand({ Bucket }))), 240_000);
    await untilReady(
      children,
      async () => void (await client.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a' }))),
      20_000,
    );
    await client.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));
    await client.send(new DeleteBucketCommand({ Bucket }));
  } finally {
    client.destroy();
  }
}
