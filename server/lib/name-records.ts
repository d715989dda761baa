// A missing DNS record is an empty list; an unreachable name server is an error.
import { Resolver } from 'node:dns/promises';

export interface NameRecords {
  /** Each record joined to one text. */
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

const timeoutMs = 3000;

/** `server` is `ip` or `ip:port`; null for the system's name servers. */
export function openNameRecords(server: string | null): NameRecords {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
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
