// The pages of the documentation site: those of docs/, and those at the root of the repository.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path/posix';
import { listFiles, repositoryRoot } from './source-files.ts';

export interface SitePage {
  /** Below the site, with the ending .md. */
  path: string;
  text: string;
}

/** Pages outside docs/, by their path on the site. */
const fromRoot: Record<string, string> = {
  'SECURITY.md': 'trust/security.md',
  'CONTRIBUTING.md': 'contribute/index.md',
  'ARCHITECTURE.md': 'contribute/architecture.md',
  'CHANGELOG.md': 'start/changes.md',
  'README.md': 'index.md',
};

export function pagesOfSite(): SitePage[] {
  const files = [
    ...listFiles(repositoryRoot, ['docs']),
    ...Object.keys(fromRoot).filter((path) => path !== 'README.md'),
  ];
  return files
    .filter((path) => path.endsWith('.md'))
    .map((file) => ({
      path: placeOf(file),
      text: withSiteLinks(file, readFileSync(join(repositoryRoot, file), 'utf8')),
    }));
}

function placeOf(file: string): string {
  const place = fromRoot[file] ?? file.replace(/^docs\//, '').replace(/(^|\/)README\.md$/, '$1index.md');
  return /\.(md|png)$/.test(place) ? place : `${place}.txt`;
}

/** Links to sources, which the site does not have, become their text. */
function withSiteLinks(file: string, text: string): string {
  return text.replace(/(!?)\[([^\]]*)\]\(([^)\s#]*)(#[^)\s]*)?\)/g, (link, ...found: string[]) => {
    const [mark, label, path = '', heading = ''] = found;
    if (path === '' || /^(https?|mailto):|^\//.test(path)) return link;
    const target = join(dirname(file), path);
    const isPage = target in fromRoot || (target.startsWith('docs/') && existsSync(join(repositoryRoot, target)));
    if (!isPage || statSync(join(repositoryRoot, target)).isDirectory()) return label!;
    const place = relative(dirname(placeOf(file)), placeOf(target));
    return `${mark}[${label}](${place.startsWith('.') ? place : `./${place}`}${heading})`;
  });
}
