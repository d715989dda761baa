// A container image as an archive for `podman load` and `docker load`, from packaging/Containerfile with buildah or podman, without
// a registry (docs/adr/0088).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianNames } from './package-deb.ts';
import { repositoryRoot } from './source-files.ts';

export interface ImageOptions {
  arch: string;
  version: string;
  executable: string;
  outDir: string;
}

const packaging = join(repositoryRoot, 'packaging');
const containerfile = join(packaging, 'Containerfile');

/** The path of the archive; null if neither buildah nor podman is installed. */
export function makeImage({ arch, version, executable, outDir }: ImageOptions): string | null {
  const tool = ['buildah', 'podman'].find(isProgram);
  if (tool === undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), 'waybill-image-'));
  try {
    const debianArch = debianNames[arch]!;
    execFileSync(join(packaging, 'image-root.sh'), [join(folder, 'image'), executable, debianArch], {
      stdio: 'inherit',
    });
    const path = join(outDir, `waybill-${version}-${debianArch}.image.tar`);
    const prepared = ['--build-context', `built=${folder}`, '--build-arg', `VERSION=${version}`];
    const options = ['--arch', debianArch, '--timestamp', '0', '--file', containerfile, ...prepared];
    // The OCI format has no health checks.
    const target = ['--format', 'docker', '--tag', `docker-archive:${path}:waybill:${version}`];
    execFileSync(tool, ['build', ...options, ...target, folder], { stdio: 'inherit' });
    return path;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function isProgram(name: string): boolean {
  try {
    execFileSync('which', [name], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
