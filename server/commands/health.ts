// `waybill-server health`: readiness of the running server as one line and an exit code, for containers. Opens neither
// database nor store.
import { readConfig } from '../config.ts';
import { checkListener, type Listener } from '../installation/doctor/listener.ts';
import { type Terminal, terminal } from './terminal.ts';

export async function health(
  args: string[],
  io: Terminal = terminal,
  config: () => Listener = readConfig,
): Promise<number> {
  if (args.length > 0) {
    io.err('usage: waybill-server health\n');
    return 2;
  }
  const [finding] = await checkListener(config());
  if (finding === undefined) {
    io.err(
      'waybill-server: this machine does jobs alone (WAYBILL_ROLE) and does not listen, so its health cannot be checked\n',
    );
    return 1;
  }
  if (finding.state === 'ok') io.out(`✓ ${finding.sentence}\n`);
  else io.err(`waybill-server: ${finding.sentence}\n`);
  return finding.state === 'ok' ? 0 : 1;
}
