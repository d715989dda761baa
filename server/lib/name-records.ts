// Records of names, asked of the system's name servers or of one the operator chose. "There is none" is an empty list; a
// name server that does not answer is an error of its own, so that silence is never taken for absence.
import { Resolver } from 'node:dns/promises';

export interface NameRecords {
  /** Each record in one piece, however it was split. */
  texts(name: string): Promise<string[]>;
  addresses(name: string): Promise<string[]>;
  mailHosts(name: string): Promise<string[]>;
  namesOf(ip: string): Promise<string[]>;
}

export class NameServerSilent extends Error {
  readonly asked: string;
  constructor(asked: string, why: string) {
    super(why);
    this.name = 'NameServerSilent';
    this.asked = asked;
  }
}

const patienceMs = 3000;

/** `server` is `ip` or `ip:port`; null for the name servers of the system. */
export function openNameRecords(server: string | null): NameRecords {
  const resolver = new Resolver({ timeout: patienceMs, tries: 2 });
  if (server !== null) resolver.setServers([server]);
  return {
    texts: async (name) => (await asked(name, resolver.resolveTxt(name))).map((pieces) => pieces.join('')),
    addresses: async (name) => {
      const [four, six] = await Promise.all([
        asked(name, resolver.resolve4(name)),
        asked(name, resolver.resolve6(name)),
      ]);
      return [...four, ...six];
    },
    mailHosts: async (name) => (await asked(name, resolver.resolveMx(name))).map(({ exchange }) => exchange),
    namesOf: (ip) => asked(ip, resolver.reverse(ip)),
  };
}

async function asked<Item>(name: string, answer: Promise<Item[]>): Promise<Item[]> {
  try {
    return await answer;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (['ENODATA', 'ENOTFOUND', 'ENONAME', 'EBADNAME'].includes(code)) return [];
    throw new NameServerSilent(name, `${code || message}`);
  }
}
