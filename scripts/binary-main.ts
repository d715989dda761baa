// The entry of the one executable file: called `waybill` it is the people's program, by any other name the operator's. The
// operator's is an asset, 30 times the size: the people's program need not hold it in memory.
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { getAssetKeys, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

if (basename(process.argv0) === 'waybill') await import('../cli/main.ts');
else runServer();

/** What Node does with a module of its older kind. */
function runServer(): void {
  const bytesOf = (key: string) => Buffer.from(getRawAsset(key) as ArrayBuffer);
  const isCompiled = getAssetKeys().includes('server.compiled');
  const script = new Script(bytesOf('server.js').toString('latin1'), {
    filename: 'waybill-server.js',
    ...(isCompiled ? { cachedData: bytesOf('server.compiled') } : {}),
  });
  script.runInThisContext()(createRequire(process.execPath), {}, process.execPath);
}
