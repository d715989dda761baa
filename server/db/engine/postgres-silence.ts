// Tells a server that has stopped replying without closing anything (frozen, or cut off by the network) from one that is
// busy with a long statement: the former does not greet a new connection either. Without this, a request would wait
// until the longest statement permitted would have ended.
import { DatabaseUnavailable } from './errors.ts';

export interface SilenceWatch {
  /** Waits for a reply of the server; rejects as soon as the server is known to be silent. */
  ask<Reply>(question: () => Promise<Reply>): Promise<Reply>;
  /** The same for what may succeed without the server, such as taking an idle connection. */
  await<Result>(step: () => Promise<Result>, late: (result: Result) => void): Promise<Result>;
  close(): void;
}

export interface Greeting {
  /** Settles when the server has said anything at all, a refusal included. */
  heard: Promise<unknown>;
  abandon(): void;
}

const tickMs = 250;
/** A tick that comes later than this does not count: this process was too busy to hear a reply. */
const lateMs = 100;
/** Without any reply for so long, a new connection is made to see whether the server is there. */
const doubtTicks = 4;
/** A server that has not greeted a new connection for so long is silent. */
const greetingTicks = 10;

export function watchSilence(greet: () => Greeting): SilenceWatch {
  const waiting = new Set<(error: Error) => void>();
  let timer: NodeJS.Timeout | null = null;
  let lastTickAt = 0;
  let quietTicks = 0;
  let probe: { greeting: Greeting; ticks: number } | null = null;
  let isSilent = false;

  function heardFromServer(): void {
    quietTicks = 0;
    isSilent = false;
    probe?.greeting.abandon();
    probe = null;
  }

  function startProbe(): void {
    const greeting = greet();
    const mine = { greeting, ticks: 0 };
    probe = mine;
    const heard = () => {
      if (probe === mine) heardFromServer();
    };
    greeting.heard.then(heard, heard);
  }

  function giveUp(): void {
    isSilent = true;
    // Where packets are lost, this connection will never be greeted: the next one may be.
    probe?.greeting.abandon();
    probe = null;
    for (const reject of waiting) reject(silence());
    waiting.clear();
  }

  function count(): void {
    quietTicks += 1;
    if (probe === null) {
      if (isSilent || quietTicks >= doubtTicks) startProbe();
      return;
    }
    probe.ticks += 1;
    if (probe.ticks >= greetingTicks) giveUp();
  }

  function tick(): void {
    const now = Date.now();
    const isOnTime = Math.abs(now - lastTickAt - tickMs) < lateMs;
    lastTickAt = now;
    if (waiting.size === 0 && !isSilent) stop();
    else if (isOnTime) count();
  }

  function run(): void {
    if (timer !== null) return;
    lastTickAt = Date.now();
    quietTicks = 0;
    timer = setInterval(tick, tickMs);
    timer.unref();
  }

  function stop(): void {
    if (timer !== null) clearInterval(timer);
    timer = null;
    probe?.greeting.abandon();
    probe = null;
  }

  async function unlessSilent<Result>(step: () => Promise<Result>): Promise<Result> {
    if (isSilent) throw silence();
    run();
    const { promise, reject } = Promise.withResolvers<never>();
    waiting.add(reject);
    try {
      return await Promise.race([step(), promise]);
    } finally {
      waiting.delete(reject);
    }
  }

  return {
    async ask(question) {
      const reply = await unlessSilent(question);
      heardFromServer();
      return reply;
    },
    async await(step, late) {
      let isGivenUp = false;
      const guarded = async () => {
        const result = await step();
        if (isGivenUp) late(result);
        return result;
      };
      try {
        return await unlessSilent(guarded);
      } catch (error) {
        isGivenUp = true;
        throw error;
      }
    },
    close() {
      isSilent = false;
      stop();
    },
  };
}

function silence(): DatabaseUnavailable {
  return new DatabaseUnavailable('the server has stopped replying');
}
