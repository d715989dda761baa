// `waybill-server start`: prepares the installation, then serves in one process or several. A supervisor does not load
// the application, which saves 60 MB and a second.
import cluster from 'node:cluster';
import { readConfig, takeSecrets } from '../config.ts';
import { createLog } from '../lib/log.ts';
import { announceStop, greet, isForTerminal, untilStopped } from './running.ts';
import { supervise } from './supervise.ts';

export async function start(): Promise<number> {
  const config = readConfig();
  const secrets = takeSecrets();
  const log = createLog({
    level: config.logLevel,
    format: isForTerminal(config) ? 'pretty' : 'json',
  });
  const isAlone = config.workers === 1 || config.role === 'jobs';
  if (cluster.isPrimary && !isAlone)
    return supervise(config, log, secrets, {
      untilStopped,
      ready: (url, failing) => greet(config, log, { url, failing }),
      stopping: () => announceStop(log),
    });
  const { serve, work } = await import('./serve.ts');
  return cluster.isWorker ? work(config, log) : serve(config, log);
}
