// Names the failing step of a connection by a code of `domain/checks.ts`.
import type { CheckCode, SmtpStep } from '#server/domain/checks.ts';
import { type CertificateFault, certificateFault } from '#server/lib/outbound-tls.ts';
import type { TokenFault } from './tokens.ts';

interface ConnectionError extends Error {
  code?: string;
  command?: string;
}

const certificateCodes = {
  unknown_authority: 'smtp.unknown_authority',
  expired: 'smtp.expired_certificate',
  other: 'smtp.bad_certificate',
} as const satisfies Record<CertificateFault, CheckCode>;

export function connectionFault(error: ConnectionError, status: number): { step: SmtpStep; code: CheckCode } {
  const text = `${error.code ?? ''} ${error.message}`;
  if (/ENOTFOUND|EAI_AGAIN/.test(text)) return { step: 'resolve', code: 'smtp.host_unknown' };
  if (error.code === 'ETLS' && error.command === 'STARTTLS' && status >= 500)
    return { step: 'encrypt', code: 'smtp.tls_not_offered' };
  if (error.command === 'EHLO' && /STARTTLS/.test(error.message))
    return { step: 'encrypt', code: 'smtp.tls_not_offered' };
  const untrusted = certificateFault(error);
  if (untrusted !== null) return { step: 'encrypt', code: certificateCodes[untrusted] };
  if (error.code === 'ETLS' || /SSL|wrong version|tls/i.test(error.message))
    return { step: 'encrypt', code: 'smtp.tls_failed' };
  if (status >= 400) return { step: 'connect', code: 'smtp.turned_away' };
  if (error.code === 'ETIMEDOUT' || /timeout/i.test(error.message)) return { step: 'connect', code: 'smtp.silent' };
  if (/ECONNREFUSED|EHOSTUNREACH|ENETUNREACH/.test(text)) return { step: 'connect', code: 'smtp.refused' };
  return { step: 'connect', code: 'smtp.closed' };
}

export function tokenFaultCheck(
  fault: TokenFault,
  tokenUrl: string,
): { code: CheckCode; values: Record<string, string> } {
  const values = { host: new URL(tokenUrl).host };
  return { code: fault.isRefused ? 'token.refused' : 'token.unreachable', values };
}
