// `/cli`: the command line program as one file, with its checksum and instructions for each platform. In English, like the
// program.
import { createHash } from 'node:crypto';
import type { ApiDocsPage, DocsBlock } from '#web/pages/api-docs-props.ts';
import { builtFiles } from '../../lib/program-files.ts';
import type { HttpDeps } from '../deps.ts';
import { sendPage } from '../identity/pre-session.ts';
import type { Exchange, Router } from '../transport/router.ts';
import { basePath } from '../transport/urls.ts';

const fileName = 'waybill.mjs';

export function serveCommandLine(deps: HttpDeps, router: Router): void {
  let read: { bytes: Buffer; sha256: string } | null = null;
  // Most servers are never asked for it.
  const program = () => {
    if (read === null) {
      const bytes = builtFiles('cli-file').read(fileName);
      read = { bytes, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
    return read;
  };
  router.page('GET', '/cli', async (exchange) => sendPage(deps, exchange, pageOf(deps, program().sha256)));
  router.page('GET', `/cli/${fileName}`, async (exchange) => {
    const { bytes, sha256 } = program();
    send(exchange, bytes, { 'content-type': 'text/javascript; charset=utf-8', etag: `"${sha256.slice(0, 32)}"` });
  });
  router.page('GET', '/cli/SHA256SUMS', async (exchange) =>
    send(exchange, Buffer.from(`${program().sha256}  ${fileName}\n`), { 'content-type': 'text/plain; charset=utf-8' }),
  );
}

function send({ response }: Exchange, bytes: Buffer, headers: Record<string, string>): void {
  response.writeHead(200, {
    ...headers,
    'content-length': bytes.length,
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  });
  response.end(bytes);
}

function pageOf(deps: HttpDeps, sha256: string): ApiDocsPage {
  const address = deps.ctx.settings.surroundings.baseUrl;
  const file = `${address}/cli/${fileName}`;
  const unix = (check: string) => `curl -fsSO ${file}
curl -fsS ${address}/cli/SHA256SUMS | ${check}
mkdir -p ~/.local/bin && install -m 755 ${fileName} ~/.local/bin
ln -sf ${fileName} ~/.local/bin/waybill
waybill login ${address}`;
  const windows = `New-Item -ItemType Directory -Force "$HOME\\waybill" | Out-Null
Invoke-WebRequest ${file} -OutFile "$HOME\\waybill\\${fileName}"
(Get-FileHash "$HOME\\waybill\\${fileName}").Hash -eq '${sha256.toUpperCase()}'
Set-Content "$HOME\\waybill\\waybill.cmd" '@node "%~dp0${fileName}" %*'
& "$HOME\\waybill\\waybill.cmd" login ${address}`;
  return {
    kind: 'api-docs',
    title: 'The command line',
    sections: [
      { href: `${basePath(deps)}/cli`, label: 'Installation', isCurrent: true },
      ...(deps.openapi === 'off' ? [] : [{ href: `${basePath(deps)}/docs/api`, label: 'The API', isCurrent: false }]),
    ],
    blocks: [
      text(
        '`waybill` sends, receives and lists files from a terminal or a script. It is one file and needs Node 20 or later.',
      ),
      { is: 'heading', level: 2, id: 'linux', text: 'Linux' },
      code('Linux', unix('sha256sum -c')),
      { is: 'heading', level: 2, id: 'macos', text: 'macOS' },
      code('macOS', unix('shasum -a 256 -c')),
      text('If the shell does not find `waybill` afterwards, add `~/.local/bin` to `PATH`.'),
      { is: 'heading', level: 2, id: 'windows', text: 'Windows' },
      code('PowerShell', windows),
      text(
        'The third line must print `True`. Add the folder `waybill` in your home folder to `Path` to call it by name.',
      ),
      { is: 'heading', level: 2, id: 'checksum', text: 'Checksum' },
      { is: 'table', head: ['File', 'SHA-256'], rows: [[`\`${fileName}\``, `\`${sha256}\``]] },
      { is: 'heading', level: 2, id: 'first-steps', text: 'First steps' },
      code('First steps', 'waybill send report.pdf --to ben@example.com\nwaybill list\nwaybill --help'),
    ],
  };
}

function text(words: string): DocsBlock {
  return { is: 'text', text: words };
}

function code(language: string, lines: string): DocsBlock {
  return { is: 'examples', examples: [{ language, code: lines }] };
}
