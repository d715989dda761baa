// `waybill-server evidence …`: verifies the evidence log, rotates its key, manages witnesses, and acts as a witness on
// another machine.
import { parseArgs } from 'node:util';
import { acceptLoss } from '../actions/evidence/accept-loss.ts';
import { rotateKey } from '../actions/evidence/keys.ts';
import { listVerifiers } from '../actions/evidence/log.ts';
import { verifyLog } from '../actions/evidence/verify.ts';
import { admitWitness, listAdmittedWitnesses, removeWitness } from '../actions/evidence/witnesses.ts';
import { getReceiptForOperator } from '../actions/receipts/receipts.ts';
import { withInstallation } from '../app.ts';
import { readConfig, takeSecrets } from '../config.ts';
import { operatorCaller } from '../domain/caller.ts';
import { silentLog } from '../lib/log.ts';
import { verifierKey } from '../lib/tlog/notes.ts';
import { compareWitnesses } from './compare-witnesses.ts';
import { type Finding, witnessOnce } from './witness.ts';
import { WitnessProblem } from './witness-memory.ts';

const usage =
  'usage: waybill-server evidence verify | rotate-key | receipt ID | accept-loss REASON |\n' +
  '       witnesses | admit-witness KEY | remove-witness KEY |\n' +
  '       witness URL [--folder FOLDER] [--accept-loss] | compare-witnesses FOLDER FOLDER\n';

export async function evidence(args: string[]): Promise<number> {
  const commands: Record<string, (args: string[]) => Promise<number>> = {
    verify,
    'rotate-key': rotate,
    receipt,
    'accept-loss': accept,
    witnesses: showWitnesses,
    'admit-witness': (words) => changeWitness(words, 'admit'),
    'remove-witness': (words) => changeWitness(words, 'remove'),
    witness,
    'compare-witnesses': compare,
  };
  const [word = ''] = args;
  const command = Object.hasOwn(commands, word) ? commands[word] : undefined;
  if (command !== undefined) return command(args.slice(1));
  process.stderr.write(usage);
  return 2;
}

async function verify(): Promise<number> {
  const config = readConfig();
  takeSecrets();
  const { entries, fault, warnings, keys } = await withInstallation(config, silentLog, async (ctx) => ({
    ...(await verifyLog(ctx)),
    keys: (await listVerifiers(ctx)).map(verifierKey),
  }));
  if (fault !== null) {
    process.stdout.write(`✗ ${fault}\n  ${entries} entries before it were checked and are as they were sealed.\n`);
    return 1;
  }
  for (const warning of warnings) process.stdout.write(`! ${warning}\n`);
  process.stdout.write(
    `✓ ${entries} entries: every event, tile and checkpoint is as it was sealed.\n` +
      `  Signed by ${keys.join(', ')}\n` +
      '  This machine cannot prove more: only a witness elsewhere can show that no second history was written with its keys.\n',
  );
  return 0;
}

async function rotate(): Promise<number> {
  const config = readConfig();
  takeSecrets();
  const key = await withInstallation(config, silentLog, rotateKey);
  process.stdout.write(`Checkpoints are signed by this key from now on; older ones stay valid:\n${key}\n`);
  return 0;
}

/** Prints the auditor's version of a receipt. */
async function receipt([id = '']: string[]): Promise<number> {
  if (id === '') {
    process.stderr.write(usage);
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const found = await withInstallation(config, silentLog, (ctx) => getReceiptForOperator(ctx, id));
  if (found === null) {
    process.stderr.write('There is no message, link or file request with this id.\n');
    return 1;
  }
  process.stdout.write(found.text);
  return 0;
}

/** After an older database was restored, the log continues from its last event and records the loss. */
async function accept(words: string[]): Promise<number> {
  const reason = words.join(' ').trim();
  if (reason === '') {
    process.stderr.write(usage);
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const loss = await withInstallation(config, silentLog, (ctx) => acceptLoss(ctx, reason));
  process.stdout.write(
    loss === null
      ? 'Nothing is lost: the database is not older than the log.\n'
      : `✓ The log continues after entry ${loss.remaining}; ${loss.lost} entries that were signed after it are lost, which is an event now.\n` +
          '  Witnesses will name it: have each of them visit once with --accept-loss.\n',
  );
  return 0;
}

async function showWitnesses(): Promise<number> {
  const config = readConfig();
  takeSecrets();
  const known = await withInstallation(config, silentLog, (ctx) => listAdmittedWitnesses(ctx, operatorCaller()));
  for (const { verifierKey: key, size, witnessedAt } of known) {
    const signed = size === 0 ? 'has signed nothing' : `${size} entries, ${new Date(witnessedAt).toISOString()}`;
    process.stdout.write(`${key}  ${signed}\n`);
  }
  return 0;
}

async function changeWitness([key = '', ...more]: string[], change: 'admit' | 'remove'): Promise<number> {
  if (key === '' || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  const config = readConfig();
  takeSecrets();
  const act = change === 'admit' ? admitWitness : removeWitness;
  const isChanged = await withInstallation(config, silentLog, (ctx) => act(ctx, operatorCaller(), key));
  if (isChanged) process.stdout.write(`✓ The key was ${change === 'admit' ? 'admitted' : 'removed'}.\n`);
  else if (change === 'admit') process.stdout.write('The key was admitted before.\n');
  else process.stderr.write('There is no witness with this key: waybill-server evidence witnesses lists them.\n');
  return isChanged || change === 'admit' ? 0 : 1;
}

/** One visit; a timer runs it every few minutes. */
async function witness(args: string[]): Promise<number> {
  const wanted = readWitnessArguments(args);
  if (wanted === null) {
    process.stderr.write(usage);
    return 2;
  }
  return report(() => witnessOnce({ ...wanted, nowMs: Date.now() }));
}

/** Needs copies of the folders of two witnesses, and nothing of the installation. */
async function compare([one = '', other = '', ...more]: string[]): Promise<number> {
  if (other === '' || more.length > 0) {
    process.stderr.write(usage);
    return 2;
  }
  return report(() => compareWitnesses([one, other]));
}

async function report(find: () => Promise<Finding>): Promise<number> {
  try {
    const { isGood, sentence } = await find();
    process.stdout.write(`${isGood ? '✓' : '✗'} ${sentence}\n`);
    return isGood ? 0 : 1;
  } catch (error) {
    if (!(error instanceof WitnessProblem)) throw error;
    process.stderr.write(`waybill-server: ${error.message}\n`);
    return 3;
  }
}

function readWitnessArguments(args: string[]): { url: string; folder: string; acceptsLoss: boolean } | null {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { folder: { type: 'string', default: 'witness' }, 'accept-loss': { type: 'boolean', default: false } },
    });
    const [url = '', ...more] = positionals;
    if (more.length > 0 || !URL.canParse(url) || !/^https?:/.test(url)) return null;
    return { url, folder: values.folder, acceptsLoss: values['accept-loss'] };
  } catch {
    return null;
  }
}
