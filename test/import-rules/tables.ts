// The import rules as data: allowed imports, packages of a folder, and at most five exceptions each. See ARCHITECTURE.md.

export interface Part {
  name: string;
  /** Folders and files; the longest match decides. */
  paths: string[];
  /** Names of parts. Its own part is always allowed. */
  mayImport: string[] | 'everything';
  /** Only with `import type`. */
  mayImportTypesOf?: string[];
}

/** The dependency rule: a part may import earlier ones only. */
export const parts: Part[] = [
  { name: 'sizes', paths: ['contract/sizes.ts'], mayImport: [] },
  { name: 'hidden characters', paths: ['contract/hidden-characters.ts'], mayImport: [] },
  { name: 'camel case', paths: ['contract/camel-case.ts'], mayImport: [] },
  { name: 'audiences', paths: ['contract/audiences.ts'], mayImport: [] },
  { name: 'group settings', paths: ['contract/group-settings.ts'], mayImport: [] },
  { name: 'colours', paths: ['contract/colour.ts', 'contract/brand-colour.ts'], mayImport: [] },
  { name: 'archives', paths: ['contract/zip.ts', 'contract/stretches.ts'], mayImport: [] },
  {
    name: 'contract',
    paths: ['contract'],
    mayImport: ['sizes', 'hidden characters', 'camel case', 'audiences', 'group settings', 'colours'],
  },
  { name: 'locales', paths: ['locales'], mayImport: [] },
  { name: 'language', paths: ['language'], mayImport: ['sizes'] },

  { name: 'manifest', paths: ['package.json'], mayImport: [] },
  { name: 'lib', paths: ['server/lib'], mayImport: ['manifest', 'built files', 'hidden characters'] },
  {
    name: 'domain',
    paths: ['server/domain'],
    mayImport: ['lib', 'hidden characters', 'audiences', 'group settings', 'colours'],
  },
  { name: 'db', paths: ['server/db'], mayImport: ['domain', 'lib', 'camel case', 'audiences'] },
  {
    name: 'mail',
    paths: ['server/mail'],
    mayImport: ['domain', 'lib', 'sizes', 'hidden characters', 'colours', 'language', 'locales'],
  },
  {
    name: 'mail transports',
    paths: ['server/mail/transports', 'server/mail/smtp.ts', 'server/mail/folder.ts'],
    mayImport: ['domain', 'lib'],
  },
  { name: 'blobs', paths: ['server/blobs'], mayImport: ['domain', 'lib'] },
  {
    name: 'actions',
    paths: ['server/actions'],
    mayImport: ['domain', 'db', 'mail', 'lib', 'archives', 'hidden characters', 'audiences', 'language'],
  },
  {
    name: 'http',
    paths: ['server/http'],
    mayImport: [
      'actions',
      'domain',
      'lib',
      'contract',
      'archives',
      'sizes',
      'hidden characters',
      'colours',
      'encodings',
      'language',
      'locales',
    ],
    mayImportTypesOf: ['pages', 'built pages'],
  },
  { name: 'jobs', paths: ['server/jobs'], mayImport: ['actions', 'db', 'domain', 'lib', 'mail'] },
  {
    name: 'config',
    paths: [
      'server/config.ts',
      'server/config-entries.ts',
      'server/config-entry.ts',
      'server/config-identity.ts',
      'server/config-events.ts',
      'server/config-mail.ts',
      'server/config-tls.ts',
    ],
    mayImport: ['domain', 'lib', 'language'],
  },
  {
    name: 'app',
    paths: ['server/app.ts', 'server/installation'],
    mayImport: [
      'config',
      'http',
      'jobs',
      'actions',
      'db',
      'mail',
      'mail transports',
      'blobs',
      'domain',
      'lib',
      'contract',
      'built pages',
    ],
  },
  {
    // The supervisor, which does not load the application.
    name: 'supervisor',
    paths: [
      'server/commands/supervise.ts',
      'server/commands/entrance.ts',
      'server/commands/running.ts',
      'server/commands/metrics.ts',
      'server/commands/collect-metrics.ts',
      'server/commands/check-lines.ts',
    ],
    mayImport: ['config', 'lib'],
  },
  {
    name: 'commands',
    paths: ['server/commands'],
    mayImport: ['supervisor', 'app', 'config', 'actions', 'jobs', 'db', 'mail', 'blobs', 'domain', 'lib', 'contract'],
  },
  { name: 'main', paths: ['server/main.ts'], mayImport: ['commands', 'config', 'domain', 'lib'] },

  { name: 'transfer', paths: ['transfer'], mayImport: ['contract', 'sizes'] },
  { name: 'client', paths: ['client'], mayImport: ['transfer', 'contract', 'sizes'] },
  { name: 'verifier', paths: ['tools/verify'], mayImport: [] },
  {
    name: 'cli',
    paths: ['cli'],
    mayImport: ['transfer', 'contract', 'archives', 'sizes', 'hidden characters', 'manifest', 'verifier'],
  },
  { name: 'encodings', paths: ['web/encodings.ts'], mayImport: [] },
  { name: 'built files', paths: ['web/built-files.ts'], mayImport: [] },
  {
    // Parts of the executable file that replace files on disk.
    name: 'inside',
    paths: ['server/lib/program-files-embedded.ts', 'server/lib/crc32-embedded.ts'],
    mayImport: ['built files', 'built pages'],
  },
  { name: 'web', paths: ['web'], mayImport: ['contract', 'sizes', 'hidden characters', 'language', 'locales'] },
  {
    name: 'web uploads',
    paths: ['web/uploads'],
    mayImport: ['web', 'transfer', 'contract', 'sizes', 'language'],
  },
  {
    name: 'pages',
    paths: ['web/pages'],
    mayImport: ['web', 'web uploads', 'transfer', 'contract', 'sizes', 'encodings', 'language', 'locales'],
  },
  {
    name: 'web app',
    paths: ['web/app'],
    mayImport: [
      'web',
      'web uploads',
      'transfer',
      'contract',
      'group settings',
      'colours',
      'sizes',
      'language',
      'locales',
    ],
  },
  {
    name: 'built pages',
    paths: ['dist/pages', 'web/pages/load.ts', 'dist/app', 'web/app/load.ts'],
    mayImport: ['encodings', 'built files'],
    mayImportTypesOf: ['pages'],
  },

  // Not part of the product; no part above may import them.
  { name: 'tests', paths: ['test'], mayImport: 'everything' },
  { name: 'scripts', paths: ['scripts'], mayImport: 'everything' },
  { name: 'bench', paths: ['bench'], mayImport: 'everything' },
  { name: 'gallery', paths: ['gallery'], mayImport: 'everything' },
  { name: 'mutate', paths: ['tools/mutate'], mayImport: 'everything' },
];

export interface PackageRule {
  packages: string[];
  onlyIn: string[];
}

/** Packages, including built-in ones, that only one folder may import; a star matches any ending. */
export const packageRules: PackageRule[] = [
  { packages: ['find-my-way', '@fastify/*'], onlyIn: ['server/http'] },
  { packages: ['kysely', 'pg', 'pg-*', 'node:sqlite'], onlyIn: ['server/db'] },
  { packages: ['@aws-sdk/*', '@smithy/*'], onlyIn: ['server/blobs'] },
  { packages: ['nodemailer', 'nodemailer/*'], onlyIn: ['server/mail'] },
  { packages: ['ldapts'], onlyIn: ['server/lib/ldap'] },
  { packages: ['re2js'], onlyIn: ['server/domain', 'server/lib'] },
  { packages: ['sanitize-html'], onlyIn: ['server/lib'] },
  { packages: ['node:child_process'], onlyIn: ['server/lib/child.ts', 'server/commands', 'cli/start.ts'] },
  { packages: ['@mantine/*'], onlyIn: ['web/app/ui'] },
  { packages: ['commander', 'smol-toml'], onlyIn: ['cli'] },
];

/** The only readers of the environment. */
export const environmentReaders = ['server/config.ts', 'cli/start.ts'];

/** Modules that are forbidden without input, output, clock and randomness. */
export const worldlyModules =
  /^node:(fs|net|http|http2|https|tls|dns|dgram|child_process|worker_threads|timers|os)(\/|$)/;

export const codeFolders = [
  'contract',
  'language',
  'server',
  'web',
  'transfer',
  'cli',
  'client',
  'locales',
  'test',
  'bench',
  'gallery',
  'scripts',
  'tools/mutate',
];

/** Released migrations are never changed. */
export const migrations = 'server/db/migrations';

export const limits = { linesOfFile: 400, linesOfFunction: 60, parameters: 4 };
export const mayBeLonger = /\.(test|suite|fixture|generated)\.tsx?$|^server\/db\/migrations\/|^locales\//;
export const emptyName = /(^|[-.])(utils?|helpers?|common|managers?|services?)$|^index$/;
/** Tools need the default export there. */
export const mayExportDefault = /\.config\.ts$|^web\/app\/(admin\/)?screens\/|^scripts\/test-reporter\.ts$/;

/** Calls that take a block of tests, which the limit of function length ignores. */
export const testCalls = /^(describe|suite|test(Once)?|it|before|after|beforeEach|afterEach|onEachEngine)$/;

/** Rows of the database: their types and columns, and which folders must not use them. */
export const rowFolder = 'server/db';
export const rowName = /(Row|Rows|Table|Tables|Flag)$/;
export const schemaFile = /^server\/db\/schema\/[a-z-]+\.ts$/;
export const columnReaders = ['server/actions', 'server/jobs', 'server/commands', 'server/mail'];

/** Shared code of screens. Each folder of screens counts as one user, and all other code as one. */
export const sharedParts = {
  folder: 'web/app/parts',
  screens: ['web/app/screens', 'web/app/admin/screens'],
  fewestUsers: 3,
};

/** Only these files may import these functions, so that one rule covers every path. */
export const soleImporters: { file: string; name: string; onlyIn: readonly string[] }[] = [
  {
    file: 'server/db/sessions/sessions.ts',
    name: 'insertSession',
    onlyIn: ['server/actions/sessions/open-session.ts'],
  },
  {
    file: 'server/actions/downloads/deliveries.ts',
    name: 'findDelivery',
    onlyIn: ['server/actions/downloads/tickets.ts'],
  },
  { file: 'server/actions/downloads/deliveries.ts', name: 'partsOf', onlyIn: ['server/http/downloads/transfer.ts'] },
];

/** Only this file inserts into the table. */
export const soleInserters: Record<string, string> = { sessions: 'server/db/sessions/sessions.ts' };

/** `read` is for checksums and copies inside the service. */
export const soleBlobUses: { expression: RegExp; onlyIn: readonly string[] }[] = [
  { expression: /\bblobs\.send$/, onlyIn: ['server/http/downloads/transfer.ts'] },
  {
    expression: /\bblobs\.read$/,
    onlyIn: ['server/actions/uploads/received-bytes.ts', 'server/actions/uploads/sealing.ts'],
  },
];
