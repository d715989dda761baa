// Names the step at which a connection to another server fails, and its cure.
import { certificateFault } from '../../lib/outbound-tls.ts';
import { type Place, tryConnection } from '../../lib/try-connection.ts';
import { type Finding, fault } from './findings.ts';

export interface Reached {
  look: string;
  /** Begins the sentence, such as "The syslog server". */
  what: string;
  /** Where its address is set. */
  setting: string;
  caSetting: string;
}

/** Null if the server answers. */
export async function findReachFault(place: Place, reached: Reached): Promise<Finding | null> {
  return tryConnection(place).then(
    () => null,
    (error: Error) => reachFault(error, place, reached),
  );
}

export function reachFault(
  error: Error & { code?: string },
  { host, port }: Place,
  { look, what, setting, caSetting }: Reached,
): Finding {
  const said = error.message || (error.code ?? '');
  const named = (sentence: string, cure: string) => fault(look, `${what}: ${sentence}`, cure, said);
  const text = `${error.code ?? ''} ${error.message}`;
  if (/ENOTFOUND|EAI_AGAIN/.test(text))
    return named(
      `there is no server named ${host}.`,
      `Check the spelling in ${setting}, and that this machine can ask a name server.`,
    );
  const untrusted = certificateFault(error);
  if (untrusted === 'unknown_authority')
    return named(
      `the certificate of ${host} is issued by an unknown authority.`,
      `Set ${caSetting} to the certificate of its authority (PEM) and restart, or have the server send the whole chain.`,
    );
  if (untrusted !== null)
    return named(
      untrusted === 'expired'
        ? `the certificate of ${host} has expired.`
        : `the certificate of ${host} is not valid for that name.`,
      'Renew it at that server.',
    );
  if (/SSL|wrong version|tls|TLS/.test(text))
    return named(`${host} does not speak TLS on port ${port}.`, `Check the port and the protocol in ${setting}.`);
  if (/ETIMEDOUT/.test(text))
    return named(
      `${host} does not answer on port ${port}.`,
      'Usually a firewall is in between: permit outgoing connections to this port.',
    );
  return named(
    `${host} refuses connections on port ${port}.`,
    `Start that server, or correct host and port in ${setting}.`,
  );
}
