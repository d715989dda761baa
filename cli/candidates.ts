// Shell completion: commands, flags, and values from the server or the settings.
// Without a server or readable settings it offers nothing, and the shell falls back to files.
import type { Command, Option } from 'commander';
import { audiences } from './audiences.ts';
import { shells } from './completion.ts';
import { readConfigFile } from './config-file.ts';
import { configFile } from './folders.ts';
import { openSession, type Session } from './session.ts';
import type { World } from './world.ts';

export interface Candidate {
  value: string;
  about: string;
}

/** `words`: all after the name of the program; the last is the one being typed, perhaps empty. */
export async function candidates(program: Command, world: World, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  const place = placeOf(program, words.slice(0, -1));
  try {
    const found = await offers(program, world, place, typed);
    return found.filter(({ value }) => value.startsWith(typed));
  } catch {
    return [];
  }
}

interface Place {
  command: Command;
  /** Number of arguments before the cursor. */
  given: number;
  option: Option | null;
  profile: string | undefined;
}

function placeOf(program: Command, before: readonly string[]): Place {
  const place: Place = { command: program, given: 0, option: null, profile: undefined };
  for (const word of before) {
    if (place.option !== null) {
      if (place.option.long === '--profile') place.profile = word;
      place.option = null;
    } else if (word.startsWith('-')) {
      const known = optionsOf(program, place.command).find(({ long, short }) => word === long || word === short);
      place.option = known?.required === true ? known : null;
    } else {
      const sub = place.command.commands.find((one) => one.name() === word);
      if (sub === undefined) place.given += 1;
      else place.command = sub;
    }
  }
  return place;
}

function optionsOf(program: Command, command: Command): readonly Option[] {
  return command === program ? program.options : [...command.options, ...program.options];
}

async function offers(program: Command, world: World, place: Place, typed: string): Promise<Candidate[]> {
  const { command, option } = place;
  if (option !== null) return valuesOf(world, place, option, typed);
  if (typed.startsWith('-'))
    return optionsOf(program, command).flatMap(({ long, description }) =>
      long == null ? [] : [{ value: long, about: description }],
    );
  const below = command.createHelp().visibleCommands(command);
  if (below.length > 0 && place.given === 0)
    return below.map((one) => ({ value: one.name(), about: one.description() }));
  const path = command.parent === program ? command.name() : `${command.parent?.name()} ${command.name()}`;
  if (/^(show|revoke)$/.test(path)) return withSession(world, place, messageIds);
  if (/^links (show|set|rm)$/.test(path)) return withSession(world, place, linkIds);
  if (path === 'completion') return shells.map(plain);
  return [];
}

async function valuesOf(world: World, place: Place, { long }: Option, typed: string): Promise<Candidate[]> {
  const name = place.command.name();
  if (long === '--profile') return Object.keys(readConfigFile(configFile(world)).profiles).map(plain);
  if (long === '--who') return Object.keys(audiences).map(plain);
  if (long === '--events' || long === '--progress') return [plain('json')];
  if (long === '--message' && name === 'log') return withSession(world, place, messageIds);
  if (long === '--link') return withSession(world, place, linkIds);
  const isAddress = long === '--to' || long === '--cc' || long === '--bcc' || (long === '--from' && name === 'request');
  return isAddress ? withSession(world, place, (session) => recipients(session, typed)) : [];
}

function plain(value: string): Candidate {
  return { value, about: '' };
}

/** Completion must be quick, so the server has three seconds. */
async function withSession(
  world: World,
  { profile }: Place,
  ask: (session: Session) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  const session = openSession(world, { timeout: '3s', ...(profile === undefined ? {} : { profile }) });
  try {
    return (await ask(session)).filter(({ value }) => harmless.test(value));
  } finally {
    session.close();
  }
}

/** Shells insert a value without quotes: what they would execute, expand or take for a flag is not offered. */
const harmless = /^[\p{L}\p{N}_.+@,:/][\p{L}\p{M}\p{N}_.+@,:/=%-]*$/u;

const most = '30';

async function messageIds(session: Session): Promise<Candidate[]> {
  const { sent } = await session.client().listSent({ query: { limit: most } });
  return sent.map(({ id, subject, recipients: to }) => ({
    value: id,
    about: `${subject} (${to.join(', ')})`,
  }));
}

async function linkIds(session: Session): Promise<Candidate[]> {
  const { links } = await session.client().listFileLinks({ query: { limit: most } });
  return links.map(({ id, filename }) => ({ value: id, about: filename }));
}

/** Earlier recipients; the last of several comma-separated addresses is being typed. */
async function recipients(session: Session, typed: string): Promise<Candidate[]> {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const { sent } = await session.client().listSent({ query: { limit: most } });
  const known = new Set(sent.flatMap(({ recipients: to }) => to));
  return [...known].map((address) => ({ value: `${before}${address}`, about: '' }));
}
