// `waybill-server config [print] [--json]` prints every setting, its value and source, without secrets. `waybill-server
// config check` lists invalid settings.
import { type Config, readConfig } from '../config.ts';
import { configEntries } from '../config-entries.ts';
import { type Terminal, terminal } from './terminal.ts';

const usage = 'usage: waybill-server config [print] [--json]\n       waybill-server config check\n';

/** Throws ConfigProblems; the program prints their sentences. */
export async function config(args: string[], io: Terminal = terminal, given?: NodeJS.ProcessEnv): Promise<number> {
  const isCheck = args[0] === 'check';
  const flags = args.slice(isCheck || args[0] === 'print' ? 1 : 0);
  const isJson = flags[0] === '--json' && !isCheck;
  if (flags.length > (isJson ? 1 : 0)) {
    io.err(usage);
    return 2;
  }
  const read = readConfig(given);
  const settings = inForce(read);
  const isSet = settings.filter(({ source }) => source !== 'default').length;
  if (isCheck) io.out(`✓ ${isSet} of ${settings.length} settings are set; every one is known and right.\n`);
  else if (isJson) io.out(`${JSON.stringify(settings, null, 2)}\n`);
  else for (const { name, value, source } of settings) io.out(`${name}=${value}  (${source})\n`);
  return 0;
}

/** Includes computed defaults. */
function inForce(config: Config) {
  const come = {
    [configEntries.baseUrl.name]: config.baseUrl.href.replace(/\/$/, ''),
    [configEntries.dataDir.name]: config.dataDir,
    [configEntries.storageDir.name]: config.storageDir,
    [configEntries.masterKeyFile.name]: config.masterKeyFile,
    [configEntries.databaseConnections.name]: String(config.databaseConnections),
    [configEntries.workers.name]: String(config.workers),
  };
  return config.inForce.map(({ name, value, source, meaning, isSecret }) => ({
    name,
    value: source === 'default' ? (come[name] ?? value) : value,
    source,
    is_secret: isSecret,
    meaning,
  }));
}
