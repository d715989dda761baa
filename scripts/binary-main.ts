// The entry of the executable file: the command line if it is called `waybill`, otherwise the server. The server is an asset
// of 30 times the size, so that the command line does not hold it in memory.
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { getAssetKeys, getRawAsset } from 'node:sea';
import { Script } from 'node:vm';

if (basename(process.argv0) === 'waybill') await import('../cli/main.ts');
else runServer();

/** As Node runs a CommonJS module. */
function runServer(): void {
  const bytesOf = (key: string) => Buffer.from(getRawAsset(key) as ArrayBuffer);
  const isCompiled = getAssetKeys().includes('server.compiled');
  const script = new Script(bytesOf('server.js').toString('latin1'), {
    filename: 'waybill-server.js',
    ...(isCompiled ? { cachedData: bytesOf('server.compiled') } : {}),
  });
  script.runInThisContext()(createRequire(process.execPath), {}, process.execPath);
}
