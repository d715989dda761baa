// The answer to an address where nothing is, or nothing that may be told (experience R9).
import type { NotAvailablePage } from '#web/pages/props.ts';

export const unknownPage: NotAvailablePage = { kind: 'not-available', reason: { is: 'unknown' }, about: null };
