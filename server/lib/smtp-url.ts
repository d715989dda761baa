export interface Relay {
  host: string;
  port: number;
  isImplicitTls: boolean;
  user: string;
  password: string;
}

/** Parsed here, because the library would also accept query parameters. */
export function parseSmtpUrl(url: string): Relay {
  if (!URL.canParse(url)) throw new TypeError('the address of the mail server is not a URL');
  const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(url);
  if (protocol !== 'smtp:' && protocol !== 'smtps:') {
    throw new TypeError('the address of the mail server must begin with smtp:// or smtps://');
  }
  if (hostname === '') throw new TypeError('the address of the mail server names no host');
  if (!['', '/'].includes(pathname) || search !== '' || hash !== '') {
    throw new TypeError('the address of the mail server must end after the host and port');
  }
  const isImplicitTls = protocol === 'smtps:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isImplicitTls ? 465 : 587) : Number(port),
    isImplicitTls,
    user: decoded(username),
    password: decoded(password),
  };
}

export function smtpUrlOf({ host, port, isImplicitTls, user, password }: Relay): string {
  const credentials = user === '' ? '' : `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return `${isImplicitTls ? 'smtps' : 'smtp'}://${credentials}${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new TypeError('the user or password in the address of the mail server is not percent-encoded');
  }
}

export function isSmtpUrl(url: string): boolean {
  try {
    parseSmtpUrl(url);
    return true;
  } catch {
    return false;
  }
}
