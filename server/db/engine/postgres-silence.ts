// Tells a server that has stopped replying without closing anything (frozen, or cut off by the network) from one that is
// busy with a long statement: the former does not greet a new connection either. Without this, a request would wait
// until the longest statement permitted would have ended.
import { DatabaseUnavailable } from './errors.ts';

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

export class SilenceWatch {
  readonly #greet: () => Greeting;
  readonly #waiting = new Set<(error: Error) => void>();
  #timer: NodeJS.Timeout | null = null;
  #lastTickAt = 0;
  #quietTicks = 0;
  #probe: { greeting: Greeting; ticks: number } | null = null;
  #isSilent = false;

  /** `greet` begins a new connection. */
  constructor(greet: () => Greeting) {
    this.#greet = greet;
  }

  /** Waits for a reply of the server; rejects as soon as the server is known to be silent. */
  async ask<Reply>(question: () => Promise<Reply>): Promise<Reply> {
    const reply = await this.#unlessSilent(question);
    this.#heardFromServer();
    return reply;
  }

  /** The same for what may succeed without the server, such as taking an idle connection. `late` gets what comes too late. */
  async await<Result>(step: () => Promise<Result>, late: (result: Result) => void): Promise<Result> {
    let isGivenUp = false;
    const guarded = async () => {
      const result = await step();
      if (isGivenUp) late(result);
      return result;
    };
    try {
      return await this.#unlessSilent(guarded);
    } catch (error) {
      isGivenUp = true;
      throw error;
    }
  }

  close(): void {
    this.#isSilent = false;
    this.#stop();
  }

  async #unlessSilent<Result>(step: () => Promise<Result>): Promise<Result> {
    if (this.#isSilent) throw silence();
    this.#run();
    const { promise, reject } = Promise.withResolvers<never>();
    this.#waiting.add(reject);
    try {
      return await Promise.race([step(), promise]);
    } finally {
      this.#waiting.delete(reject);
    }
  }

  #run(): void {
    if (this.#timer !== null) return;
    this.#lastTickAt = Date.now();
    this.#quietTicks = 0;
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  #tick(): void {
    const now = Date.now();
    const isOnTime = Math.abs(now - this.#lastTickAt - tickMs) < lateMs;
    this.#lastTickAt = now;
    if (this.#waiting.size === 0 && !this.#isSilent) this.#stop();
    else if (isOnTime) this.#count();
  }

  #count(): void {
    this.#quietTicks += 1;
    if (this.#probe === null) {
      if (this.#isSilent || this.#quietTicks >= doubtTicks) this.#startProbe();
      return;
    }
    this.#probe.ticks += 1;
    if (this.#probe.ticks >= greetingTicks) this.#giveUp();
  }

  #startProbe(): void {
    const probe = { greeting: this.#greet(), ticks: 0 };
    this.#probe = probe;
    const heard = () => {
      if (this.#probe === probe) this.#heardFromServer();
    };
    probe.greeting.heard.then(heard, heard);
  }

  #heardFromServer(): void {
    this.#quietTicks = 0;
    this.#isSilent = false;
    this.#endProbe();
  }

  #giveUp(): void {
    this.#isSilent = true;
    // Where packets are lost, this connection will never be greeted: the next one may be.
    this.#endProbe();
    for (const reject of this.#waiting) reject(silence());
    this.#waiting.clear();
  }

  #endProbe(): void {
    this.#probe?.greeting.abandon();
    this.#probe = null;
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#endProbe();
  }
}

function silence(): DatabaseUnavailable {
  return new DatabaseUnavailable('the server has stopped replying');
}
