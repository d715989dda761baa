import { parse } from 'bowser';

export interface Agent {
  /** `Firefox 125`; empty if unknown. */
  browser: string;
  /** `Windows 10`, `iOS 17.4`; empty if unknown. */
  os: string;
  /** `desktop`, `mobile`, `tablet`, `tv`, `bot`, `cli`, `mail`; empty if unknown. */
  platform: string;
}

const MAX_AGENT_CHARS = 512;
const MAX_FIELD_CHARS = 80;

/** Programs the library does not know, or takes for a browser. Group 1 is the version. */
const PROGRAMS: readonly [pattern: RegExp, name: string, platform: string][] = [
  [/^curl\/([\d.]{1,20})/i, 'curl', 'cli'],
  [/^Wget\/([\d.]{1,20})/i, 'Wget', 'cli'],
  [/^waybill(?:-cli)?\/([\d.]{1,20})/i, 'Waybill', 'cli'],
  [/^liquidfiles[\w -]{0,20}\/([\d.]{1,20})/i, 'LiquidFiles', 'cli'],
  [/python-requests\/([\d.]{1,20})/i, 'Python Requests', 'cli'],
  [/^python-httpx\/([\d.]{1,20})/i, 'Python HTTPX', 'cli'],
  [/^Python-urllib\/([\d.]{1,20})/i, 'Python', 'cli'],
  [/^python\/[\d.]{1,20} aiohttp\/([\d.]{1,20})/i, 'Python aiohttp', 'cli'],
  [/(?:Windows)?PowerShell\/([\d.]{1,20})/i, 'PowerShell', 'cli'],
  [/^HTTPie\/([\d.]{1,20})/i, 'HTTPie', 'cli'],
  [/^PostmanRuntime\/([\d.]{1,20})/i, 'Postman', 'cli'],
  [/^Go-http-client\/([\d.]{1,20})/i, 'Go', 'cli'],
  [/^(?:Apache-HttpClient|okhttp|Java)\/([\d.]{1,20})/i, 'Java', 'cli'],
  [/^axios\/([\d.]{1,20})/i, 'axios', 'cli'],
  [/^aria2\/([\d.]{1,20})/i, 'aria2', 'cli'],
  [/^rclone\/v?([\d.]{1,20})/i, 'rclone', 'cli'],
  [/libwww-perl\/([\d.]{1,20})/i, 'Perl', 'cli'],
  [/^Ruby(?:\/([\d.]{1,20}))?/i, 'Ruby', 'cli'],
  [/^(?:node|undici|node-fetch)(?:\/([\d.]{1,20}))?/i, 'Node.js', 'cli'],
  [/Thunderbird\/([\d.]{1,20})/i, 'Thunderbird', 'mail'],
  [/(?:Microsoft Outlook|MSOutlook|Outlook-iOS|Outlook-Android)[ /]?([\d.]{1,20})?/i, 'Outlook', 'mail'],
  [/^(?:Mac OS X |iOS )?Mail\/([\d.]{1,20})/i, 'Apple Mail', 'mail'],
];

const UNKNOWN: Agent = { browser: '', os: '', platform: '' };

/** Never throws; reads at most 512 characters. */
export function describeAgent(userAgent: string | undefined): Agent {
  const text = (userAgent ?? '').slice(0, MAX_AGENT_CHARS).toWellFormed();
  if (text.trim() === '') return UNKNOWN;
  const seen = readWithLibrary(text);
  for (const [pattern, name, platform] of PROGRAMS) {
    const match = pattern.exec(text);
    if (match !== null) return { browser: named(name, mainVersion(match[1])), os: seen.os, platform };
  }
  // The library names unknown agents after the first word, usually `Mozilla`.
  return seen.browser.startsWith('Mozilla ') ? { ...seen, browser: '' } : seen;
}

/** `Firefox 125, Windows 10`. */
export function nameOfAgent(userAgent: string): string {
  const { browser, os } = describeAgent(userAgent);
  return [browser, os].filter((part) => part !== '').join(', ') || 'Passkey';
}

function readWithLibrary(text: string): Agent {
  try {
    const { browser, os, platform } = parse(text);
    return {
      browser: named(browser.name, mainVersion(browser.version)),
      os: named(os.name, os.name === 'Windows' ? os.versionName : os.version),
      platform: (platform.type ?? '').slice(0, MAX_FIELD_CHARS),
    };
  } catch {
    return UNKNOWN;
  }
}

function named(name: string | undefined, version: string | undefined): string {
  return [name, version]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .replace(/\p{C}/gu, '')
    .slice(0, MAX_FIELD_CHARS);
}

function mainVersion(version: string | undefined): string | undefined {
  return version?.split('.')[0];
}
