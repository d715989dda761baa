// The operator's log. JSON escapes control characters.
import { type DestinationStream, pino } from 'pino';

export interface LogOptions {
  level: 'debug' | 'info' | 'warn' | 'error';
  format: 'json' | 'pretty';
}

export interface LineLog {
  debug(facts: object, sentence: string): void;
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
  error(facts: object, sentence: string): void;
}

export function createLog(options: LogOptions, destination?: DestinationStream): LineLog {
  const log = options.format === 'json' ? jsonLog(options.level, destination) : prettyLog();
  return filtered(log, options.level);
}

function jsonLog(level: LogOptions['level'], destination?: DestinationStream): LineLog {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

const order = ['debug', 'info', 'warn', 'error'] as const;

/** URLs whose last segment is a secret. */
const secretAddress =
  /((?:\/|%2F)(?:link|message|requests|delivered|dl|mail|verify|reset|invite|notices(?:\/|%2F)[a-z-]+)(?:\/|%2F)[\w-]{6})[\w-]{16,}/gi;

function hidden(text: string): string {
  return text.replace(secretAddress, '$1…');
}

/** Drops lower levels and redacts secrets in URLs. */
function filtered(log: LineLog, level: LogOptions['level']): LineLog {
  const write = (name: LogOptions['level']): LineLog['info'] => {
    if (order.indexOf(name) < order.indexOf(level)) return () => {};
    return (facts, sentence) => {
      const shown = Object.entries(facts).map(([key, value]) => [
        key,
        typeof value === 'string' ? hidden(value) : value,
      ]);
      log[name](Object.fromEntries(shown), hidden(sentence));
    };
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** For terminals: time, level, sentence, facts. */
function prettyLog(): LineLog {
  const write = (name: LogOptions['level']) => (facts: object, sentence: string) => {
    const details = Object.entries(facts).map(
      ([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    const mark = name === 'info' ? '' : `${name.toUpperCase()} `;
    process.stdout.write(
      `${new Date().toISOString().slice(11, 19)} ${mark}${sentence}${details.length === 0 ? '' : `  ${details.join(' ')}`}\n`,
    );
  };
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

export const silentLog: LineLog = { debug() {}, info() {}, warn() {}, error() {} };
