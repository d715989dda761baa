// Distinguishes a server that is frozen or cut off by the network from one that is busy with a long statement: only the
// latter greets a new connection. Otherwise requests would wait until the statement timeout.
import { DatabaseUnavailable } from './errors.ts';

export interface Greeting {
  /** Settles when the server has sent anything, a refusal included. */
  heard: Promise<unknown>;
  abandon(): void;
}

const tickMs = 250;
/** A later tick does not count, because this process was too busy to receive a reply. */
const lateMs = 100;
/** After this time without a reply, a new connection checks whether the server responds. */
const doubtTicks = 4;
/** After this time without a greeting, the server is considered silent. */
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

  /**
   * Also for steps that may succeed without the server, such as getting an idle connection. `late` receives results
   * that come too late.
   */
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
    // If packets were lost, this connection is never greeted, but the next one may be.
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
