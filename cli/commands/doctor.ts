// `doctor`: checks for the usual problems between this machine and the server, each with its fix.
import { exitCodes, Failure, failureOf } from '../failures.ts';
import { readAccount, type Session } from '../session.ts';

interface Finding {
  name: string;
  isGood: boolean;
  sentence: string;
  cure?: string;
}

const mostSkewMs = 60_000;
const largeChunkBytes = 8 * 1024 * 1024;

export async function doctor(session: Session): Promise<void> {
  const { output } = session;
  const findings: Finding[] = session.settings.faults.map(({ message, details: { hint } }) => ({
    name: 'settings',
    isGood: false,
    sentence: message,
    ...(hint === undefined ? {} : { cure: hint }),
  }));
  for (const check of [checkServer, checkAccount, checkChunk]) {
    const found = await check(session).catch(missing);
    findings.push(...found);
    if (found.some(({ isGood }) => !isGood)) break;
  }
  output.document({ findings });
  for (const { name, isGood, sentence, cure } of findings) {
    output.event('finding', { name, good: isGood, sentence });
    output.data(`${isGood ? '✓' : '✗'} ${name.padEnd(9)} ${sentence}`);
    if (cure !== undefined) output.data(`            ${cure}`);
  }
  const bad = findings.find(({ isGood }) => !isGood);
  if (bad !== undefined) throw new Failure(exitCodes.failed, bad.sentence, { code: `doctor.${bad.name}` });
}

/** What is needed for the check is not known. */
function missing(error: unknown): Finding[] {
  const failure = failureOf(error);
  if (failure === null) throw error;
  const { message: sentence, details } = failure;
  return [{ name: 'server', isGood: false, sentence, ...(details.hint === undefined ? {} : { cure: details.hint }) }];
}

async function checkServer(session: Session): Promise<Finding[]> {
  const server = session.server();
  try {
    const { status, headers, body } = await session.connection.open({
      method: 'GET',
      url: `${server}/healthz`,
      headers: {},
    });
    body.resume();
    const skewMs = Math.abs(Date.parse(headers.date ?? '') - session.world.now());
    const isSkewed = skewMs > mostSkewMs;
    return [
      { name: 'server', isGood: status < 500, sentence: `${server} answers with status ${status}` },
      {
        name: 'clock',
        isGood: !isSkewed,
        sentence: isSkewed
          ? `this clock and the server’s differ by ${Math.round(skewMs / 1000)} s`
          : 'the clocks agree',
        ...(isSkewed ? { cure: 'Set the clock of this machine.' } : {}),
      },
    ];
  } catch (error) {
    const sentence = failureOf(error)?.message ?? String((error as Error).message);
    const cure =
      /CERT|SELF_SIGNED|UNABLE_TO/.test(sentence) || /certificate/i.test(sentence)
        ? 'Give the certificate of your organisation with --cacert FILE.'
        : 'Check the address, the network, and HTTPS_PROXY and NO_PROXY.';
    return [{ name: 'server', isGood: false, sentence: `${server}: ${sentence}`, cure }];
  }
}

async function checkAccount(session: Session): Promise<Finding[]> {
  try {
    const { user, chunkBytes } = await readAccount(session);
    return [
      { name: 'key', isGood: true, sentence: `the API key is that of ${user.email}` },
      {
        name: 'resume',
        isGood: true,
        sentence: chunkBytes === null ? 'this server cannot resume uploads' : 'interrupted uploads can be resumed',
      },
    ];
  } catch (error) {
    const failure = failureOf(error);
    if (failure === null) throw error;
    const { hint } = failure.details;
    return [{ name: 'key', isGood: false, sentence: failure.message, ...(hint === undefined ? {} : { cure: hint }) }];
  }
}

/** A proxy with a small limit shows itself by refusing the body before the server has seen it. */
async function checkChunk(session: Session): Promise<Finding[]> {
  const server = session.server();
  const { status, body } = await session.connection.open({
    method: 'POST',
    url: `${server}/message/attachments/upload?filename=doctor.bin&chunks=2&chunk=0&upload_id=doctor`,
    headers: session.authorization(server),
    body: new Uint8Array(largeChunkBytes),
  });
  body.resume();
  const isTooLarge = status === 413;
  return [
    {
      name: 'chunks',
      isGood: !isTooLarge,
      sentence: isTooLarge ? 'something in front of the server refuses chunks of 8 MiB' : 'chunks of 8 MiB get through',
      ...(isTooLarge ? { cure: 'Use --chunk-size 1MiB, or have the limit of the proxy raised.' } : {}),
    },
  ];
}
