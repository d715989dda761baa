// Findings of checks have a code and values; the HTTP layer adds sentences and remedies.

export type CheckState = 'passed' | 'warning' | 'failed' | 'skipped';

/** Ready to paste. */
export interface ZoneRecord {
  name: string;
  type: 'TXT' | 'PTR';
  value: string;
}

export interface Check {
  check: string;
  state: CheckState;
  code: CheckCode;
  values?: Record<string, string | number>;
  /** The other side's reply. */
  said?: string;
  record?: ZoneRecord;
}

/** In order; `token` only with OAuth. */
export const smtpSteps = [
  'resolve',
  'connect',
  'encrypt',
  'token',
  'sign_in',
  'sender',
  'recipient',
  'queued',
] as const;
export type SmtpStep = (typeof smtpSteps)[number];

/** The catalogue of checks has a sentence for each. */
export type CheckCode =
  | 'smtp.not_set_up'
  | 'smtp.not_reached'
  | 'smtp.resolved'
  | 'smtp.host_unknown'
  | 'smtp.connected'
  | 'smtp.refused'
  | 'smtp.silent'
  | 'smtp.closed'
  | 'smtp.turned_away'
  | 'smtp.encrypted'
  | 'smtp.local'
  | 'smtp.tls_not_offered'
  | 'smtp.bad_certificate'
  | 'smtp.unknown_authority'
  | 'smtp.expired_certificate'
  | 'smtp.tls_failed'
  | 'smtp.signed_in'
  | 'smtp.no_sign_in'
  | 'smtp.wrong_password'
  | 'smtp.sender_accepted'
  | 'smtp.sender_refused'
  | 'smtp.sign_in_needed'
  | 'smtp.recipient_accepted'
  | 'smtp.recipient_refused'
  | 'smtp.relay_denied'
  | 'smtp.queued'
  | 'smtp.text_refused'
  | 'smtp.try_later'
  | 'smtp.token_refused'
  | 'token.received'
  | 'token.refused'
  | 'token.unreachable'
  | 'token.not_accepted'
  | 'graph.resolved'
  | 'graph.encrypted'
  | 'graph.sender_refused'
  | 'dns.no_domain'
  | 'dns.silent'
  | 'spf.ok'
  | 'spf.missing'
  | 'spf.several'
  | 'spf.not_covered'
  | 'spf.broken'
  | 'spf.sender_unknown'
  | 'dkim.ok'
  | 'dkim.missing'
  | 'dkim.withdrawn'
  | 'dmarc.ok'
  | 'dmarc.watching'
  | 'dmarc.missing'
  | 'dmarc.broken'
  | 'ptr.ok'
  | 'ptr.missing'
  | 'ptr.astray'
  | 'ptr.unknown'
  | 'public.reached'
  | 'public.host_unknown'
  | 'public.refused'
  | 'public.silent'
  | 'public.bad_certificate'
  | 'public.unknown_authority'
  | 'public.expired_certificate'
  | 'public.redirected'
  | 'public.another_server'
  | 'public.bad_gateway'
  | 'public.not_reached'
  | 'host.ok'
  | 'host.changed'
  | 'https.ok'
  | 'https.local'
  | 'https.plain'
  | 'forwarded.direct'
  | 'forwarded.ok'
  | 'forwarded.missing'
  | 'forwarded.untrusted'
  | 'size.ok'
  | 'size.too_small'
  | 'buffering.ok'
  | 'buffering.uploads'
  | 'clock.ok'
  | 'clock.off'
  | 'scanner.connected'
  | 'scanner.not_reached'
  | 'scanner.clean_passed'
  | 'scanner.clean_reported'
  | 'scanner.eicar_found'
  | 'scanner.eicar_missed'
  | 'scanner.encrypted_reported'
  | 'scanner.encrypted_passed'
  | 'scanner.not_tested';

/** In order. */
export const connectionChecks = ['address', 'host', 'https', 'forwarded', 'size', 'buffering', 'clock'] as const;
