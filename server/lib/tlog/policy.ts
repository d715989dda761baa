// c2sp.org/tlog-policy: logs, witnesses, and how many of them must have cosigned a checkpoint.
import { isWitnessType, NoteProblem, parseVerifierKey, signatureTypes, type Verifier } from './notes.ts';

export interface PolicyWitness {
  name: string;
  verifier: Verifier;
  /** The verifier key as written. */
  key: string;
  /** Where checkpoints are submitted; null if the witness is not asked. */
  url: URL | null;
}

interface Group {
  threshold: number;
  members: readonly string[];
}

export interface WitnessPolicy {
  logs: Verifier[];
  witnesses: PolicyWitness[];
  groups: ReadonlyMap<string, Group>;
  /** A witness, a group, or `none`. */
  quorum: string;
}

const mostWitnesses = 32;
const none = 'none';

/** The message of the error names the line. */
export function parsePolicy(text: string): WitnessPolicy {
  const reading: Reading = { logs: [], witnesses: [], groups: new Map(), used: new Set(), quorum: null };
  for (const [index, line] of text.split('\n').entries()) {
    if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line))
      throw new NoteProblem(`line ${index + 1}: it has a control character other than tabs and line feeds`);
    const words = line.split(/[ \t]+/).filter((word) => word !== '');
    if (words.length === 0 || words[0]!.startsWith('#')) continue;
    try {
      readLine(reading, words);
    } catch (error) {
      if (!(error instanceof NoteProblem)) throw error;
      throw new NoteProblem(`line ${index + 1}: ${error.message}`);
    }
  }
  const { logs, witnesses, groups, quorum } = reading;
  if (quorum === null) throw new NoteProblem('the line "quorum" is missing');
  return { logs, witnesses, groups, quorum };
}

type Reading = Omit<WitnessPolicy, 'groups' | 'quorum'> & {
  groups: Map<string, Group>;
  /** Members of a group. */
  used: Set<string>;
  quorum: string | null;
};

function readLine(reading: Reading, [word, ...rest]: string[]): void {
  const readers: Record<string, (reading: Reading, words: string[]) => void> = {
    log: readLog,
    witness: readWitness,
    group: readGroup,
    quorum: readQuorum,
  };
  const reader = Object.hasOwn(readers, word!) ? readers[word!] : undefined;
  demand(reader !== undefined, `"${word}" is not known`);
  reader!(reading, rest);
}

function readLog({ logs }: Reading, words: string[]): void {
  demand(words.length === 1 || words.length === 2, 'a log has a key and perhaps an address');
  const verifier = parseVerifierKey(words[0]!);
  demand(verifier.type === signatureTypes.log, 'this is not the key of a log');
  demand(!logs.some(({ publicKey }) => publicKey.equals(verifier.publicKey)), 'this key is listed twice');
  logs.push(verifier);
}

function readWitness(reading: Reading, words: string[]): void {
  demand(words.length === 2 || words.length === 3, 'a witness has a name, a key and perhaps an address');
  const [name, key, address] = words as [string, string, string | undefined];
  const verifier = parseVerifierKey(key);
  demand(isWitnessType(verifier.type), 'this is not the key of a witness');
  demand(
    !reading.witnesses.some((other) => other.verifier.publicKey.equals(verifier.publicKey)),
    'this key is listed twice',
  );
  demand(reading.witnesses.length < mostWitnesses, `there are more than ${mostWitnesses} witnesses`);
  demandNewName(reading, name);
  reading.witnesses.push({ name, verifier, key, url: address === undefined ? null : readUrl(address) });
}

function readUrl(address: string): URL {
  const url = URL.parse(address);
  const isLocal = url !== null && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  demand(
    url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal)),
    'the address of a witness begins with https:// (http:// only for this machine)',
  );
  return url!;
}

function readGroup(reading: Reading, [name, count, ...members]: string[]): void {
  demand(name !== undefined && count !== undefined && members.length > 0, 'a group has a name, a number and members');
  demandNewName(reading, name!);
  for (const member of members) {
    demand(isDefined(reading, member), `"${member}" is not defined before`);
    demand(!reading.used.has(member), `"${member}" is in two groups`);
    reading.used.add(member);
  }
  const threshold = count === 'all' ? members.length : count === 'any' ? 1 : Number(/^\d+$/.exec(count!)?.[0]);
  demand(threshold >= 1 && threshold <= members.length, `"${count}" is not all, any, or a number of members`);
  reading.groups.set(name!, { threshold, members });
}

function readQuorum(reading: Reading, [name, ...more]: string[]): void {
  demand(reading.quorum === null, 'there is a second quorum');
  demand(name !== undefined && more.length === 0, 'a quorum has one name');
  demand(name === none || isDefined(reading, name!), `"${name}" is not defined before`);
  reading.quorum = name!;
}

function isDefined({ witnesses, groups }: Reading, name: string): boolean {
  return groups.has(name) || witnesses.some((witness) => witness.name === name);
}

function demandNewName(reading: Reading, name: string): void {
  demand(name !== none && !isDefined(reading, name), `the name "${name}" is taken`);
}

function demand(condition: boolean, sentence: string): void {
  if (!condition) throw new NoteProblem(sentence);
}

/** Whether these witnesses, by their keys, are enough. */
export function isQuorum({ witnesses, groups, quorum }: WitnessPolicy, signed: ReadonlySet<string>): boolean {
  const isMet = (name: string): boolean => {
    const group = groups.get(name);
    if (group !== undefined) return group.members.filter(isMet).length >= group.threshold;
    return witnesses.some((witness) => witness.name === name && signed.has(witness.key));
  };
  return quorum === none || isMet(quorum);
}
