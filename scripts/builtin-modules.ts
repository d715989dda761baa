// Modules of Node itself, for a built program: taken as they are. An `import` of one reads all it exports, and with that
// loads what only a few programs need: `fetch` with `node:http`, webcrypto with `node:crypto`. A fifth of the time that
// `waybill --version` takes.
import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

const mark = '\0builtin:';

export const builtinModules: Plugin = {
  name: 'builtin-modules',
  enforce: 'pre',
  resolveId(source, _, options) {
    // A dynamic import takes the module as a whole, with all its getters: it is left to Node, which loads it then and not before.
    const isStatic = (options as { kind?: string }).kind === 'import-statement';
    return isStatic && isBuiltin(source) ? `${mark}${source}` : null;
  },
  load(id) {
    return id.startsWith(mark) ? codeOf(id.slice(mark.length)) : null;
  },
};

function codeOf(name: string): string {
  const builtin = process.getBuiltinModule(name) as object;
  // Whatever nobody asks for is shaken out, so that nothing behind a getter is loaded for nothing.
  const names = Object.getOwnPropertyNames(builtin).filter(
    (key) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== 'default',
  );
  const lines = names.map(
    (key, index) => `const _${index} = /* @__PURE__ */ Reflect.get(builtin, '${key}'); export { _${index} as ${key} };`,
  );
  return [
    `const builtin = /* @__PURE__ */ process.getBuiltinModule(${JSON.stringify(name)});`,
    'export default builtin;',
    ...lines,
  ].join('\n');
}
