// The answer to unknown addresses, and to those that must look unknown.
import type { NotAvailablePage } from '#web/pages/props.ts';

export const notFoundPage: NotAvailablePage = { kind: 'not-available', reason: { is: 'unknown' }, about: null };
