// The expected behaviour of file links and download tickets, without HTTP and database.

export interface LinkState {
  file: number;
  expiresAt: number;
  hasPassword: boolean;
  requireSignIn: boolean;
  /** `released`: expired, and the job has released the file. */
  state: 'active' | 'released' | 'deleted';
}

export interface FileState {
  holders: number;
  isErased: boolean;
  /** Unreferenced: the job erases it after this much uptime. */
  eraseAtUptime: number | null;
}

export interface Ticket {
  link: number;
  expiresAt: number;
  servedBytes: number;
  isStarted: boolean;
  fetched: Set<'start' | 'end'>;
}

/** A browser that knew the password of a link. */
export interface Pass {
  link: number;
  expiresAt: number;
}

export type Gate = 'allow' | 'needs_password' | 'needs_sign_in' | 'expired' | 'stopped' | 'gone';

const dayMs = 24 * 3_600_000;
const graceMs = dayMs;
const unboundMs = 2 * dayMs;
const ticketMs = dayMs;
const passMs = 15 * 60_000;

export const fileBytes = 20_000;
/** Where the first part ends and the second begins. */
export const cutAt = 5_000;
const partBytes = { whole: fileBytes, start: cutAt, end: fileBytes - cutAt };
/** Twice the file, over all requests of one ticket. */
const maxServedBytes = 2 * fileBytes;

export class LinkModel {
  /** Service time, which never goes back. */
  now: number;
  uptime: number;
  isOwnerOn = true;
  files: FileState[] = [];
  links: LinkState[] = [];
  tickets: Ticket[] = [];
  passes: Pass[] = [];
  downloads = 0;

  constructor(now: number, uptime: number, fileCount: number) {
    this.now = now;
    this.uptime = uptime;
    for (let file = 0; file < fileCount; file++)
      this.files.push({ holders: 0, isErased: false, eraseAtUptime: uptime + unboundMs });
  }

  endOfDay(days: number): number {
    return (Math.floor(this.now / dayMs) + days + 1) * dayMs;
  }

  createLink(file: number, days: number, hasPassword: boolean, requireSignIn: boolean): boolean {
    if (days < 0 || this.files[file]!.isErased) return false;
    this.#hold(file);
    this.links.push({ file, expiresAt: this.endOfDay(days), hasPassword, requireSignIn, state: 'active' });
    return true;
  }

  extend(link: LinkState, days: number): number {
    if (link.state === 'deleted') return 404;
    if (days < 0) return 422;
    if (link.state === 'released') {
      if (this.files[link.file]!.isErased) return 422;
      this.#hold(link.file);
    }
    link.state = 'active';
    link.expiresAt = this.endOfDay(days);
    return 200;
  }

  requireSignIn(link: LinkState, value: boolean): number {
    if (link.state === 'deleted') return 404;
    if (link.state === 'released' || link.expiresAt <= this.now) return 422;
    link.requireSignIn = value;
    return 200;
  }

  deleteLink(link: LinkState): number {
    if (link.state === 'deleted') return 404;
    if (link.state === 'active') this.#release(link.file);
    // Even after its expiry: a deletion takes effect without the grace period.
    if (this.files[link.file]!.holders === 0) this.#erase(link.file);
    link.state = 'deleted';
    return 200;
  }

  gate(link: LinkState, isPassed: boolean): Gate {
    if (link.state === 'deleted') return 'stopped';
    if (!this.isOwnerOn) return 'gone';
    if (this.now >= link.expiresAt || link.state === 'released') return 'expired';
    if (this.files[link.file]!.isErased) return 'gone';
    if (link.hasPassword && !isPassed) return 'needs_password';
    return link.requireSignIn ? 'needs_sign_in' : 'allow';
  }

  enterPassword(index: number): boolean {
    if (this.gate(this.links[index]!, false) !== 'needs_password') return false;
    this.passes.push({ link: index, expiresAt: this.now + passMs });
    return true;
  }

  click(index: number, pass: Pass | null): boolean {
    const link = this.links[index]!;
    const isPassed = pass !== null && pass.link === index && pass.expiresAt > this.now && link.hasPassword;
    if (this.gate(link, isPassed) !== 'allow') return false;
    const expiresAt = Math.min(this.now + ticketMs, link.expiresAt);
    this.tickets.push({ link: index, expiresAt, servedBytes: 0, isStarted: false, fetched: new Set() });
    return true;
  }

  /** Status of a range request by the browser that clicked Download; viewing the page grants nothing. */
  fetch(ticket: Ticket, part: keyof typeof partBytes, isView = false): number {
    const bytes = partBytes[part];
    const gate = this.gate(this.links[ticket.link]!, true);
    if (ticket.expiresAt <= this.now) return gate === 'allow' || gate === 'needs_sign_in' ? 404 : 410;
    if (gate === 'needs_sign_in') return 403;
    if (gate !== 'allow') return 410;
    const status = bytes === fileBytes ? 200 : 206;
    if (isView) return status;
    // One click gives one copy; until it is complete its parts may overlap.
    if (ticket.fetched.size === 2 || ticket.servedBytes + bytes > maxServedBytes) return 410;
    for (const one of part === 'whole' ? (['start', 'end'] as const) : [part]) ticket.fetched.add(one);
    ticket.servedBytes += bytes;
    if (!ticket.isStarted) this.downloads += 1;
    ticket.isStarted = true;
    return status;
  }

  runJobs(): void {
    for (const link of this.links) {
      if (link.state !== 'active' || link.expiresAt > this.now) continue;
      this.#release(link.file);
      link.state = 'released';
    }
    for (const [index, file] of this.files.entries())
      if (file.eraseAtUptime !== null && file.eraseAtUptime <= this.uptime) this.#erase(index);
  }

  #hold(index: number): void {
    this.files[index]!.holders += 1;
    this.files[index]!.eraseAtUptime = null;
  }

  #release(index: number): void {
    const file = this.files[index]!;
    file.holders -= 1;
    if (file.holders === 0) file.eraseAtUptime = this.uptime + graceMs;
  }

  #erase(index: number): void {
    this.files[index] = { holders: 0, isErased: true, eraseAtUptime: null };
  }
}
