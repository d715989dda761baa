// Folders for settings and state by the conventions of each system.
import { join } from 'node:path';
import type { World } from './world.ts';

type Place = Pick<World, 'env' | 'home' | 'platform'>;

export function configFile({ env, home, platform }: Place): string {
  if (env.WAYBILL_CONFIG) return env.WAYBILL_CONFIG;
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'waybill', 'config.toml');
  if (platform === 'win32') return join(env.APPDATA ?? join(home, 'AppData', 'Roaming'), 'waybill', 'config.toml');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'waybill', 'config.toml');
  return join(home, '.config', 'waybill', 'config.toml');
}

export function stateFolder({ env, home, platform }: Place): string {
  if (env.XDG_STATE_HOME) return join(env.XDG_STATE_HOME, 'waybill');
  if (platform === 'win32') return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'waybill', 'state');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'waybill', 'state');
  return join(home, '.local', 'state', 'waybill');
}

/** `~/…` as people write it in settings. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
