// Rules about imports: between parts, of packages and row types, no cycles, and shared code has several users.
import { cyclesOf } from './cycles.ts';
import { isBelow, isOutsideProduct, isTest, partOf, type ReadFile, type Rule, sourceOf } from './source.ts';
import { packageRules, rowFolder, rowName, sharedParts, soleBlobUses, soleImporters, soleInserters } from './tables.ts';

export const importRules: Rule[] = [
  {
    sentence: 'a part imports only the parts its line in the table allows',
    ofFile: (file) => (partOf(file.path) ? [] : [`${file.path} has no line in the table of parts`]),
    ofImport(found, file) {
      const part = partOf(file.path);
      if (part === undefined || found.path === null || part.mayImport === 'everything') return null;
      const target = partOf(found.path);
      if (target === undefined) return 'leads to no part of the table';
      const isAllowed =
        target === part ||
        part.mayImport.includes(target.name) ||
        (found.isTypeOnly && part.mayImportTypesOf?.includes(target.name));
      return isAllowed ? null : `${part.name} may not import ${target.name}`;
    },
  },
  {
    sentence: 'a restricted package is imported only in its folder',
    ofImport(found, file) {
      if (isOutsideProduct(file.path)) return null;
      const rule = packageRules.find(({ packages }) => packages.some((name) => isPackage(found.specifier, name)));
      if (rule === undefined || rule.onlyIn.some((place) => isBelow(file.path, place))) return null;
      return `belongs into ${rule.onlyIn.join(' or ')}`;
    },
  },
  {
    sentence: 'what travels over the wire runs in browsers too: contract imports nothing of Node',
    ofImport(found, file) {
      if (!isBelow(file.path, 'contract') || isTest(file.path)) return null;
      return found.specifier.startsWith('node:') ? 'there is no Node in a browser' : null;
    },
  },
  {
    sentence: 'web imports nothing of the server, not even in a test: shared test code is in test/kit',
    ofImport(found, file) {
      if (!isBelow(file.path, 'web') || found.path === null) return null;
      return isBelow(found.path, 'server') ? 'web may not import server' : null;
    },
  },
  {
    sentence: 'no file imports itself through others, not even for a type',
    ofAll: (files) =>
      cyclesOf(new Map(files.map((file) => [file.path, file.imports.flatMap(({ path }) => path ?? [])]))).map(
        (circle) => `a circle: ${circle.join(' -> ')}`,
      ),
  },
  {
    sentence: 'no type of a row leaves the database folder',
    ofImport(found, file) {
      if (isOutsideProduct(file.path) || isBelow(file.path, rowFolder)) return null;
      if (found.path === null || !isBelow(found.path, rowFolder)) return null;
      const rows = found.names.filter((name) => rowName.test(name));
      return rows.length === 0 ? null : `${rows.join(', ')} belongs to ${rowFolder}`;
    },
  },
  {
    sentence: 'sessions are opened, and stored bytes sent, by one function each',
    ofImport(found, file) {
      if (isOutsideProduct(file.path) || isTest(file.path)) return null;
      const sole = soleImporters.find(({ file: path, name }) => found.path === path && found.names.includes(name));
      return sole === undefined || sole.onlyIn.includes(file.path)
        ? null
        : `${sole.name} belongs to ${sole.onlyIn.join(', ')}`;
    },
    nodeTypes: ['MemberExpression'],
    ofNode(node, file) {
      if (isOutsideProduct(file.path) || isTest(file.path)) return null;
      const use = soleBlobUses.find(({ expression }) => expression.test(sourceOf(node, file)));
      return use === undefined || use.onlyIn.includes(file.path) ? null : `belongs to ${use.onlyIn.join(', ')}`;
    },
    ofFile({ path, text }) {
      if (isOutsideProduct(path) || isTest(path)) return [];
      return Object.entries(soleInserters)
        .filter(([table, file]) => file !== path && new RegExp(`insertInto\\(\\s*['"]${table}['"]`).test(text))
        .map(([table, file]) => `${path}: only ${file} inserts into ${table}`);
    },
  },
  {
    sentence: `what ${sharedParts.folder} holds is used by ${sharedParts.fewestUsers} screens or more`,
    ofAll: (files) =>
      files
        .filter(({ path }) => isBelow(path, sharedParts.folder) && !isTest(path))
        .map(({ path }) => ({ path, users: [...usersOf(path, files)].sort() }))
        .filter(({ users }) => users.length < sharedParts.fewestUsers)
        .map(({ path, users }) => `${path} has ${users.length} users: ${users.join(', ')}`),
  },
];

/** The screens that use a shared file, directly or through other shared files. All other code counts as one user. */
function usersOf(path: string, files: ReadFile[]): Set<string> {
  const users = new Set<string>();
  const seen = new Set([path]);
  const pending = [path];
  for (let target = pending.pop(); target !== undefined; target = pending.pop()) {
    for (const file of files) {
      if (seen.has(file.path) || isTest(file.path) || !file.imports.some((one) => one.path === target)) continue;
      if (isBelow(file.path, sharedParts.folder)) {
        seen.add(file.path);
        pending.push(file.path);
      } else users.add(userOf(file.path));
    }
  }
  return users;
}

function userOf(path: string): string {
  const screens = sharedParts.screens.find((folder) => isBelow(path, folder));
  if (screens === undefined) return 'the frame';
  return `${screens}/${path.slice(screens.length + 1).split('/', 1)[0]}`;
}

/** `kysely` also matches `kysely/helpers`, `node:x` also `x`, `@aws-sdk/*` all packages of that scope. */
function isPackage(specifier: string, name: string): boolean {
  if (name.endsWith('*')) return specifier.startsWith(name.slice(0, -1));
  return isBelow(specifier, name) || `node:${specifier}` === name;
}
