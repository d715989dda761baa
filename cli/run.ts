// Runs one command and reports its failure as a sentence and an exit code.
import { exitCodes, Failure, failureOf } from './failures.ts';
import { scriptFormat, writeLine, writeLines } from './output.ts';
import { jsonText } from './plain-text.ts';
import { runCommand } from './program.ts';
import { interruption } from './uploading.ts';
import type { World } from './world.ts';

export async function run(world: World): Promise<number> {
  try {
    await runCommand(world);
    return exitCodes.done;
  } catch (error) {
    const stopped = world.signal.aborted ? interruption(world.signal.reason, 0) : null;
    const failure = failureOf(error) ?? stopped ?? faultOf(error);
    tell(world, failure);
    return failure.exitCode;
  }
}

function faultOf(error: unknown): Failure {
  const sentence = `a fault of this program, please report it: ${(error as Error)?.stack ?? error}`;
  return new Failure(exitCodes.failed, sentence, { code: 'program.fault' });
}

function tell(world: World, { message, details, exitCode }: Failure): void {
  const { hint, requestId, code } = details;
  const format = scriptFormat(world.args);
  if (format !== null) {
    const error = {
      code,
      sentence: message,
      hint: hint ?? null,
      request_id: requestId ?? null,
      exit_code: exitCode,
    };
    const isEvents = format === 'events';
    (isEvents ? world.stdout : world.stderr).write(
      `${jsonText(isEvents ? { event: 'error', ...error } : { error })}\n`,
    );
    return;
  }
  // The parser of the arguments has printed its own sentence.
  if (code === 'arguments') return;
  if (code === 'program.fault') {
    writeLines(world.stderr, `waybill: ${message}\n`);
    return;
  }
  const isPlain = code === 'interrupted' || code === 'usage';
  const about = [code, ...(requestId === undefined ? [] : [`request ${requestId}`])].join(', ');
  writeLine(world.stderr, `${code === 'interrupted' ? '' : 'waybill: '}${message}${isPlain ? '' : ` (${about})`}`);
  if (hint !== undefined) writeLine(world.stderr, hint);
}
