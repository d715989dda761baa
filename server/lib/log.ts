// The operator's log: one JSON line an event, or short lines on a terminal. Control characters are escaped by JSON.
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
  if (options.format === 'json')
    return pino(
      { level: options.level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
      destination ?? pino.destination({ fd: 1, sync: true }),
    );
  return prettyLog(options.level);
}

const order = ['debug', 'info', 'warn', 'error'] as const;

/** For people at a terminal: time, word, sentence, facts. */
function prettyLog(level: LogOptions['level']): LineLog {
  const write = (name: LogOptions['level']) => (facts: object, sentence: string) => {
    if (order.indexOf(name) < order.indexOf(level)) return;
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

/** For tests and tools that do not want to hear anything. */
export const silentLog: LineLog = { debug() {}, info() {}, warn() {}, error() {} };
