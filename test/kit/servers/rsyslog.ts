// rsyslog for tests: TLS on loopback, RFC 5424 with octet counting; messages go to a file, one for each line.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificate } from '../certificate.ts';
import { type Child, freePorts, startChild, untilReady } from './child.ts';
import type { Requirement } from './packages.ts';

const rsyslogPath = '/usr/sbin/rsyslogd';

export const rsyslogRequirement: Requirement = {
  name: 'rsyslog',
  debianPackages: ['rsyslog', 'rsyslog-gnutls'],
  isMet: () => existsSync(rsyslogPath) && existsSync('/usr/share/doc/rsyslog-gnutls'),
};

export interface Rsyslog {
  url: string;
  /** Trusted by clients. */
  certificatePath: string;
  /** Received messages in their order: application, message id and text. */
  messages(): { app: string; id: string; text: string }[];
  stop(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

export async function startRsyslog(): Promise<Rsyslog> {
  const [port] = (await freePorts(1)) as [number];
  const folder = mkdtempSync(join(tmpdir(), 'waybill-rsyslog-'));
  const { keyPem, certificatePem } = makeCertificate();
  const certificatePath = join(folder, 'certificate.pem');
  writeFileSync(join(folder, 'key.pem'), keyPem, { mode: 0o600 });
  writeFileSync(certificatePath, certificatePem);
  const config = join(folder, 'rsyslog.conf');
  writeFileSync(config, configuration(folder, port));
  const received = join(folder, 'received');
  let child: Child;
  const start = async () => {
    child = await startChild({
      name: 'rsyslog',
      command: rsyslogPath,
      args: ['-n', '-f', config, '-i', join(folder, 'pid')],
      outputPath: join(folder, 'rsyslog.log'),
    });
    await untilReady([child], () => connection(port), 20_000);
  };
  await start();
  const stop = () => child.stop();
  return {
    url: `tls://localhost:${port}`,
    certificatePath,
    messages() {
      const lines = existsSync(received) ? readFileSync(received, 'utf8').trimEnd().split('\n') : [];
      return lines.map((line) => {
        const [app = '', id = '', ...rest] = line.split(' ');
        return { app, id, text: rest.join(' ') };
      });
    },
    stop,
    start,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const connection = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port }, () => {
      socket.destroy();
      resolve();
    });
    socket.on('error', reject);
  });

function configuration(folder: string, port: number): string {
  return `global(
  workDirectory="${folder}"
  maxMessageSize="64k"
  defaultNetstreamDriver="gtls"
  defaultNetstreamDriverCAFile="${folder}/certificate.pem"
  defaultNetstreamDriverCertFile="${folder}/certificate.pem"
  defaultNetstreamDriverKeyFile="${folder}/key.pem"
)
module(load="imtcp" streamDriver.name="gtls" streamDriver.mode="1" streamDriver.authMode="anon")
template(name="received" type="string" string="%app-name% %msgid% %msg%\\n")
input(type="imtcp" port="${port}" address="127.0.0.1" ruleset="keep")
ruleset(name="keep") {
  action(type="omfile" file="${folder}/received" template="received")
}
`;
}
