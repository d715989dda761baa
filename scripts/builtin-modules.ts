// Imports of Node's own modules in built programs read only the exports that are used. An `import` reads all of them and so
// loads `fetch` with `node:http` and webcrypto with `node:crypto`, a fifth of the time of `waybill --version`.
import { isBuiltin } from 'node:module';
import type { Plugin } from 'vite';

const mark = '\0builtin:';

export const builtinModules: Plugin = {
  name: 'builtin-modules',
  enforce: 'pre',
  resolveId(source, _, options) {
    // A dynamic import needs the whole module.
    const isStatic = (options as { kind?: string }).kind === 'import-statement';
    return isStatic && isBuiltin(source) ? `${mark}${source}` : null;
  },
  load(id) {
    return id.startsWith(mark) ? codeOf(id.slice(mark.length)) : null;
  },
};

function codeOf(name: string): string {
  const builtin = process.getBuiltinModule(name) as object;
  // The bundler removes unused exports, so their getters never run.
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
