// Builds the Debian package of the executable file, with the service, man pages and completion (docs/adr/0088).
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { completionScript } from '../cli/completion.ts';
import { listFiles, repositoryRoot } from './source-files.ts';

/** Debian's names of the architectures. */
export const debianNames: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

export interface DebOptions {
  arch: string;
  version: string;
  executable: string;
  outDir: string;
  /** Tests skip compression. */
  isCompressed?: boolean;
}

/** The path of the package. */
export function makeDeb({ arch, version, executable, outDir, isCompressed = true }: DebOptions): string {
  const root = mkdtempSync(join(tmpdir(), 'waybill-deb-'));
  try {
    chmodSync(root, 0o755);
    writePayload(root, executable);
    writeControl(root, { arch, version });
    const path = join(outDir, `waybill_${version}_${debianNames[arch]}.deb`);
    execFileSync('dpkg-deb', [
      '--root-owner-group',
      ...(isCompressed ? ['-Zxz', '-z1'] : ['-Znone']),
      '--build',
      root,
      path,
    ]);
    return path;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function writePayload(root: string, executable: string): void {
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), content, { mode: 0o644 });
  };
  const source = (path: string) => readFileSync(join(repositoryRoot, path));
  const zipped = (content: string | Buffer) => gzipSync(content, { level: 9 });
  mkdirSync(join(root, 'usr/bin'), { recursive: true });
  cpSync(executable, join(root, 'usr/bin/waybill-server'));
  chmodSync(join(root, 'usr/bin/waybill-server'), 0o755);
  symlinkSync('waybill-server', join(root, 'usr/bin/waybill'));
  put('usr/lib/systemd/system/waybill.service', source('packaging/waybill.service'));
  put('etc/waybill/waybill.env', source('packaging/waybill.env'));
  chmodSync(join(root, 'etc/waybill/waybill.env'), 0o640); // may hold passwords; read by root before the service starts
  put('usr/share/man/man1/waybill.1.gz', zipped(source('docs/man/waybill.1')));
  put('usr/share/man/man8/waybill-server.8.gz', zipped(source('docs/man/waybill-server.8')));
  put('usr/share/bash-completion/completions/waybill', completionScript('bash'));
  put('usr/share/zsh/vendor-completions/_waybill', completionScript('zsh'));
  put('usr/share/fish/vendor_completions.d/waybill.fish', completionScript('fish'));
  put('usr/share/doc/waybill/changelog.gz', zipped(source('CHANGELOG.md')));
  put('usr/share/doc/waybill/copyright', source('LICENSE'));
}

function writeControl(root: string, { arch, version }: { arch: string; version: string }): void {
  const files = listFiles(root);
  const sums = files.map(
    (path) =>
      `${createHash('md5')
        .update(readFileSync(join(root, path)))
        .digest('hex')}  ${path}`,
  );
  const folder = join(root, 'DEBIAN');
  mkdirSync(folder);
  for (const name of ['postinst', 'prerm', 'postrm']) {
    cpSync(join(repositoryRoot, 'packaging', 'deb', name), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, 'md5sums'), `${sums.join('\n')}\n`);
  writeFileSync(join(folder, 'conffiles'), '/etc/waybill/waybill.env\n');
  const sizeBytes = files.reduce((sum, path) => sum + lstatSync(join(root, path)).size, 0);
  const control = [
    'Package: waybill',
    `Version: ${version}`,
    `Architecture: ${debianNames[arch]}`,
    'Maintainer: The Waybill developers <waybill@localhost>',
    `Installed-Size: ${Math.ceil(sizeBytes / 1024)}`,
    'Section: net',
    'Priority: optional',
    // The libraries of Node; passwd for useradd.
    'Depends: libc6 (>= 2.28), libstdc++6 (>= 8), libgcc-s1 (>= 3.0) | libgcc1, libatomic1, passwd',
    'Description: secure file transfer, self-hosted',
    ' Messages, links and file requests for files that are too big or too sensitive for e-mail, with an HTTP API.',
    ' Contains the server (waybill-server) and the command line (waybill).',
  ];
  writeFileSync(join(folder, 'control'), `${control.join('\n')}\n`);
}
