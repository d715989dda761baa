// `waybill-server doctor [--json]`: checks everything the service depends on, and names a cure for each fault.
import { examine } from '../installation/doctor/examine.ts';
import type { Finding } from '../installation/doctor/findings.ts';
import { systemClock } from '../lib/clock.ts';
import { counted } from '../lib/counted.ts';
import { createRandom } from '../lib/ids.ts';

const signs = { ok: '✓', warn: '!', fault: '✗' };

export async function doctor(args: string[]): Promise<number> {
  const isJson = args[0] === '--json';
  if (args.length > (isJson ? 1 : 0)) {
    process.stderr.write('usage: waybill-server doctor [--json]\n');
    return 2;
  }
  const findings = await examine({ random: createRandom(), clock: systemClock(), onFinding: isJson ? () => {} : show });
  const countOf = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const [faults, warnings] = [countOf('fault'), countOf('warn')];
  if (isJson) process.stdout.write(`${JSON.stringify({ faults, warnings, findings }, null, 2)}\n`);
  else process.stdout.write(`${counted(faults, 'fault')}, ${counted(warnings, 'warning')}\n`);
  return faults === 0 ? 0 : 1;
}

function show({ look, state, sentence, cure, said }: Finding): void {
  process.stdout.write(`${signs[state]} ${look}: ${sentence}${said === '' || state === 'ok' ? '' : ` (${said})`}\n`);
  if (cure !== null) process.stdout.write(`    cure: ${cure}\n`);
}
