// Runs one command and reports its failure as a sentence and an exit code.
import { exitCodes, type Failure, failureOf } from './failures.ts';
import { writeLine, writeLines } from './output.ts';
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
    const failure = failureOf(error) ?? stopped;
    if (failure === null) {
      writeLines(
        world.stderr,
        `waybill: a fault of this program, please report it: ${(error as Error)?.stack ?? error}\n`,
      );
      return exitCodes.failed;
    }
    tell(world, failure);
    return failure.exitCode;
  }
}

function tell(world: World, { message, details, exitCode }: Failure): void {
  const { args } = world;
  if (args.includes('--json') || args.includes('--events=json')) {
    const { hint, requestId } = details;
    const error = {
      code: details.code,
      sentence: message,
      hint: hint ?? null,
      request_id: requestId ?? null,
      exit_code: exitCode,
    };
    const isEvents = args.includes('--events=json');
    (isEvents ? world.stdout : world.stderr).write(
      `${jsonText(isEvents ? { event: 'error', ...error } : { error })}\n`,
    );
    return;
  }
  if (message === '') return;
  const isPlain = details.code === 'interrupted' || details.code === 'usage';
  const about = [details.code, ...(details.requestId === undefined ? [] : [`request ${details.requestId}`])].join(', ');
  writeLine(
    world.stderr,
    `${details.code === 'interrupted' ? '' : 'waybill: '}${message}${isPlain ? '' : ` (${about})`}`,
  );
  if (details.hint !== undefined) writeLine(world.stderr, details.hint);
}
