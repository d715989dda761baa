// Finds text that belongs to one machine: home folders, the path of the checkout, registry hosts in lockfiles, and hosts in
// code that are neither examples nor specifications.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from './source-files.ts';

/** Identifiers of standards, reserved example names, and loopback. */
const allowedHosts = [
  /^(localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\])$/,
  /(^|\.)(example|test|invalid|localhost)$/,
  /(^|\.)example\.(com|org|net)$/,
  /^(192\.0\.2|198\.51\.100|203\.0\.113)\.\d+$/,
  /^([\w-]+|bucket\.host)$/, // a placeholder: http://host
  /^www\.google\.com$/, // in the user agent of its crawler
  // Addresses of providers, as operators enter them.
  /^(graph\.microsoft\.com|login\.microsoftonline\.com|(oauth2|accounts)\.google(apis)?\.com|outlook\.office365\.com|acme-v02\.api\.letsencrypt\.org)$/,
  // National clouds of Microsoft.
  /^((dod-)?graph\.microsoft\.us|outlook\.office365\.us|microsoftgraph\.chinacloudapi\.cn|partner\.outlook\.cn)$/,
  /^login\.(microsoftonline\.us|partner\.microsoftonline\.cn)$/,
  /^adaptivecards\.io$/, // names the schema of cards in Teams
  /^(10\.0\.0\.1|\[fd00::1\]|169\.254\.169\.254|8\.8\.8\.8)$/, // addresses in tests of refused networks
  // Names of claims in the documents of providers.
  /^(schemas\.microsoft\.com|schemas\.xmlsoap\.org|refeds\.org)$/,
  /^(www\.w3\.org|json-schema\.org|spec\.openapis\.org|www\.rfc-editor\.org|www\.apache\.org)$/,
];

/** Folders with checkouts of users and build machines. */
const machinePath = /(?<![\w.~/-])\/(?:root|home|Users|work|workspace|builds)\/[\w.-]+/g;
const url = /\bhttps?:\/\/(?:[\w.%-]+(?::[^\s/@]*)?@)?(\[[\da-f:]*\]|[a-z\d](?:[\w.-]*\w)?)/gi;

const binary = /\.(png|jpe?g|gif|webp|ico|woff2?|mmdb|zip|gz|pdf)$/;
const code = /\.(tsx?|mjs|js|css|sh|json|jsonc)$/;
const lockfile = /(^|\/)package-lock\.json$/;

/** One line per finding: file, line, what. */
export function findTraces(root: string): string[] {
  return listFiles(root)
    .filter((path) => !binary.test(path))
    .flatMap((path) => tracesIn(path, readFileSync(join(root, path), 'utf8'), root));
}

/** `root`: the path of the checkout. */
export function tracesIn(path: string, text: string, root: string): string[] {
  const found: string[] = [];
  text.split('\n').forEach((line, index) => {
    const add = (what: string) => found.push(`${path}:${index + 1}: ${what}`);
    if (lockfile.test(path)) {
      if (/"resolved":\s*"https?:/.test(line)) add('a lockfile names a registry host (see .npmrc)');
      return;
    }
    if (line.includes(root)) add('the path of this checkout');
    else for (const [match] of line.matchAll(machinePath)) add(`a path of one machine: ${match}`);
    if (!code.test(path)) return;
    for (const [, host] of line.matchAll(url)) {
      if (!allowedHosts.some((allowed) => allowed.test(host!.toLowerCase()))) add(`an external host: ${host}`);
    }
  });
  return found;
}
